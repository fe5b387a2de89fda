"""The ledger on PostgreSQL keeps core's contract for ledgers, on a real server."""

from collections.abc import Iterator

import pytest
from pydantic import SecretStr

from earwitness.loading.resources import Resources
from earwitness.testing.ledger import LedgerSuite
from earwitness_plugins.ledgers.postgres import PostgresLedger
from earwitness_plugins.testing.postgres import PostgresServer


@pytest.fixture(autouse=True)
def dsn(request: pytest.FixtureRequest, postgres: PostgresServer) -> Iterator[None]:
    """A new database for each test of a suite."""
    with postgres.database() as dsn:
        request.cls.dsn = SecretStr(dsn)
        yield


class TestPostgresLedger(LedgerSuite):
    dsn: SecretStr
    examples = 8

    def make_ledger(self) -> PostgresLedger:
        return PostgresLedger(dsn=self.dsn, resources=Resources(), timeout=30)
