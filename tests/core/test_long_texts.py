"""No text costs core more than its length, and long ones are read on a thread where a strategy asks for that."""

from __future__ import annotations

import threading
from collections.abc import Awaitable, Callable
from functools import partial
from typing import Any

import pytest

from earwitness import Earwitness, Moment, Presence, Session, words
from earwitness.formats import as_said, harmless, harmless_block
from earwitness.long_texts import LONG
from earwitness.redaction import redacted
from earwitness_plugins.embedders.static import StaticEmbedder

from ..durations import ever_below

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
        assert ever_below(SECONDS, partial(function, text))


@pytest.mark.parametrize(("blanks", "ends"), [("< ", "think>"), ("[ ", "/think]"), ("<think ", ">")])
def test_blanks_within_a_tag_cost_no_more_than_their_number(blanks: str, ends: str) -> None:
    assert ever_below(SECONDS, lambda: as_said(f"{blanks}{' ' * LENGTH}x{ends} thinking"))


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
    for said in ("Hello.", "x" * 1_000):
        await (await story.say("alice", said)).settled()
    assert [each == threading.get_ident() for each in detector.seen] == [True, False]


async def test_a_strategy_may_ask_for_a_thread_for_each_message(begin: Callable[..., Awaitable[Session]]) -> None:
    class Asking(Threads):
        def on_thread(self, moment: Moment) -> bool:
            return "slow" in moment.message.content

    detector = Asking()
    story = await begin(detector=detector)
    for said in ("Hello.", "This is slow.", "Bye."):
        await (await story.say("alice", said)).settled()
    assert [each == threading.get_ident() for each in detector.seen] == [True, False, True]


HOSTILE = [
    "\ufdfa",
    "\ufdfa ",
    "漢字仮名交じり文",
    "\u1100\u1161\u11a8",
    "a\u0301\u0302 ",
    "мечта ",
    "It is hers. ",
    "x",
]
"""Texts of which a few thousand characters take long to be cut into words and tokens."""


class OnTheLoop:
    """Notes the length of the longest text that is read on the thread of the event loop."""

    def __init__(self) -> None:
        self.longest = 0
        self._thread = threading.get_ident()

    def reading(self, function: Callable[..., Any], text: Callable[..., str]) -> Callable[..., Any]:
        def noted(*arguments: Any) -> Any:
            if threading.get_ident() == self._thread:
                self.longest = max(self.longest, len(text(*arguments)))
            return function(*arguments)

        return noted


@pytest.mark.parametrize("unit", HOSTILE)
async def test_no_long_text_is_cut_into_words_or_embedded_on_the_loop(
    unit: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    text = unit * (3 * LONG // len(unit))
    noted = OnTheLoop()
    monkeypatch.setattr(words, "words", noted.reading(words.words, lambda text: text))
    monkeypatch.setattr(
        StaticEmbedder, "embed", noted.reading(StaticEmbedder.embed, lambda _, texts: max(texts, key=len))
    )
    async with Earwitness.open(":memory:") as ew:
        story = await ew.session("s1", cast=["alice", "bob"], present=["alice", "bob"])
        await (await story.say("bob", "This is the sword.", key="sword")).settled()
        await story.turn("alice", query=text)
        await (await story.say("bob", text)).settled()
        await story.turn("alice", token_budget=100)
        await (await story.remember("alice", text)).settled()
        await story.backstage().search("alice", text)
        await story.backstage().preview("alice", text)
        await story.backstage().who_knows("the sword")
        await story.backstage().who_knows(text)
    assert 0 < noted.longest <= LONG
