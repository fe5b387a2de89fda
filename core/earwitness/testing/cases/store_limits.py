"""What a store does at its limits: one clear error, nothing lost, nothing written that is not seen."""

# ruff: noqa: S101
from __future__ import annotations

from unittest import SkipTest

from ...errors import EarwitnessError
from ...filters import And, Compare, Filter, In, Not, Or, equals, matches
from ...protocols import Store
from ...records.memory import Memory
from ..samples import HOSTILE_NAMES, ODD_NAMES, WITH_NUL, memory
from ..suite import case
from .store_base import StoreCases

HELD = tuple(memory("c", f"m{n}", "the same words", speaker=f"speaker{n}", gameDay=n) for n in range(8))


def wide_and_deep() -> tuple[Filter, ...]:
    """Filters with many values, many parts, and many levels."""
    deep: Filter = equals("speaker", "speaker3")
    for level in range(40):
        deep = (
            Not(Or((deep, Compare("gameDay", ">=", 5)))) if level % 2 else And((Not(deep), equals("type", "message")))
        )
    names = tuple(f"speaker{n}" for n in range(6_000, -1, -3))
    days = [Compare("gameDay", "==", n) for n in range(1_500, -1, -2)]
    return In("speaker", names), Or(tuple(days)), Not(Or(tuple(days))), And(tuple(Not(day) for day in days[:-1])), deep


class StoreLimits(StoreCases):
    """Sizes, names and filters that a store may refuse."""

    @case
    async def test_a_filter_of_any_size_means_what_matches_says(self, store: Store) -> None:
        """Thousands of values, hundreds of parts, forty levels. Refusing is fine with `wide_filters`."""
        await store.put(HELD)
        await self.until_searchable(store)
        for number, filter in enumerate(wide_and_deep()):
            expected = [each.id for each in HELD if matches(filter, each.metadata)]
            try:
                hits = await store.search("c", "the same words", filter=filter, limit=len(HELD))
            except EarwitnessError:
                assert self.wide_filters is not True, f"filter {number} was refused"
                continue
            assert sorted(hit.memory.id for hit in hits) == expected, number
            if self.enumerates is True:
                assert [each.id for each in await store.list("c", filter=filter)] == expected, number

    @case
    async def test_a_text_that_is_too_long_is_refused_by_name(self, store: Store) -> None:
        """The error names the memory. Nothing is lost, what was written of the batch is seen, and the rest can be."""
        if self.most_characters is None:
            raise SkipTest(f"{type(self).__name__}.most_characters: it takes contents of any length")
        longest = memory("c", "longest", "x" * self.most_characters)
        too_long = memory("c", "too-long", "x" * (self.most_characters + 1))
        new = [memory("c", "before"), memory("d", "elsewhere")]
        await store.put([longest])
        assert await self.refused(store, [*new, too_long, memory("c", "after")], "too-long"), "it was not refused"
        await self._is_sound(store, [longest, memory("c", "before"), memory("c", "after")], at_least=1)
        await self._is_sound(store, [memory("d", "elsewhere")])
        assert await self.refused(store, [too_long.model_copy(update={"id": "longest"})], "longest")
        assert list(await store.get("c", ["longest"])) == [longest]
        await store.put(new)
        assert await self.size(store, "d", ["elsewhere"]) == 1

    @case
    async def test_a_name_that_is_not_taken_is_refused_and_quoted(self, store: Store) -> None:
        """It is never cut or changed. The rest of the batch is written wholly or not at all, if the store is atomic."""
        refused = [name for name in (*ODD_NAMES, *HOSTILE_NAMES) if not self.takes_name(name)]
        if not refused:
            raise SkipTest(f"{type(self).__name__}.takes_name: it takes any name")
        await store.put([memory("c", "m")])
        for name in refused:
            assert await self.refused(store, [memory("c", "n"), memory(name, "m")], name), f"{name!r} was taken"
            await self._is_sound(store, [memory("c", "m"), memory("c", "n")], at_least=1)

    @case
    async def test_nul_is_kept_or_refused_and_cuts_nothing(self, store: Store) -> None:
        """In the name of a container or memory, or in a text: a name does not end there."""
        await store.put([memory("s1-b", "s1-b", "the sword")])
        for name in WITH_NUL:
            in_container, as_id = memory(name, "s1-b", "other words"), memory("s1-b", name, "other words")
            as_text = memory("s1-b", "text", f"words {name} words", location=name)
            for written in (in_container, as_id, as_text):
                if not await self.refused(store, [written], name if written is not as_text else "text"):
                    assert list(await store.get(written.container, [written.id])) == [written]
                    await store.remove({written.container: [written.id]})
                assert await self.contents(store, "s1-b", ["s1-b"]) == [memory("s1-b", "s1-b", "the sword")]

    async def _is_sound(self, store: Store, may_hold: list[Memory], *, at_least: int = 0) -> None:
        """The container holds the first `at_least` of these, perhaps more of them if the store is not atomic."""
        container = may_hold[0].container
        found = await self.contents(store, container, [each.id for each in may_hold])
        assert may_hold[:at_least] == found[:at_least]
        assert len(found) == at_least if self.atomic is True else all(each in may_hold for each in found)
        assert await self.size(store, container, [each.id for each in may_hold]) == len(found)
