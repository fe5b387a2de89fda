"""Twice as much takes about twice as long: sizes grow linearly, counted in steps where steps can be counted."""

from collections.abc import Callable, Sequence
from contextlib import suppress
from time import perf_counter
from typing import Any

import pytest

from earwitness import Character, Earwitness
from earwitness.errors import InvalidFilter
from earwitness.filters import parse
from earwitness.records.character import Cast, as_cast
from earwitness.records.plan import Delivery
from earwitness.testing.reference import MemoryLedger, MemoryStore

LINEAR = 2.7
"""The most by which anything linear grows from n to 2n, with some room for noise. Quadratic growth is by 4."""


def seconds(work: Callable[[], object]) -> float:
    """The least time of several runs."""
    found = []
    for _ in range(7):
        began = perf_counter()
        work()
        found.append(perf_counter() - began)
    return min(found)


@pytest.mark.parametrize(
    "text",
    ["{}", "a{}b", "a{}=b", "a={}b{}c", "a = b{}", "a{} b{} c", "a=x and {}b", "=" * 10 + "{}", 'a="{}'],
    ids=repr,
)
def test_a_filter_is_read_in_linear_time(text: str) -> None:
    def read(size: int) -> None:
        with suppress(InvalidFilter):
            parse(text.replace("{}", " " * size))

    assert seconds(lambda: read(20_000)) < LINEAR * seconds(lambda: read(10_000)) + 0.002


class CountingLedger(MemoryLedger):
    """Counts the deliveries that it was asked for."""

    read = 0

    async def deliveries(self, session: str, **conditions: Any) -> Sequence[Delivery]:
        found = await super().deliveries(session, **conditions)
        self.read += len(found)
        return found


async def test_a_lorebook_that_changed_is_prepared_by_reading_each_entry_a_few_times() -> None:
    async def read(size: int) -> int:
        ledger = CountingLedger()
        async with Earwitness.open(ledger=ledger, store=MemoryStore(), detector="everyone", embedder="none") as ew:
            story = await ew.session("s", cast=["alice"])
            for version in (1, 2):
                ledger.read = 0
                lore = [{"text": f"Fact {number}, {version}", "key": f"k{number}"} for number in range(size)]
                await (await story.prepare(lore=lore)).settled()
        return ledger.read

    assert await read(80) < LINEAR * await read(40)


def test_a_name_is_found_in_a_cast_without_looking_at_everybody() -> None:
    cast = Cast(members=tuple(Character(f"p{number}", aliases=["Everybody"]) for number in range(2_000)))
    assert cast.called("p7") == (cast["p7"],)
    cast.called("everybody")
    assert seconds(lambda: cast.called("P7")) < seconds(lambda: [each for each in cast if each.id == "p7"]) / 5
    assert len(cast.called("everybody")) == 2_000
    assert cast.of_name("P7") == cast.of_name("p7") == cast["p7"]


def test_a_cast_is_checked_for_doubles_in_linear_time() -> None:
    def check(size: int) -> Callable[[], object]:
        ids = [f"p{number}" for number in range(size)]
        members = [Character(id) for id in ids]
        return lambda: as_cast(members)

    assert seconds(check(2_000)) < LINEAR * seconds(check(1_000)) + 0.002
