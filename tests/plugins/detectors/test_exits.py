"""Exits and entrances named otherwise: all but one, the others, they, she, by title, by epithet, one with another."""

from collections.abc import Callable
from typing import Any

import pytest

from earwitness.records.character import Character

Begin = Callable[..., Any]
CAST = (
    "alice",
    "bob",
    "charlie",
    Character("elin", name="Queen Elin"),
    Character("tom", name="Tom Harker", aliases=["the smith"]),
    Character("narrator", kind="narrator"),
)
HERE = ("alice", "bob", "charlie", "elin", "tom")


def gone(story: Begin, *told: tuple[str, str]) -> set[str]:
    """Who has left a hall with all five in it, after this was told."""
    hall = story(cast=CAST, here=HERE)
    for speaker, text in told:
        hall.say(speaker, text)
    return set(HERE) - hall.present


@pytest.mark.parametrize(
    ("text", "left"),
    [
        ("All but Bob leave.", {"alice", "charlie", "elin", "tom"}),
        ("They all leave except Bob and the queen.", {"alice", "charlie", "tom"}),
        ("Everyone except Charlie leaves the hall.", {"alice", "bob", "elin", "tom"}),
        ("Exeunt.", set(HERE)),
        ("They go out.", set()),
        ("Bob withdraws.", {"bob"}),
        ("Bob retires for the night.", {"bob"}),
        ("Bob excuses himself.", {"bob"}),
        ("Bob bows out, and Charlie takes his leave.", {"bob", "charlie"}),
        ("Bob exits with Charlie.", {"bob", "charlie"}),
        ("Bob departs, followed by Charlie.", {"bob", "charlie"}),
        ("Bob leaves. Charlie follows.", {"bob", "charlie"}),
        ("Bob follows Charlie out.", {"bob"}),
        ("Bob leads Charlie away.", {"bob", "charlie"}),
        ("Bob ushers Charlie out.", {"charlie"}),
        ("Bob stays. The others leave.", {"alice", "charlie", "elin", "tom"}),
        ("Bob and Charlie stay behind while the others go out.", {"alice", "elin", "tom"}),
        ("Only Bob remains.", {"alice", "charlie", "elin", "tom"}),
        ("Bob storms out, leaving only Charlie.", {"alice", "bob", "elin", "tom"}),
        ("The Queen withdraws.", {"elin"}),
        ("The queen leaves with the smith.", {"elin", "tom"}),
        ("The smith storms out.", {"tom"}),
        ("Bob and Charlie argue. They leave.", {"bob", "charlie"}),
        ("Bob and Charlie argue. Both leave.", {"bob", "charlie"}),
        ("Bob nods. He leaves.", {"bob"}),
        ("Bob looks at the queen. She leaves.", {"elin"}),
        ("Queen Elin speaks with Bob. He leaves.", {"bob"}),
        ("Bob greets Queen Elin. Then she withdraws.", {"elin"}),
    ],
)
def test_who_leaves_is_understood_however_it_is_told(story: Begin, text: str, left: set[str]) -> None:
    assert gone(story, ("narrator", text)) == left


@pytest.mark.parametrize(
    "text",
    [
        "Bob withdraws his hand.",
        "Bob withdraws to the corner.",
        "Bob takes his hat off.",
        "Bob carries the tray out.",
        "Bob leads the way.",
        "Bob drives Charlie mad.",
        "Bob follows the story closely.",
        "Charlie follows.",
        "Only Bob remains calm.",
        "If only Bob remains, all is lost.",
        "The others leave their coats on.",
        "The others leave.",
        "The gold is gone.",
        "Bob's patience is gone.",
        "Bob and Charlie argue. He leaves.",
        "Both leave.",
        "Bob hopes that the others leave.",
        "Bob does not withdraw.",
        "Bob is about to excuse himself.",
        "A queen leaves more behind than gold.",
    ],
)
def test_who_goes_nowhere_or_cannot_be_told_apart_stays(story: Begin, text: str) -> None:
    assert gone(story, ("narrator", text)) == set()


def test_who_tells_that_the_others_leave_stays(story: Begin) -> None:
    assert gone(story, ("alice", "*The others leave.*")) == {"bob", "charlie", "elin", "tom"}
    assert gone(story, ("alice", "*nods to Bob. She leaves.*")) == {"alice"}
    assert gone(story, ("alice", "*Bob nods. He leaves.*")) == {"bob"}


def test_she_may_be_whom_the_message_before_told_of(story: Begin) -> None:
    assert gone(story, ("narrator", "The queen rises."), ("narrator", "She leaves.")) == {"elin"}
    assert gone(story, ("narrator", "Bob looks at the queen."), ("narrator", "She leaves.")) == {"elin"}
    assert gone(story, ("narrator", "Bob looks at the queen."), ("narrator", "He leaves.")) == {"bob"}


@pytest.mark.parametrize("frame", ['"{}"', "[{}]", "(OOC: {})", "He wrote: {}", "*dreams that {}*"])
@pytest.mark.parametrize("text", ["All but Bob leave.", "The others leave.", "Only Bob remains.", "Bob withdraws."])
def test_what_is_only_said_or_thought_moves_nobody(story: Begin, frame: str, text: str) -> None:
    assert gone(story, ("alice", frame.format(text))) == set()


# ── asides ──────────────────────────────────────────────────────────────────────────────────────────────────────────


@pytest.mark.parametrize(
    "to", ["(aside to Bob)", "(aside, to Bob)", "*aside to Bob*", "(Aside to Bob:)", "[aside to Bob]"]
)
def test_an_aside_to_somebody_is_theirs_alone(story: Begin, to: str) -> None:
    said = f"{to} He cheats."
    assert story(here=["alice", "bob", "charlie"]).hears("alice", said) == {"bob": said}


@pytest.mark.parametrize("mark", ["(aside)", "*aside*", "(to herself)", "(aside, to herself)", "[aside]", "(Aside.)"])
def test_an_aside_is_the_speaker_s_alone(story: Begin, mark: str) -> None:
    assert story(here=["alice", "bob", "charlie"]).hears("alice", f"{mark} Bob is a fool.") == {}


@pytest.mark.parametrize(
    "said", ["Step aside, Bob.", "Joking aside, he is right.", "*steps aside* Go on.", "Aside from Bob, who?"]
)
def test_unmarked_text_has_no_asides(story: Begin, said: str) -> None:
    assert story(here=["alice", "bob", "charlie"]).hears("alice", said) == {"bob": said, "charlie": said}
