"""The embedded ledger: one SQLite file, shared with the embedded store."""

from .ledger import SqliteLedger

__all__ = ["SqliteLedger"]
