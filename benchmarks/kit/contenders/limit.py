"""What the machine could do at best: the raw rows in one transaction, and one product over the container's matrix."""

from __future__ import annotations

import json
from collections import defaultdict
from collections.abc import Sequence
from pathlib import Path

import apsw
import numpy as np

from ..made import Question, Row, Vector


class Limit:
    """No words, no filter, no index; matrices of vectors in memory."""

    async def open(self, folder: Path) -> None:
        """A table as one would make it for rows that are only kept."""
        self._connection = apsw.Connection(str(folder / "limit.db"))
        self._connection.execute("PRAGMA journal_mode = wal; PRAGMA synchronous = FULL")
        self._connection.execute(
            "CREATE TABLE IF NOT EXISTS memory "
            "(container TEXT, id TEXT, content TEXT, metadata TEXT, vector BLOB, PRIMARY KEY (container, id)) "
            "WITHOUT ROWID"
        )
        self._collected: dict[str, list[Vector]] = defaultdict(list)
        self._matrices: dict[str, Vector] = {}

    async def fill(self, rows: Sequence[Row]) -> None:
        """Rows, and the matrices beside them."""
        await self.turn(rows)
        for row in rows:
            self._collected[row.container].append(row.vector)

    async def ready(self) -> None:
        """One matrix a container."""
        self._matrices = {name: np.stack(vectors) for name, vectors in self._collected.items()}
        self._collected.clear()

    async def turn(self, rows: Sequence[Row]) -> None:
        """One transaction, one fsync."""
        with self._connection:
            self._connection.executemany(
                "INSERT OR REPLACE INTO memory VALUES (?, ?, ?, ?, ?)",
                [(row.container, row.id, row.text, json.dumps(row.metadata), _packed(row.vector)) for row in rows],
            )

    async def search(self, container: str, question: Question, limit: int) -> int:
        """The numbers of the best, not even in order."""
        found = np.vecdot(self._matrices[container], question.vector)
        return len(np.argpartition(found, -limit)[-limit:])

    async def close(self) -> None:
        """Close the file."""
        self._connection.close()


def _packed(vector: Vector) -> bytes:
    return vector.astype(np.float16).tobytes()
