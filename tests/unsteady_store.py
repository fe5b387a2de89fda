"""A store in memory that can be away: then it raises, or hangs."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping, Sequence

from earwitness.filters import EVERYTHING, Filter
from earwitness.records.memory import Hit, Memory
from earwitness.testing.reference import MemoryStore


class UnsteadyStore(MemoryStore):
    """Answers while neither `away` nor `hangs` is set."""

    def __init__(self) -> None:
        super().__init__()
        self.away = False
        self.hangs = False

    async def answer(self) -> None:
        """Raises `ConnectionError` while it is away; never returns while it hangs."""
        if self.hangs:
            await asyncio.Event().wait()
        if self.away:
            raise ConnectionError("no route to the service")

    async def put(self, memories: Sequence[Memory]) -> None:
        await self.answer()
        await super().put(memories)

    async def remove(self, ids: Mapping[str, Sequence[str]]) -> None:
        await self.answer()
        await super().remove(ids)

    async def drop(self, container: str) -> None:
        await self.answer()
        await super().drop(container)

    async def search(
        self, container: str, query: str, *, filter: Filter = EVERYTHING, limit: int = 10
    ) -> Sequence[Hit]:
        await self.answer()
        return await super().search(container, query, filter=filter, limit=limit)

    async def list(
        self, container: str, *, filter: Filter = EVERYTHING, limit: int | None = None, offset: int = 0
    ) -> Sequence[Memory]:
        await self.answer()
        return await super().list(container, filter=filter, limit=limit, offset=offset)

    async def get(self, container: str, ids: Sequence[str]) -> Sequence[Memory]:
        await self.answer()
        return await super().get(container, ids)
