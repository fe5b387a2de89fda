"""The database that ledger and store share on a PostgreSQL server: a pool of connections, and migrations."""

from .database import Connection, PostgresDatabase, PostgresWork
from .migrations import PostgresMigration

__all__ = ["Connection", "PostgresDatabase", "PostgresMigration", "PostgresWork"]
