"""The detector `rules`: how people speak, write and think for some only, as lines of private scenes show it."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from typing import Any

import pytest

from earwitness.records.character import Character

from .test_exchanges import exchange_counts
from .written_exchanges import PRIVATE_LINES, exchanges

Begin = Callable[..., Any]
HERE = ("alice", "bob", "charlie")
AT_MOST = 10
"""So many messages of the scenes may leak something private. Before: 27 of 81, counted once before they were read."""


async def test_private_lines_stay_private() -> None:
    counts: Counter[str] = Counter()
    for scene in exchanges(PRIVATE_LINES):
        counts += await exchange_counts(scene)
    assert counts["messages"] == 81
    assert counts["leaking"] <= AT_MOST, counts


@pytest.mark.parametrize(
    "direction",
    [
        "*reaches for the salt and, in passing, close by Bob's cheek:*",
        "*in Bob's head, the way only twins can*",
        "*traces on Bob's palm:*",
        "*taps in Morse code on Bob's arm*",
    ],
)
def test_what_is_close_or_in_a_head_or_on_a_palm_is_for_that_one(story: Begin, direction: str) -> None:
    secret = "The well is poisoned."
    heard = story(here=HERE).hears("alice", f"{direction} {secret}")
    assert secret in heard["bob"]
    assert secret not in heard.get("charlie", "")


def test_a_tongue_that_only_one_other_speaks_is_heard_by_nobody_else(story: Begin) -> None:
    text = "(in thieves' cant, she's the only other one who speaks it) Why me in front?"
    assert "charlie" not in story(here=HERE).say("alice", text)


def test_what_it_said_on_a_paper_that_was_passed_is_read_by_whom_it_was_passed_to(story: Begin) -> None:
    text = 'She slid Bob a note. "Tonight," it said. "More tea?" she asked.'
    heard = story(here=HERE).hears("alice", text)
    assert "Tonight" in heard["bob"]
    assert "Tonight" not in heard["charlie"]
    assert "More tea?" in heard["charlie"]


def test_what_a_message_says_that_lights_up_a_screen_is_not_said(story: Begin) -> None:
    heard = story(here=HERE).hears("alice", 'Alice\'s message lit up the screen. "Burn it." She smiled.')
    assert not any("Burn" in part for part in heard.values())


@pytest.mark.parametrize(
    ("text", "thought", "said"),
    [
        ('*watches and decides, there and then, that he must not know* "Hello."', "must not", "Hello"),
        ('"Then without." Her heart was going like a mill.', "heart", "Then without"),
        ("„Noch Kuchen?“ Ihr haltet mich wohl für taub.", "taub", "Noch Kuchen"),
        ("We'd love to, he agreed, hating her.", "hating", "love to"),
        ("Are you coming? Alice asked them both, praying for a no.", "praying", "Are you coming"),
    ],
)
def test_what_goes_on_in_a_mind_beside_what_is_said(story: Begin, text: str, thought: str, said: str) -> None:
    heard = story(here=HERE).hears("alice", text)
    assert all(said in heard[id] and thought not in heard[id] for id in ("bob", "charlie"))


def test_what_is_asked_in_prose_without_quotes_is_heard(story: Begin) -> None:
    text = "Is that door really soundproof? Alice asked."
    assert story(here=HERE).hears("alice", text) == {"bob": text, "charlie": text}


@pytest.mark.parametrize(
    ("aside", "heard"), [("(返す気なんてないけど)", False), ("(笑う)", True), ("(ため息をつく)", True)]
)
def test_brackets_that_hold_a_sentence_are_a_thought_in_japanese_too(story: Begin, aside: str, heard: bool) -> None:
    cast = [Character("alice", name="ソウタ"), Character("bob", name="ハルカ")]
    part = story(cast=cast, here=("alice", "bob")).hears("alice", f"「明日までに返すよ」{aside}")["bob"]
    assert "明日までに返すよ" in part
    assert (aside in part) == heard


def test_whoever_agrees_in_a_chat_is_heard(story: Begin) -> None:
    text = "A unique perspective, Bob! I agree, first impressions can often pave the way for more."
    assert story(here=HERE).hears("alice", text) == {"bob": text, "charlie": text}
