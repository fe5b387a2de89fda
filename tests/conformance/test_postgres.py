"""The store on a PostgreSQL server keeps the contracts."""

import pytest
from pydantic import SecretStr

from earwitness.loading.resources import Resources
from earwitness.testing.promises import PromisesSuite
from earwitness.testing.store import StoreSuite
from earwitness_plugins.embedders.static import StaticEmbedder
from earwitness_plugins.ledgers.postgres import PostgresLedger
from earwitness_plugins.stores.postgres import PostgresStore

EMBEDDER = StaticEmbedder()


class OnPostgres:
    """A new database for each test, on the server of the test session."""

    @pytest.fixture(autouse=True)
    def new_database(self, postgres_dsn: str) -> None:
        self.dsn = SecretStr(postgres_dsn)


class TestPostgresStore(OnPostgres, StoreSuite):
    examples = 6

    def make_store(self) -> PostgresStore:
        return PostgresStore(dsn=self.dsn, embedder=EMBEDDER, resources=Resources(), timeout=30)


class TestPromisesOnPostgres(OnPostgres, PromisesSuite):
    """A plan and its participants' memories share a transaction."""

    examples = 2

    def make_store_and_ledger(self) -> tuple[PostgresStore, PostgresLedger]:
        resources = Resources()
        ledger = PostgresLedger(dsn=self.dsn, resources=resources, timeout=30)
        return PostgresStore(dsn=self.dsn, embedder=EMBEDDER, resources=resources, timeout=30), ledger
