"""The ledger on a PostgreSQL server, for several processes and machines."""

from .ledger import PostgresLedger

__all__ = ["PostgresLedger"]
