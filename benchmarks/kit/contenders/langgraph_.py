"""LangGraph's SQLite store with its vector index; the container is the namespace. It has no search by words."""

from __future__ import annotations

import sqlite3
import sys
from collections.abc import Sequence
from importlib import import_module
from pathlib import Path
from typing import Any

from ..made import Question, Row, Vector

if not hasattr(sqlite3.Connection, "enable_load_extension"):  # this Python's SQLite was built without extensions
    sqlite3 = sys.modules["sqlite3"] = import_module("pysqlite3")

from langgraph.store.base import PutOp
from langgraph.store.sqlite import SqliteStore


class _Given:
    """Answers with the vectors that were made beforehand: embedding is not what is measured."""

    def __init__(self) -> None:
        self.known: dict[str, Vector] = {}

    def __call__(self, texts: Sequence[str]) -> list[list[float]]:
        return [self.known[text].tolist() for text in texts]


class LangGraph:
    """One file, write-ahead log, durable commits."""

    async def open(self, folder: Path) -> None:
        """Open, and make the tables that are missing."""
        self._given = _Given()
        self._connection = sqlite3.connect(folder / "langgraph.db", check_same_thread=False, isolation_level=None)
        self._connection.execute("PRAGMA synchronous = FULL")
        index: Any = {"dims": 256, "embed": self._given, "text_fields": ["text"]}
        self._store = SqliteStore(self._connection, index=index)
        self._store.setup()

    async def fill(self, rows: Sequence[Row]) -> None:
        """As in `turn`, some hundred at once."""
        for start in range(0, len(rows), 200):
            await self.turn(rows[start : start + 200])

    async def ready(self) -> None:
        """There is nothing to build."""

    async def turn(self, rows: Sequence[Row]) -> None:
        """One batch."""
        self._given.known = {row.text: row.vector for row in rows}
        self._store.batch([PutOp((row.container,), row.id, {"text": row.text, "day": row.day}) for row in rows])

    async def search(self, container: str, question: Question, limit: int) -> int:
        """By meaning, filtered by day."""
        self._given.known = {question.text: question.vector}
        found = self._store.search((container,), query=question.text, filter={"day": {"$gte": 0}}, limit=limit)
        return len(found)

    async def close(self) -> None:
        """Close the file."""
        self._connection.close()
