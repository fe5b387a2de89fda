"""SQLite with its FTS5 and sqlite-vec: what one would set up by hand. Words and meaning, fused by reciprocal ranks."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Sequence
from pathlib import Path

import apsw
import numpy as np
import sqlite_vec

from ..made import Question, Row

_DEPTH = 100
_RRF = 60
_WORD = re.compile(r"\w+")


class SqliteVec:
    """A table of rows, an FTS5 table over it whose texts begin with the container's name, and a vec0 table."""

    async def open(self, folder: Path) -> None:
        """One file; vectors are partitioned by container."""
        self._connection = apsw.Connection(str(folder / "vec.db"))
        self._connection.enable_load_extension(True)
        self._connection.load_extension(sqlite_vec.loadable_path())
        self._connection.execute("PRAGMA journal_mode = wal; PRAGMA synchronous = FULL")
        self._connection.execute(
            """
            CREATE TABLE IF NOT EXISTS memory (
                number INTEGER PRIMARY KEY, container TEXT, id TEXT, content TEXT, day REAL, UNIQUE (container, id)
            );
            CREATE VIRTUAL TABLE IF NOT EXISTS words USING fts5(
                container, content, content = '', tokenize = 'porter unicode61'
            );
            CREATE VIRTUAL TABLE IF NOT EXISTS meaning USING vec0(
                number INTEGER PRIMARY KEY, container TEXT PARTITION KEY, day FLOAT, vector FLOAT[256]
            );
            """
        )

    async def fill(self, rows: Sequence[Row]) -> None:
        """As in `turn`, more at once."""
        await self.turn(rows)

    async def ready(self) -> None:
        """Merge the word index."""
        self._connection.execute("INSERT INTO words(words) VALUES ('optimize')")

    async def turn(self, rows: Sequence[Row]) -> None:
        """One transaction over the three tables."""
        with self._connection:
            for row in rows:
                self._connection.execute(
                    "INSERT INTO memory (container, id, content, day) VALUES (?, ?, ?, ?)",
                    (row.container, row.id, row.text, row.day),
                )
                number = self._connection.last_insert_rowid()
                self._connection.execute(
                    "INSERT INTO words (rowid, container, content) VALUES (?, ?, ?)",
                    (number, _token(row.container), row.words),
                )
                self._connection.execute(
                    "INSERT INTO meaning VALUES (?, ?, ?, ?)",
                    (number, row.container, float(row.day), row.vector.astype(np.float32).tobytes()),
                )

    async def search(self, container: str, question: Question, limit: int) -> int:
        """Both rankings, fused; then the rows."""
        scores: dict[int, float] = defaultdict(float)
        for ranking in (self._by_words(container, question), self._by_meaning(container, question)):
            for rank, number in enumerate(ranking, 1):
                scores[number] += 1 / (_RRF + rank)
        best = sorted(scores, key=lambda number: -scores[number])[:limit]
        rows = [
            self._connection.execute("SELECT id, content, day FROM memory WHERE number = ?", (number,)).fetchone()
            for number in best
        ]
        return len(rows)

    def _by_words(self, container: str, question: Question) -> list[int]:
        words = " OR ".join(f'"{word}"' for word in dict.fromkeys(_WORD.findall(question.text)))
        asked = f'container : "{_token(container)}" AND content : ({words})'
        found = self._connection.execute(
            "SELECT words.rowid FROM words JOIN memory ON number = words.rowid "
            "WHERE words MATCH ? AND day >= 0 ORDER BY bm25(words, 0) LIMIT ?",
            (asked, _DEPTH),
        )
        return [int(number) for (number,) in found]

    def _by_meaning(self, container: str, question: Question) -> list[int]:
        found = self._connection.execute(
            "SELECT number FROM meaning WHERE vector MATCH ? AND k = ? AND container = ? AND day >= 0",
            (question.vector.astype(np.float32).tobytes(), _DEPTH, container),
        )
        return [int(number) for (number,) in found]

    async def close(self) -> None:
        """Close the file."""
        self._connection.close()


def _token(container: str) -> str:
    """A container's name as one word of the index."""
    return "container" + "".join(filter(str.isalnum, container))
