"""No text costs core more than its length, and long ones are read on a thread where a strategy asks for that."""

from __future__ import annotations

import threading
import time
from collections.abc import Awaitable, Callable

import pytest

from earwitness import Moment, Presence, Session
from earwitness.formats import as_said, harmless, harmless_block
from earwitness.redaction import redacted

LENGTH = 64_000
SECONDS = 1.0
"""Each takes some milliseconds; where it was quadratic, it took from seconds to minutes."""
ATTACKS = [
    "<",
    "< ",
    "[",
    "[ ",
    "<think ",
    "<think '",
    "&lt;think x ",
    "◁think x ",
    "<think" + " " * 500,
    "<think>",
    "</think>",
    "[/think]",
    "<|channel|>analysis ",
    "< earwitness-memories",
    "<" + " " * 500,
    "###SUPERMEMORY",
    "\u3164",
    "x" * 500,
    "a.b-c",
    "a=",
    "://a:",
]


@pytest.mark.parametrize("unit", ATTACKS)
@pytest.mark.parametrize("end", ["", "think", "x", " earwitness-memories"])
def test_no_text_costs_more_than_its_length(unit: str, end: str) -> None:
    text = unit * (LENGTH // len(unit)) + end
    for function in (as_said, harmless, harmless_block, lambda each: redacted({"x": each})):
        started = time.process_time()
        function(text)
        assert time.process_time() - started < SECONDS


@pytest.mark.parametrize(("blanks", "ends"), [("< ", "think>"), ("[ ", "/think]"), ("<think ", ">")])
def test_blanks_within_a_tag_cost_no_more_than_their_number(blanks: str, ends: str) -> None:
    started = time.process_time()
    as_said(f"{blanks}{' ' * LENGTH}x{ends} thinking")
    assert time.process_time() - started < SECONDS


class Threads:
    """Notes on which thread it is asked."""

    thread_from = 1_000

    def __init__(self) -> None:
        self.seen: list[int] = []

    def detect(self, moment: Moment) -> Presence:
        self.seen.append(threading.get_ident())
        return Presence.only(moment.message.speaker)


async def test_a_strategy_may_ask_for_a_thread_for_long_messages(
    begin: Callable[..., Awaitable[Session]],
) -> None:
    detector = Threads()
    story = await begin(detector=detector)
    for words in ("Hello.", "x" * 1_000):
        await (await story.say("alice", words)).settled()
    assert [each == threading.get_ident() for each in detector.seen] == [True, False]
