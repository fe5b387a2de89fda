"""The store that Earwitness ships, through its public interface."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import numpy as np

from earwitness.extras import NewMemoryStore
from earwitness.filters import Compare
from earwitness.loading.resources import Resources
from earwitness.records.memory import Memory
from earwitness.words import plain
from earwitness_plugins.embedders.static import StaticEmbedder
from earwitness_plugins.stores.sqlite import SqliteStore

from ..made import Question, Row, Vector, embedder


class Given(StaticEmbedder):
    """Answers with the vectors that were made beforehand, as every peer has them: embedding is not what is measured."""

    def __init__(self) -> None:
        super().__init__()
        vars(self).update(vars(embedder()))  # its table is read already
        self.known: dict[str, Vector] = {}

    def embed(self, texts: Sequence[str]) -> Vector:
        """The vectors of texts."""
        if unknown := [text for text in texts if text not in self.known]:  # a store that keeps no vectors asks again
            self.known |= dict(zip(unknown, super().embed(unknown), strict=True))
        return np.stack([self.known[text] for text in texts])


def memories(rows: Sequence[Row]) -> list[Memory]:
    """Rows as our stores take them."""
    return [Memory(id=row.id, container=row.container, content=row.text, metadata=row.metadata) for row in rows]


class Plain:
    """Words and meaning."""

    rerank = False

    async def open(self, folder: Path) -> None:
        """One file."""
        self.given = Given()
        self._store = SqliteStore(
            path=str(folder / "story.db"), embedder=self.given, resources=Resources(), rerank=self.rerank
        )
        await self._store.open()

    async def fill(self, rows: Sequence[Row]) -> None:
        """As in `turn`, more at once."""
        await self.turn(rows)

    async def ready(self) -> None:
        """It is always ready."""

    async def turn(self, rows: Sequence[Row]) -> None:
        """One durable transaction, or as the applier writes what was just decided."""
        put = self._store.put_new if isinstance(self._store, NewMemoryStore) else self._store.put
        self.given.known = {plain(text): vector for text, vector in {row.text: row.vector for row in rows}.items()}
        await put(memories(rows))

    async def search(self, container: str, question: Question, limit: int) -> int:
        """With the filter that every recall has."""
        self.given.known = {question.text: question.vector}
        hits = await self._store.search(container, question.text, filter=Compare("learnedDay", ">=", 0), limit=limit)
        return len(hits)

    async def close(self) -> None:
        """Close the file."""
        await self._store.close()


class Reranked(Plain):
    """Words and meaning, and the best ranked again."""

    rerank = True
