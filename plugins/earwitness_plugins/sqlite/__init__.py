"""The embedded database that our ledger and our store share: one SQLite file, one writer, several readers."""

from .at_hand import NotNow
from .database import Database

__all__ = ["Database", "NotNow"]
