"""No text costs more than its length: 10,000 characters never take the seconds that a second look at each would."""

import asyncio
import string
import time
from collections.abc import Callable

import pytest

from earwitness import Earwitness
from earwitness.records.character import Character, as_cast
from earwitness.records.message import Message
from earwitness.records.moment import Moment
from earwitness.records.state import State, Whereabouts
from earwitness_plugins.detectors.rules import RulesDetector

from ...durations import ever_below, grows_at_most

LENGTH = 10_000
SECONDS = 1.5
CAST = as_cast([*map(Character, ("alice", "bob", "charlie", "dan", "eve")), Character("narrator", kind="narrator")])
MARKS = [
    *(f"{mark} " for mark in string.punctuation + "“”«»„「」『』’‘…—–\n\t\uff08\uff09\uff0a"),
    *"*'-.(_ ",
    "!a",
    "--",
]
DIRECTIONS = [
    "Enter ",
    "Exit ",
    "Exeunt ",
    "Exeunt all but ",
    "all but ",
    "Here enters ",
    "They remain ",
    "he stays ",
    "and ",
    "then ",
    "The others ",
    "is in attendance ",
    "accompanied by ",
    "wife of ",
    "' ",
    "but ",
    "save ",
    "within ",
]
PROSE = [
    "Bob ",
    "Bob's ",
    "Bob and ",
    "to Bob ",
    "(to Bob) ",
    "only ",
    "leaving only ",
    "leaves ",
    "enters ",
    "awakens ",
    "dies ",
    "he said ",
    "she thinks ",
    "says quietly ",
    "told Bob ",
    "in a whisper ",
    "hisses at ",
    "aside ",
    ", aside ",
    "goes to the ",
    "reads: ",
    "they all ",
    "the rest ",
    "both ",
    '"Fool," I thought. ',
    "[a] ",
    "> a\n",
    "```",
]


def reading(text: str, speaker: str, *, played: bool) -> Callable[[], object]:
    places = {id: Whereabouts(place="tavern", here=True, since=1) for id in ("alice", "bob", "dan")}
    places |= {"narrator": Whereabouts(place="wings")} if played else {}
    message = Message(
        key="m", sequence=3, speaker=speaker, content=text, game_day=1, scene="tavern", timestamp="2026-01-01T12:00:00Z"
    )
    moment = Moment(message=message, cast=CAST, state=State(current_scene="tavern", whereabouts=places))
    return lambda: RulesDetector().detect(moment)


@pytest.mark.parametrize("filler", [*MARKS, *DIRECTIONS, *PROSE])
def test_a_long_text_of_one_thing_over_and_over_is_read_at_once(filler: str) -> None:
    text = filler * (LENGTH // len(filler))
    assert ever_below(SECONDS, reading(text, "alice", played=False))
    assert ever_below(SECONDS, reading(f"*{text}", "alice", played=True))
    assert ever_below(SECONDS, reading(text, "narrator", played=False))
    assert ever_below(SECONDS, reading(text, "narrator", played=True))


ATTACKS = [
    ("", "Bob x ", "enters"),
    ("*", "Bob x ", "enters*"),
    ("", "said Bob x ", "enters"),
    ("(", "only ", "x Bob enters)"),
    ("*Bob ", "finally ", "x falls asleep*"),
    ('"No." She thought ', "suddenly ", "x"),
    ("", "the others leave Bob ", ""),
    ("", "he leaves Bob ", ""),
    ("all but Bob leave ", "but Bob leave ", ""),
    ("", "([]", "endthecall"),
    ("", "[I lie] *nods* ", ""),
]
"""Texts that took more than their length once: the square of it, or for ever."""


@pytest.mark.parametrize(("head", "unit", "tail"), ATTACKS)
def test_a_text_twice_as_long_takes_about_twice_as_long(head: str, unit: str, tail: str) -> None:
    for speaker in ("alice", "narrator"):

        def read(length: int, speaker: str = speaker) -> None:
            reading(head + unit * (length // len(unit)) + tail, speaker, played=False)()

        assert grows_at_most(3.2, read, 6_000, 12_000, least=0.015)


async def test_the_loop_goes_on_while_a_long_text_is_read() -> None:
    longest = LoopWatch()
    async with Earwitness.open(":memory:", embedder="none") as ew:
        story = await ew.session("s1", cast=["alice", "bob"], present=["alice", "bob"])
        await (await story.say("bob", "Hello.")).settled()
        with longest:
            text = "Bob picks up the sword and tells Alice that it is hers. " * (64_000 // 56)
            await (await story.say("alice", text)).settled()
    assert longest.seconds < 0.15  # 0.05 is promised; a busy machine is slower


class LoopWatch:
    """Measures the longest time of the thread that one step of the event loop takes."""

    def __init__(self) -> None:
        self.seconds = 0.0
        self._run = asyncio.Handle._run

    def __enter__(self) -> None:
        def run(handle: asyncio.Handle) -> None:
            started = time.thread_time()
            self._run(handle)
            self.seconds = max(self.seconds, time.thread_time() - started)

        asyncio.Handle._run = run  # type: ignore[method-assign]

    def __exit__(self, *_: object) -> None:
        asyncio.Handle._run = self._run  # type: ignore[method-assign]
