"""The store that Earwitness ships, through its public interface; it embeds questions and memories itself."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from earwitness.filters import Compare
from earwitness.loading.resources import Resources
from earwitness.records.memory import Memory
from earwitness_plugins.stores.sqlite import SqliteStore

from ..made import Question, Row, embedder


class Plain:
    """Words and meaning."""

    rerank = False

    async def open(self, folder: Path) -> None:
        """One file."""
        self._store = SqliteStore(
            path=str(folder / "story.db"), embedder=embedder(), resources=Resources(), rerank=self.rerank
        )
        await self._store.open()

    async def fill(self, rows: Sequence[Row]) -> None:
        """As in `turn`, more at once."""
        await self.turn(rows)

    async def ready(self) -> None:
        """It is always ready."""

    async def turn(self, rows: Sequence[Row]) -> None:
        """One durable transaction."""
        await self._store.put(
            [Memory(id=row.id, container=row.container, content=row.text, metadata=row.metadata) for row in rows]
        )

    async def search(self, container: str, question: Question, limit: int) -> int:
        """With the filter that every recall has."""
        hits = await self._store.search(container, question.text, filter=Compare("learnedDay", ">=", 0), limit=limit)
        return len(hits)

    async def close(self) -> None:
        """Close the file."""
        await self._store.close()


class Reranked(Plain):
    """Words and meaning, and the best ranked again."""

    rerank = True
