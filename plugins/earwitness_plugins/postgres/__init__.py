"""The database that ledger and store share on a PostgreSQL server: a pool of connections, and migrations."""

from .database import Connection, PostgresDatabase, PostgresWork
from .migrations import PostgresMigration
from .preparation import unprepared

__all__ = ["Connection", "PostgresDatabase", "PostgresMigration", "PostgresWork", "unprepared"]
