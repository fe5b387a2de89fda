"""The database that the embedded ledger and store share: one SQLite file, one writing thread, several readers."""

from .database import Database
from .inline_reader import WouldBlock
from .job import Transaction
from .migrations import Migration

__all__ = ["Database", "Migration", "Transaction", "WouldBlock"]
