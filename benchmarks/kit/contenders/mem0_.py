"""mem0 with the store it comes with (Qdrant in the process, on disk) and without a language model (`infer=False`)."""

from __future__ import annotations

import os
from collections.abc import Sequence
from pathlib import Path
from typing import Any
from uuid import NAMESPACE_OID, uuid5

from ..made import Question, Row, Vector
from .qdrant_local import unsynced


class _Given:
    """In place of mem0's embedder: the vectors that were made beforehand."""

    def __init__(self) -> None:
        self.known: dict[str, Vector] = {}

    def embed(self, text: str, memory_action: str | None = None) -> list[float]:
        """The vector of a text."""
        found: list[float] = self.known[text].tolist()
        return found

    def embed_batch(self, texts: Sequence[str], memory_action: str | None = None) -> list[list[float]]:
        """The vectors of texts."""
        return [self.embed(text) for text in texts]


class Mem0:
    """A container is a `user_id`: that is how mem0 keeps people apart."""

    async def open(self, folder: Path) -> None:
        """Everything in one folder; nothing is told to anybody."""
        os.environ.update(MEM0_TELEMETRY="False", MEM0_DIR=str(folder), OPENAI_API_KEY="none is needed")
        from mem0 import Memory

        self._memory: Any = Memory.from_config(
            {
                "vector_store": {
                    "provider": "qdrant",
                    "config": {"path": str(folder / "qdrant"), "embedding_model_dims": 256, "on_disk": True},
                },
                "history_db_path": str(folder / "history.db"),
            }
        )
        self._given = _Given()
        self._memory.embedding_model = self._given

    async def fill(self, rows: Sequence[Row]) -> None:
        """There is no way to add many at once."""
        await self.turn(rows)

    async def ready(self) -> None:
        """There is nothing to build."""

    async def turn(self, rows: Sequence[Row]) -> None:
        """One `add` a memory."""
        for row in rows:
            self._given.known = {row.text: row.vector}
            self._memory.add(row.text, user_id=row.container, metadata={"day": row.day}, infer=False)

    async def search(self, container: str, question: Question, limit: int) -> int:
        """By meaning, filtered by user and day."""
        self._given.known = {question.text: question.vector}
        found = self._memory.search(
            question.text, filters={"user_id": container, "day": {"gte": 0}}, top_k=limit, threshold=0.0
        )
        return len(found["results"])

    async def close(self) -> None:
        """Close the files."""
        self._memory.close()
        self._memory.vector_store.client.close()


class Mem0Filled(Mem0):
    """Filled faster than mem0 can: its vector store is given many records at once. Turns and searches are mem0's."""

    async def fill(self, rows: Sequence[Row]) -> None:
        """The records as `add(infer=False)` makes them."""
        with unsynced():
            self._memory.vector_store.insert(
                vectors=[row.vector.tolist() for row in rows],
                ids=[str(uuid5(NAMESPACE_OID, f"{row.container} {row.id}")) for row in rows],
                payloads=[{"data": row.text, "user_id": row.container, "day": row.day} for row in rows],
            )
