"""A PostgreSQL server for the tests of its store and ledger: one a session, and an empty database for each test."""

from collections.abc import Iterator
from contextlib import ExitStack

import psycopg
import pytest

from earwitness.errors import SettingsError
from earwitness_plugins.testing.postgres import PostgresServer

TABLES = """
SELECT c.oid::regclass FROM pg_class c WHERE c.relnamespace = to_regnamespace('earwitness')
AND c.relkind IN ('r', 'p') AND NOT c.relispartition AND c.relname NOT IN ('component', 'memory_fact')
"""


@pytest.fixture(scope="session")
def postgres() -> Iterator[PostgresServer]:
    """A server without `fsync`, or the one that `EARWITNESS_POSTGRES` names; without either the test is skipped."""
    with ExitStack() as stack:
        try:
            server = stack.enter_context(PostgresServer.running())
        except SettingsError as missing:
            pytest.skip(str(missing))
        yield server


@pytest.fixture(scope="session")
def durable_postgres() -> Iterator[PostgresServer]:
    """A server that may be crashed: what it acknowledges is on the disk."""
    with ExitStack() as stack:
        try:
            server = stack.enter_context(PostgresServer.running(durable=True))
        except SettingsError as missing:
            pytest.skip(str(missing))
        yield server


class SharedDatabase:
    """A database whose tables are emptied after each test: making them anew takes ten times as long."""

    def __init__(self, server: PostgresServer) -> None:
        self._server = server
        self._stack = ExitStack()
        self._dsn: str | None = None

    @property
    def dsn(self) -> str:
        self._dsn = self._dsn or self._stack.enter_context(self._server.database())
        return self._dsn

    def empty(self) -> None:
        """Delete all rows; or the database, where somebody still holds them."""
        try:
            with psycopg.connect(self.dsn, options="-c lock_timeout=2000") as connection:
                connection.execute("SET session_replication_role = replica")  # no need to check references
                for (table,) in connection.execute(TABLES.encode()).fetchall():
                    connection.execute(f"DELETE FROM {table}".encode())
        except psycopg.Error:
            self.drop()

    def drop(self) -> None:
        self._dsn = None
        self._stack.close()


@pytest.fixture(scope="session")
def shared_postgres_database(postgres: PostgresServer) -> Iterator[SharedDatabase]:
    """Where `postgres_dsn` is."""
    shared = SharedDatabase(postgres)
    yield shared
    shared.drop()


@pytest.fixture
def postgres_dsn(shared_postgres_database: SharedDatabase) -> Iterator[str]:
    """Connection string of a database with empty tables of ours, or without them."""
    yield shared_postgres_database.dsn
    shared_postgres_database.empty()


@pytest.fixture
def new_postgres_dsn(postgres: PostgresServer) -> Iterator[str]:
    """Connection string of a new database."""
    with postgres.database() as dsn:
        yield dsn
