"""A detector loads what it needs before its first message, and the time for that counts in no limit."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Awaitable, Callable

import pytest

from earwitness import Character, Earwitness, Moment, Perceived, Presence, Session, calls
from earwitness.rehearsal import Rehearsal

LIMIT = {"detector_timeout": 0.5}
Begin = Callable[..., Awaitable[Session]]


class SlowToLoad:
    """Loads for longer than it may take to answer."""

    def __init__(self, seconds: float = 0.8) -> None:
        self.seconds, self.loaded = seconds, 0

    def warm_up(self) -> None:
        time.sleep(self.seconds)
        self.loaded += 1

    async def detect(self, moment: Moment) -> Presence:
        there = Perceived(probability=1, role="present")
        return Presence(characters=dict.fromkeys(moment.cast.ids, there))


class CannotLoad(SlowToLoad):
    def warm_up(self) -> None:
        raise SystemExit(7)


async def test_the_time_to_load_counts_in_no_limit_and_everybody_hears_the_first_message(begin: Begin) -> None:
    story = await begin(detector=SlowToLoad(), end=LIMIT)
    settled = await (await story.say("alice", "Hello, all of you.")).decided()
    assert {"bob", "charlie"} <= settled.participants.keys()
    assert not settled.degraded


async def test_it_loads_once_however_many_messages_wait_for_it(open_app: Callable[..., Awaitable[Earwitness]]) -> None:
    detector = SlowToLoad()
    ew = await open_app(detector=detector, end=LIMIT)
    stories = [await ew.session(f"s{number}", cast=["alice", "bob"]) for number in range(4)]
    said = await asyncio.gather(*(story.say("alice", "Hello.") for story in stories))
    await asyncio.gather(*(each.decided() for each in said))
    assert detector.loaded == 1


async def test_a_host_may_let_it_load_before_anybody_speaks(open_app: Callable[..., Awaitable[Earwitness]]) -> None:
    detector = SlowToLoad()
    ew = await open_app(detector=detector)
    await ew.warm_up()
    assert detector.loaded == 1
    await ew.warm_up()
    assert detector.loaded == 1


async def test_one_that_cannot_load_is_asked_all_the_same(begin: Begin) -> None:
    story = await begin(detector=CannotLoad(), end=LIMIT)
    settled = await (await story.say("alice", "Hello.")).decided()
    assert "bob" in settled.participants


async def test_one_that_loads_for_ever_is_asked_after_a_while(begin: Begin, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(calls, "WARM_UP_LIMIT", 0.05)
    story = await begin(detector=SlowToLoad(2), end=LIMIT)
    settled = await (await story.say("alice", "Hello.")).decided()
    assert "bob" in settled.participants


async def test_a_rehearsal_counts_no_loading_either() -> None:
    cast = [Character(id="alice", name="Alice"), Character(id="bob", name="Bob")]
    judged = await Rehearsal(SlowToLoad(), cast).tell("alice", "Hello, Bob.")
    assert judged.failure is None
    assert judged.seconds < 0.7
