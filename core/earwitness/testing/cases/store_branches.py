"""Branches of containers: the extra `BranchingStore`, if the store has it."""

# ruff: noqa: S101
from __future__ import annotations

from collections.abc import Sequence
from typing import Any
from unittest import SkipTest

from ...extras import BranchingStore, PlacedStore
from ...protocols import Store
from ...records.memory import Memory
from ..reference_branches import PlacedMemoryStore
from ..samples import memory
from ..suite import case
from .store_base import StoreCases

PAST = [memory("c", f"m{n}", f"the sword number {n} of house {n % 7}", gameDay=n % 5) for n in range(40)]
WORDS = ("sword", "dragon", "tavern", "crown")
StoreStep = tuple[int, int, int]
"""What is done, and two numbers that say with what."""


class StoreBranches(StoreCases):
    """A branch holds what its parent held, and neither sees what the other does later."""

    @case
    async def test_a_branch_holds_what_its_parent_holds(self, store: Store) -> None:
        """It is in the same order, with the same scores; an unknown container has an empty branch."""
        branching = await self._with_past(store)
        await branching.branch({"c": "b", "nowhere": "nothing"}, {})
        assert await self._seen(store, "b") == await self._seen(store, "c")
        assert [each.id for each in await store.list("b")] == [each.id for each in PAST]
        assert await store.count("nothing") == 0

    @case
    async def test_without_some_memories_it_is_as_if_they_had_never_been_there(self, store: Store) -> None:
        """They count for nothing in its ranking, and can be written again."""
        branching = await self._with_past(store)
        left = [f"m{n}" for n in (0, 7, 8, *range(30, 40))]
        await branching.branch({"c": "b"}, {"c": left, "elsewhere": ["m1"]})
        await store.put([_in("alike", each) for each in PAST if each.id not in left])
        assert await self._seen(store, "b") == await self._seen(store, "alike")
        await store.put([_in("b", each) for each in PAST if each.id in left])
        assert await store.count("b") == len(PAST)

    @case
    async def test_neither_sees_what_the_other_does_later(self, store: Store) -> None:
        """Writing, replacing and removing in one changes nothing in the other, or in a branch of the branch."""
        branching = await self._with_past(store)
        await branching.branch({"c": "b"}, {})
        await store.put([memory("b", "m1", "the lance"), memory("b", "new", "a dragon")])
        await branching.branch({"b": "twig"}, {})
        twig = await self._seen(store, "twig")
        await store.remove({"b": [f"m{n}" for n in range(5, 20)]})
        assert list(await store.list("c")) == PAST
        await store.put([memory("c", "m2", "a crown"), memory("c", "other", "a tavern")])
        await store.remove({"c": ["m3", "m4"]})
        assert [each.content for each in await store.get("b", ["m1", "m2", "m3", "other"])] == [
            "the lance",
            PAST[2].content,
            PAST[3].content,
        ]
        assert await self._seen(store, "twig") == twig

    @case
    async def test_a_branch_outlives_its_parent(self, store: Store) -> None:
        """So does a branch of a branch; and the names can be used again."""
        branching = await self._with_past(store)
        await branching.branch({"c": "b"}, {})
        await branching.branch({"b": "twig"}, {"b": ["m1"]})
        before = await self._seen(store, "twig")
        await store.drop("c")
        await store.drop("b")
        assert await self._seen(store, "twig") == before
        assert await store.count("c") == await store.count("b") == 0
        await store.put([memory("c", "m1", "another story")])
        assert await self._seen(store, "twig") == before

    @case
    async def test_a_branch_that_exists_is_made_again(self, store: Store) -> None:
        """Of an interrupted one nothing is left."""
        branching = await self._with_past(store)
        await branching.branch({"c": "b"}, {"c": ["m1"]})
        await store.put([memory("b", "new", "a dragon")])
        await branching.branch({"c": "b"}, {"c": ["m2"]})
        assert [each.id for each in await store.list("b")] == [each.id for each in PAST if each.id != "m2"]

    @case
    async def test_what_was_removed_is_put_back_in_its_place(self, store: Store) -> None:
        """In a branch, and in a branch of that; what was never there comes last."""
        branching = await self._with_past(store)
        if not isinstance(store, PlacedStore):
            raise SkipTest("the store knows no places: a branch from before a removal applies all plans again")
        await store.remove({"c": ["m3", "m30"]})
        assert list(await store.placed("c", ["m2", "m3", "m30", "m99"])) == ["m2", "m3", "m30"]
        await branching.branch({"c": "b"}, {"c": ["m39"]})
        await store.put_back([_in("b", PAST[30]), memory("b", "m99", "a crown"), _in("b", PAST[3])])
        expected = [f"m{n}" for n in range(39)]
        assert [each.id for each in await store.list("b")] == [*expected, "m99"]
        await branching.branch({"b": "twig"}, {"b": ["m99"]})
        assert [each.id for each in await store.list("twig")] == expected
        assert [each.id for each in await store.list("c")] == [each.id for each in PAST if each.id not in {"m3", "m30"}]

    @case
    async def test_what_was_written_again_is_put_back_where_it_stood_before(self, store: Store) -> None:
        """In a branch that does not have what was written again."""
        branching = await self._with_past(store)
        if not isinstance(store, PlacedStore):
            raise SkipTest("the store knows no places: a branch from before a removal applies all plans again")
        await store.remove({"c": ["m3"]})
        await store.put([PAST[3]])
        assert [each.id for each in await store.list("c")][-1] == "m3"
        await branching.branch({"c": "b"}, {"c": ["m3"]})
        await store.put_back([_in("b", PAST[3])])
        assert [each.id for each in await store.list("b")] == [each.id for each in PAST]

    @case
    async def test_whatever_happens_they_are_as_copies_would_be(self, store: Store) -> None:
        """Random branches of branches, with writes, removals and drops in each, against the reference."""
        from hypothesis import strategies as st

        branching = self._branching(store)
        examples = iter(range(10_000))

        async def agrees(steps: Sequence[StoreStep]) -> None:
            model, names = PlacedMemoryStore(), [f"s{next(examples)}"]
            for step in steps:
                await self._take(step, names, (branching, model))
            for name in names:
                assert list(await store.list(name)) == list(await model.list(name)), name
                assert await store.count(name) == await model.count(name)
                alike = [_in(f"{name}-alike", each) for each in await model.list(name)]
                await store.put(alike)
                assert await self._seen(store, name) == await self._seen(store, f"{name}-alike")
            for name in names:
                await store.drop(name)

        numbers = st.integers(0, 99)
        await self.for_all(agrees, st.lists(st.tuples(st.integers(0, 9), numbers, numbers), min_size=8, max_size=40))

    async def _take(self, step: StoreStep, names: list[str], stores: Sequence[Any]) -> None:
        """One random step, in both stores."""
        kind, one, other = step
        name = names[one % len(names)]
        ids = [f"m{n % 24}" for n in range(other, other + 1 + one % 9)]
        for store in stores:
            if kind <= 4:
                put = store.put_back if kind == 4 and isinstance(stores[0], PlacedStore) else store.put
                await put([memory(name, id, f"{WORDS[(one + n) % 4]} {id}") for n, id in enumerate(ids)])
            elif kind == 5:
                await store.remove({name: ids})
            elif kind == 6 and other % 3 == 0:
                await store.drop(name)
            elif kind >= 7:
                await store.branch({name: f"{names[0]}-{len(names)}"}, {name: ids[: other % 4]})
        if kind >= 7:
            names.append(f"{names[0]}-{len(names)}")

    def _branching(self, store: Store) -> BranchingStore:
        if not isinstance(store, BranchingStore):
            raise SkipTest("the store makes no branches: a fork copies the recorded plans and applies them again")
        self.needs("enumerates")
        return store

    async def _with_past(self, store: Store) -> BranchingStore:
        branching = self._branching(store)
        for begin in range(0, len(PAST), 15):
            await store.put(PAST[begin : begin + 15])
        return branching

    async def _seen(self, store: Store, container: str) -> list[object]:
        """What a container holds and finds."""
        await self.until_searchable(store)
        held = [(each.id, each.content, dict(each.metadata)) for each in await store.list(container)]
        found = []
        for query in ("the sword of house 3", *WORDS[1:]):
            hits = await store.search(container, query, limit=50)
            found.append([(hit.memory.id, hit.memory.content, round(hit.score, 6)) for hit in hits])
        return [held, found]


def _in(container: str, memory: Memory) -> Memory:
    return memory.model_copy(update={"container": container})
