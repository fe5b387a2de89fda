"""The embedded database that our ledger and our store share: one SQLite file, one writer, several readers."""

from .database import Database

__all__ = ["Database"]
