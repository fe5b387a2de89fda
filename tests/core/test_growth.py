"""Twice as much takes about twice as long: sizes grow linearly, counted in steps where steps can be counted."""

import sys
from collections.abc import Callable, Iterator, Sequence
from contextlib import suppress
from typing import Any

import pytest

from earwitness import Character, Earwitness
from earwitness.backstage.who_knows import facts_among
from earwitness.end.settle import participants
from earwitness.errors import InvalidFilter
from earwitness.filters import parse
from earwitness.records.backends import TermHolders
from earwitness.records.character import Cast, as_cast
from earwitness.records.message import Message
from earwitness.records.moment import Moment
from earwitness.records.plan import Delivery
from earwitness.records.state import State, Whereabouts
from earwitness.testing.reference import MemoryLedger, MemoryStore
from earwitness_plugins.detectors.rules import RulesDetector

from ..durations import grows_at_most, least_seconds

LINEAR = 2.7
"""The most by which anything linear grows from n to 2n, with some room for noise. Quadratic growth is by 4."""


@pytest.mark.parametrize(
    "text",
    ["{}", "a{}b", "a{}=b", "a={}b{}c", "a = b{}", "a{} b{} c", "a=x and {}b", "=" * 10 + "{}", 'a="{}'],
    ids=repr,
)
def test_a_filter_is_read_in_linear_time(text: str) -> None:
    def read(size: int) -> None:
        with suppress(InvalidFilter):
            parse(text.replace("{}", " " * size))

    assert grows_at_most(LINEAR, read, 10_000, 20_000)


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
    looked_through = least_seconds(lambda: [each for each in cast if each.id == "p7"])
    assert least_seconds(lambda: cast.called("P7")) < looked_through / 5
    assert len(cast.called("everybody")) == 2_000
    assert cast.of_name("P7") == cast.of_name("p7") == cast["p7"]


def test_a_cast_is_checked_for_doubles_in_linear_time() -> None:
    members = [Character(f"p{number}") for number in range(2_000)]
    assert grows_at_most(LINEAR, lambda size: as_cast(members[:size]), 1_000, 2_000)


def calls(work: Callable[[], object]) -> int:
    """How many Python functions ran."""
    count = 0

    def counted(frame: object, event: str, argument: object) -> None:
        nonlocal count
        count += event == "call"

    sys.setprofile(counted)
    try:
        work()
    finally:
        sys.setprofile(None)
    return count


def said(speaker: str, content: str) -> Message:
    """A message of the first day."""
    return Message(
        key="#1", sequence=9, speaker=speaker, content=content, game_day=1, scene="start", timestamp="2026-11-22"
    )


def crowd(size: int) -> tuple[Cast, State]:
    """A cast of whom three are here and all others have gone."""
    cast = Cast(members=tuple(Character(f"p{number}") for number in range(size)))
    gone = {id: Whereabouts(since=1) for id in cast.ids}
    return cast, State(whereabouts={**gone, **{id: Whereabouts(place="start", here=True) for id in cast.ids[:3]}})


def test_a_message_among_few_is_judged_in_as_many_steps_however_many_have_gone() -> None:
    def judged(size: int) -> int:
        cast, state = crowd(size)
        detector, message = RulesDetector(), said("p1", "Good evening, p2.")
        moment = Moment(message=message, cast=cast, state=state, recent=(said("p2", "Hm."), said("p0", "Yes.")))
        detector.detect(moment)  # reads the cast
        steps = calls(lambda: detector.detect(moment))
        return steps + calls(lambda: participants(moment, detector.detect(moment), None, (), 0.5))

    judged(10)  # patterns are compiled once
    assert judged(2_000) < 1.1 * judged(500)


async def test_a_transcript_of_many_speakers_records_little_with_each_message() -> None:
    async def recorded(size: int) -> int:
        ledger = MemoryLedger()
        async with Earwitness.open(ledger=ledger, store=MemoryStore(), embedder="none") as ew:
            story = await ew.session("s", cast=[f"p{number}" for number in range(size)])
            said = [{"speaker": f"p{number}", "content": f"I am number {number}."} for number in range(size)]
            await story.say_all(said)
            await story.settled()
        return sum(len(plan.model_dump_json()) for plan in (await ledger.plans("s"))[1:])

    assert await recorded(120) < LINEAR * await recorded(60)


class CountedIds(dict[str, tuple[str, ...]]):
    """Term → ids. Counts the terms that are looked at one after the other."""

    looked_at = 0

    def __iter__(self) -> Iterator[str]:
        for term in super().__iter__():
            self.looked_at += 1
            yield term

    def items(self) -> Any:
        return ((term, self[term]) for term in self)

    def values(self) -> Any:
        return (self[term] for term in self)


def test_each_word_of_a_question_is_looked_at_once_however_many_memories_hold_another() -> None:
    question = " ".join(f"word{number}x" for number in range(200))
    ids = CountedIds({word: (f"m{word}", "all") for word in question.split()})
    facts = facts_among(TermHolders.unchecked({"count": 201, "ids": ids}), question)
    assert facts.ids == ["all"]
    assert ids.looked_at <= 3 * 200
