"""Promise 1, for a store: a read names one container, and nothing crosses."""

# ruff: noqa: S101
from __future__ import annotations

from collections.abc import Sequence
from itertools import count
from typing import TYPE_CHECKING

from ...filters import EVERYTHING, NOTHING, Not, matches
from ...protocols import Store
from ...records.memory import Memory
from ..reference import MemoryStore
from ..samples import HOSTILE_NAMES, ODD_NAMES, memory
from ..suite import case
from .store_base import StoreCases

if TYPE_CHECKING:
    from ..operations import Operation


class Walls(StoreCases):
    """Containers and the walls between them."""

    @case
    async def test_reads_stay_in_their_container_whatever_it_is_called(self, store: Store) -> None:
        """The names are prefixes, patterns, paths, SQL or encodings of each other, with the same ids and words."""
        names = self.names(ODD_NAMES)
        for name in names:
            await store.put([memory(name, "m", "the sword", home=name)])
        for name in names:
            await self._holds_exactly(store, name, [memory(name, "m", "the sword", home=name)])

    @case
    async def test_a_hostile_name_reaches_only_its_own_container(self, store: Store) -> None:
        """Paths, requests, headers, commands, file names and 300 characters: none reads, empties or drops another."""
        names, victim = self.names(HOSTILE_NAMES), memory("s1-b", "m", "the sword", home="s1-b")
        neighbour = memory("s1-a", "m", "the lance", home="s1-a")
        await store.put([victim, neighbour])
        for name in names:
            assert await self.contents(store, name, ["m"]) == [], name
            await store.put([memory(name, "m", "the sword", home=name), memory(name, "n", "a shield")])
        await self.until_searchable(store)
        for name in names:
            kept, shield = memory(name, "m", "the sword", home=name), memory(name, "n", "a shield")
            assert await self.contents(store, name, ["m", "n"]) == [kept, shield], name
            assert all(hit.memory in (kept, shield) for hit in await store.search(name, "the sword")), name
            await store.remove({name: ["n"]})
            await self._holds_exactly(store, name, [kept])
            await store.drop(name)
            await self._holds_exactly(store, name, [])
        await self._holds_exactly(store, "s1-b", [victim])
        await self._holds_exactly(store, "s1-a", [neighbour])

    @case
    async def test_any_two_names_are_two_containers(self, store: Store) -> None:
        """Names are random, in twos and threes."""
        from hypothesis import strategies as st

        from ..strategies import ids

        async def apart(names: Sequence[str]) -> None:
            for name in names:
                await store.put([memory(name, "m", "the sword", home=name)])
            for name in names:
                await self._holds_exactly(store, name, [memory(name, "m", "the sword", home=name)])
            for name in names:
                await store.drop(name)
                await self._holds_exactly(store, name, [])

        await self.for_all(apart, st.lists(ids.filter(self.takes_name), min_size=2, max_size=3, unique=True))

    @case
    async def test_who_has_nothing_gets_nothing(self, store: Store) -> None:
        """An empty result never widens a read, and no filter reaches over the wall."""
        await store.put([memory("s1-bob", f"m{n}", "Bob's secret is the cave") for n in range(20)])
        for filter in (EVERYTHING, Not(NOTHING)):
            assert list(await store.search("s1-alice", "secret cave", filter=filter)) == []
            if self.enumerates is True:
                assert list(await store.list("s1-alice", filter=filter)) == []
        assert list(await store.get("s1-alice", ["m1"])) == []

    @case
    async def test_replacing_and_removing_stay_in_their_container(self, store: Store) -> None:
        """The same id lives in both containers."""
        await store.put([memory(name, "m", "the same words") for name in ("s1-a", "s1-ab", "s1-b")])
        await store.put([memory("s1-a", "m", "other words")])
        await store.remove({"s1-ab": ["m"]})
        await self._holds_exactly(store, "s1-a", [memory("s1-a", "m", "other words")])
        await self._holds_exactly(store, "s1-ab", [])
        await self._holds_exactly(store, "s1-b", [memory("s1-b", "m", "the same words")])

    @case
    async def test_dropping_stays_in_its_container(self, store: Store) -> None:
        """This holds also if its name is a prefix of another, or a pattern that matches it."""
        names = self.names(ODD_NAMES)
        for name in names:
            await store.put([memory(name, "m")])
        for number, name in enumerate(names):
            await store.drop(name)
            left = [await self.size(store, other, ["m"]) for other in names]
            assert left == [0] * (number + 1) + [1] * (len(names) - number - 1), f"after dropping {name!r}"

    @case
    async def test_another_container_moves_no_ranking(self, store: Store) -> None:
        """Another container's words and size have no effect: hits and scores are the same before and after."""
        texts = ["the dragon sleeps", "the dragon and the sword", "a sword in the tavern", "bread and cheese"]
        await store.put([memory("s1-alice", f"m{n}", text) for n, text in enumerate(texts)])
        queries = ("dragon sword", "tavern", "the sword", "cheese or bread")
        await self.until_shared(store)
        before = [list(await store.search("s1-alice", query)) for query in queries]
        loud = ["dragon " * 9, "sword", "tavern tavern", "bread the cheese", "the"]
        await store.put([memory(f"s{n % 7}-bob", f"m{n}", loud[n % len(loud)]) for n in range(300)])
        await self.until_shared(store)
        assert [list(await store.search("s1-alice", query)) for query in queries] == before
        for n in range(7):
            await store.drop(f"s{n}-bob")
        assert [list(await store.search("s1-alice", query)) for query in queries] == before

    @case
    async def test_random_interleavings_end_as_in_a_dict(self, store: Store) -> None:
        """Writes, replacements, removals, drops and reads come in any order, in containers of any name."""
        from hypothesis import strategies as st

        from ..operations import operations

        run = count()

        async def as_in_a_dict(steps: Sequence[Operation]) -> None:
            steps = [step for step in steps if step.fits(self.takes_name)]
            model, prefix = MemoryStore(), f"run{next(run)}-"
            for step in steps:
                await step.on(model, prefix)
                await step.on(store, prefix)
                await self.until_searchable(store)
                for name in {other.container for other in steps}:
                    await self._agrees(store, model, prefix + name, step)

        await self.for_all(as_in_a_dict, st.lists(operations, min_size=1, max_size=8))

    async def _agrees(self, store: Store, model: Store, container: str, step: Operation) -> None:
        kept = list(await model.list(container))
        ids = [each.id for each in kept]
        assert await self.contents(store, container, ids) == kept
        assert await self.size(store, container, ids) == len(kept)
        if self.enumerates is True:
            held = list(await store.list(container, filter=step.filter))
            assert held == await model.list(container, filter=step.filter)
        hits = await store.search(container, step.query, filter=step.filter, limit=3)
        found = [hit.memory for hit in hits]
        assert len(found) == len({hit.id for hit in found}) <= 3
        assert all(hit in kept and matches(step.filter, hit.metadata) for hit in found)

    async def _holds_exactly(self, store: Store, container: str, expected: Sequence[Memory]) -> None:
        await self.until_searchable(store)
        assert await self.contents(store, container, ["m"]) == expected, container
        assert await self.size(store, container, ["m"]) == len(expected), container
        assert list(await store.get(container, ["m"])) == expected, container
        query = expected[0].content if expected else "the sword"
        assert [hit.memory for hit in await store.search(container, query)] == expected, container
