"""A filter means what `earwitness.filters.matches` says, in a list and in a search."""

# ruff: noqa: S101
from __future__ import annotations

from collections.abc import Sequence
from itertools import count

from ...filters import (
    EVERYTHING,
    NOTHING,
    OPERATORS,
    And,
    Compare,
    Filter,
    In,
    Not,
    Or,
    Scalar,
    equals,
    is_number,
    matches,
)
from ...protocols import Store
from ...records.memory_types import MetaValue
from ..samples import ODD_NAMES, memory
from ..suite import case
from .store_base import StoreCases

TABLE: tuple[dict[str, MetaValue], ...] = (
    {},
    {"speaker": "bob", "gameDay": 3, "isSpeaker": True, "participants": ["alice", "bob"]},
    {"speaker": "Bob", "gameDay": 3.0, "isSpeaker": False, "participants": ["bob"]},
    {"speaker": "3", "gameDay": 2.5, "isSpeaker": "true", "participants": []},
    {"speaker": "", "gameDay": -1, "isSpeaker": 1, "participants": "bob"},
    {"speaker": 3, "gameDay": "3", "isSpeaker": 0, "participants": ["Bob", "3"]},
    {"speaker": True, "gameDay": True, "participants": ["alice"]},
    {"speaker": ["bob"], "gameDay": ["3"], "isSpeaker": ["true"]},
    {"gameDay": 0, "speaker": "bob'; --"},
    {"gameDay": 2**53 + 1, "speaker": "bóó"},
    {"gameDay": 2**53, "speaker": "bo\u0301o\u0301"},
    {"gameDay": 1e-9, "location": "tavern"},
)
"""Values of every type, missing ones, and values that look like others."""

VALUES: tuple[Scalar, ...] = (
    "bob",
    "3",
    "",
    "true",
    3,
    3.0,
    2.5,
    0,
    1,
    -1,
    True,
    False,
    2**53,
    2**53 + 1,
    1e-9,
    "bóó",
    "bob'; --",
)


def comparisons() -> list[Filter]:
    """Every operator on every field with every value it takes."""
    fields = ("speaker", "gameDay", "isSpeaker", "participants", "location", "nobody")
    numbers = [value for value in VALUES if is_number(value)]
    takes = {op: VALUES if op in {"==", "!="} else numbers for op in OPERATORS}
    return [Compare(field, op, value) for field in fields for op in OPERATORS for value in takes[op]]


def combinations() -> list[Filter]:
    """Trees: empty ones, nested ones, and negations of what is missing."""
    bob, day, none = equals("speaker", "bob"), Compare("game_day", ">=", 2.5), equals("nobody", "x")
    members = [
        In("speaker", ("bob", "3")),
        In("participants", ("bob", "nobody")),
        In("speaker", ()),
        In("nobody", ("",)),
    ]
    trees: list[Filter] = [
        And((bob, day)),
        Or((bob, day)),
        Not(none),
        Not(And((bob, Not(day)))),
        And((Or((bob, none)), Not(day))),
    ]
    edges: list[Filter] = [
        EVERYTHING,
        NOTHING,
        Not(EVERYTHING),
        Not(NOTHING),
        And((NOTHING,)),
        Or((EVERYTHING,)),
        And((EVERYTHING, bob)),
    ]
    return [*members, *(Not(member) for member in members), *trees, *edges]


class Filtering(StoreCases):
    """The filter grammar."""

    @case
    async def test_every_comparison_means_what_matches_says(self, store: Store) -> None:
        """Fields hold strings, numbers, booleans, lists, nothing, and values that only look alike."""
        await self._equals_matches(store, "c", TABLE, comparisons())

    @case
    async def test_and_or_not_and_in_mean_what_matches_says(self, store: Store) -> None:
        """Trees are empty, nested and negated."""
        await self._equals_matches(store, "c", TABLE, combinations())

    @case
    async def test_any_filter_means_what_matches_says(self, store: Store) -> None:
        """Random filters meet random metadata."""
        from hypothesis import strategies as st

        from ..strategies import filters, metadata

        run = count()

        async def agrees(rows: Sequence[dict[str, MetaValue]], asked: Sequence[Filter]) -> None:
            container = f"c{next(run)}"
            await self._equals_matches(store, container, rows, asked)
            await store.drop(container)

        await self.for_all(
            agrees, st.lists(metadata, min_size=1, max_size=6), st.lists(filters, min_size=1, max_size=4)
        )

    @case
    async def test_a_field_name_is_only_a_name(self, store: Store) -> None:
        """Any text is a valid name."""
        names = [name for name in ODD_NAMES if "_" not in name]
        await store.put([memory("c", f"m{n}", **{name: "here"}) for n, name in enumerate(names)])
        await self.until_searchable(store)
        for n, name in enumerate(names):
            assert await self._found(store, equals(name, "here")) == [f"m{n}"], name
            assert await self._found(store, equals(name, "there")) == [], name

    @case
    async def test_a_filter_comes_before_the_limit(self, store: Store) -> None:
        """The search returns the best matches, however many better memories do not match."""
        await store.put([memory("c", f"loud{n:03}", "dragon dragon dragon", gameDay=9) for n in range(150)])
        await store.put(
            [memory("c", f"soft{n}", f"a dragon was mentioned once, among {n} things", gameDay=1) for n in range(3)]
        )
        await self.until_searchable(store)
        hits = await store.search("c", "dragon", filter=Compare("game_day", "<=", 3), limit=3)
        assert {hit.memory.id for hit in hits} == {"soft0", "soft1", "soft2"}
        if self.enumerates is True:
            page = await store.list("c", filter=Compare("game_day", "<=", 3), limit=2, offset=1)
            assert [found.id for found in page] == ["soft1", "soft2"]

    @case
    async def test_a_filter_that_holds_for_nothing_finds_nothing(self, store: Store) -> None:
        """An empty result never widens a read."""
        await store.put([memory("c", f"m{n}", "the sword", gameDay=9) for n in range(5)])
        await self.until_searchable(store)
        for filter in (NOTHING, equals("speaker", "nobody"), Compare("game_day", "<", 9), In("type", ())):
            assert await self._found(store, filter) == []

    @case
    async def test_replacing_changes_what_a_filter_finds(self, store: Store) -> None:
        """The old metadata is gone."""
        await store.put([memory("c", "m", gameDay=1)])
        await self.until_searchable(store)
        assert await self._found(store, equals("game_day", 1)) == ["m"]
        await store.put([memory("c", "m", gameDay=2)])
        await self.until_searchable(store)
        assert await self._found(store, equals("game_day", 1)) == []
        assert await self._found(store, equals("game_day", 2)) == ["m"]

    async def _found(self, store: Store, filter: Filter) -> list[str]:
        """Ids in the container `c`, as a search finds them and as the list has them."""
        ids = [hit.memory.id for hit in await store.search("c", "the sword", filter=filter)]
        if self.enumerates is True:
            assert [each.id for each in await store.list("c", filter=filter)] == ids, filter
        return ids

    async def _equals_matches(
        self, store: Store, container: str, rows: Sequence[dict[str, MetaValue]], asked: Sequence[Filter]
    ) -> None:
        """Check the list, and a search in which all memories have the same words."""
        await store.put(
            [
                memory(container, f"m{n}", "the same words").model_copy(update={"metadata": row})
                for n, row in enumerate(rows)
            ]
        )
        await self.until_searchable(store)
        for filter in asked:
            expected = [f"m{n}" for n, row in enumerate(rows) if matches(filter, row)]
            if self.enumerates is True:
                assert [found.id for found in await store.list(container, filter=filter)] == expected, filter
            hits = await store.search(container, "the same words", filter=filter, limit=len(rows))
            assert sorted(hit.memory.id for hit in hits) == sorted(expected), filter
