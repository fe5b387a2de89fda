"""Names are only names: none is a path, a query, a header, a pattern or another spelling of another name."""

# ruff: noqa: S101
from __future__ import annotations

from ...protocols import Store
from ..samples import HOSTILE_NAMES, LOOKALIKES, ODD_NAMES, memory
from ..suite import case
from .store_base import StoreCases


class NamesOfMemories(StoreCases):
    """Ids of memories, keys of metadata, and names that look alike."""

    @case
    async def test_any_id_is_only_an_id(self, store: Store) -> None:
        """Ids that look like patterns, paths, SQL or each other name one memory each."""
        names = self.names(ODD_NAMES)
        await store.put([memory("c", id, f"memory number {n}") for n, id in enumerate(names)])
        for n, id in enumerate(names):
            assert [found.content for found in await store.get("c", [id])] == [f"memory number {n}"]
        await store.remove({"c": names[:5]})
        assert [found.id for found in await self.contents(store, "c", names)] == names[5:]

    @case
    async def test_a_hostile_id_reaches_only_its_own_memory(self, store: Store) -> None:
        """Whoever writes, reads, replaces or removes it touches no other, and no container of that name."""
        names = self.names(HOSTILE_NAMES)
        await store.put([memory("s1-b", "s1-b", "the sword"), memory("c", "s1-b", "the sword")])
        await store.put([memory("c", id, f"memory number {n}") for n, id in enumerate(names)])
        assert [each.id for each in await store.get("c", names)] == names
        await store.put([memory("c", id, f"other number {n}") for n, id in enumerate(names)])
        expected = [memory("c", id, f"other number {n}") for n, id in enumerate(names)]
        everything = [memory("c", "s1-b", "the sword"), *expected]
        assert await self.contents(store, "c", ["s1-b", *names]) == everything
        await store.remove({"c": names})
        assert await self.contents(store, "c", ["s1-b", *names]) == everything[:1]
        assert await self.contents(store, "s1-b", ["s1-b", *names]) == [memory("s1-b", "s1-b", "the sword")]

    @case
    async def test_any_metadata_key_is_only_a_key(self, store: Store) -> None:
        """Metadata keys never reach a query language or a path."""
        await store.put([memory("c", "m", **{name: name for name in ODD_NAMES})])
        (found,) = await store.get("c", ["m"])
        assert found.metadata == {"type": "message", **{name: name for name in ODD_NAMES}}

    @case
    async def test_names_that_look_alike_are_apart(self, store: Store) -> None:
        """Containers and ids that differ by an invisible character are different ones."""
        names = self.names(LOOKALIKES)
        for name in names:
            await store.put([memory(name, id, f"{name} {id}") for id in names])
        for name in names:
            found = {each.id: each.content for each in await self.contents(store, name, names)}
            assert found == {id: f"{name} {id}" for id in names}, ascii(name)
