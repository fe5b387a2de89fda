"""Several writers at the same time: nothing is lost, nothing is there twice, and all agree on the order."""

# ruff: noqa: S101
from __future__ import annotations

import anyio

from ...protocols import Store
from ..samples import memory
from ..suite import case
from .store_base import StoreCases

WRITERS, ROUNDS = 8, 5


class Writers(StoreCases):
    """Tasks of one store, and two stores on the same data."""

    @case
    async def test_writers_at_the_same_time_lose_nothing(self, store: Store) -> None:
        """Each writes to its own container, and all write to a shared one."""

        async def write(writer: int) -> None:
            for n in range(ROUNDS):
                await store.put([memory(f"own{writer}", f"m{n}"), memory("common", f"m{writer}-{n}")])

        async with anyio.create_task_group() as group:
            for writer in range(WRITERS):
                group.start_soon(write, writer)
        own = [f"m{n}" for n in range(ROUNDS)]
        assert [await self.size(store, f"own{writer}", own) for writer in range(WRITERS)] == [ROUNDS] * WRITERS
        assert await self.size(store, "common", _ids(range(WRITERS))) == WRITERS * ROUNDS

    @case
    async def test_writers_of_one_memory_leave_one_whole_version(self, store: Store) -> None:
        """Content and metadata are of the same `put`, also while others remove what is beside it."""

        async def write(writer: int) -> None:
            for n in range(ROUNDS):
                await store.put([memory("c", "m", f"version {writer}-{n}", location=f"{writer}-{n}")])
                await store.put([memory("c", f"beside{writer}")])
                await store.remove({"c": [f"beside{writer}"]})

        async with anyio.create_task_group() as group:
            for writer in range(WRITERS):
                group.start_soon(write, writer)
        (found,) = await self.contents(store, "c", ["m", *(f"beside{writer}" for writer in range(WRITERS))])
        assert found.content == f"version {found.metadata['location']}"
        assert str(found.metadata["location"]).endswith(f"-{ROUNDS - 1}")

    @case
    async def test_two_stores_that_write_at_the_same_time_lose_nothing(self, store: Store) -> None:
        """Both hold everything afterwards, in the same order."""
        self.needs("shared")
        async with self.subject() as other:

            async def write(writer: int) -> None:
                for n in range(ROUNDS):
                    await (store, other)[writer % 2].put([memory("c", f"m{writer}-{n}", f"the word{writer}{n}")])

            async with anyio.create_task_group() as group:
                for writer in range(4):
                    group.start_soon(write, writer)
            wanted = _ids(range(4))
            for each in (store, other):
                await self.until_shared(each)
                found = await self.contents(each, "c", wanted)
                assert sorted(held.id for held in found) == sorted(wanted)
                assert [hit.memory.id for hit in await each.search("c", "word34", limit=1)] == ["m3-4"]
            assert await self.contents(store, "c", wanted) == await self.contents(other, "c", wanted)


def _ids(writers: range) -> list[str]:
    return [f"m{writer}-{n}" for writer in writers for n in range(ROUNDS)]
