"""Lines that say before their text for whom alone it is, or that it is thought."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from ...durations import ever_below

Begin = Callable[..., Any]

HERE = ["alice", "bob", "charlie"]


@pytest.mark.parametrize(
    ("head", "listeners"),
    [
        ("[Alice → Bob]:", {"bob"}),
        ("[Alice -> Bob, Charlie]:", {"bob", "charlie"}),
        ("[private to Bob + Charlie]", {"bob", "charlie"}),
        ("[Alice → Bob, private channel]:", {"bob"}),
        ("DM to Bob:", {"bob"}),
        ("(sends only to Bob:)", {"bob"}),
        ("Alice: /p Bob", {"bob"}),
        ("[ALICE to BOB, mouthing]:", {"bob"}),
        ("Alice (V.O.):", set()),
        ("Alice (inner):", set()),
        ("Alice (denkt):", set()),
        ("アリス\uff08心の声\uff09\uff1a", set()),
        ("[THOUGHT PROCESS]", set()),
        ("**Reasoning (hidden):**", set()),
        ("***Internally:***", set()),
        ("((thoughts))", set()),
        ("{inner voice}", set()),
        ("*Alice's private log, day four.*", set()),
        ("Alice's log, private, eyes only:", set()),
        ("note to self!!", set()),
        ("what alice really thinks:", set()),
        ("he doesn't say:", set()),
        ("Alice's brain:", set()),
    ],
)
def test_a_line_is_for_those_whom_its_head_names(story: Begin, head: str, listeners: set[str]) -> None:
    heard = story(here=HERE).hears("alice", f"{head} the gold is in the well.\nAlice: Good evening!")
    assert {id for id in HERE if "gold" in heard.get(id, "") and id != "alice"} == listeners
    assert all("evening" in heard[id] for id in ("bob", "charlie"))


def test_a_mere_label_holds_for_the_lines_below_it(story: Begin) -> None:
    text = "**Reasoning (hidden):**\n- the gold is in the well\n- do not tell them of the gold\n\nGood evening, all!"
    heard = story(here=HERE).hears("alice", text)
    assert all("gold" not in heard[id] and "evening" in heard[id] for id in ("bob", "charlie"))


def test_a_voice_over_of_a_script_is_heard_by_nobody(story: Begin) -> None:
    text = "ALICE\n(to the room)\nGood evening!\n\nALICE (V.O.)\nThe gold was gone.\n\nBOB laughs."
    heard = story(here=HERE).hears("alice", text)
    assert all("gold" not in heard[id] and "evening" in heard[id] for id in ("bob", "charlie"))


def test_what_is_signed_as_a_thought_is_one_as_a_whole(story: Begin) -> None:
    assert story(here=HERE).hears("alice", "The gold is mine.\n\n(inner thoughts, Alice the stone angel)") == {}


def test_a_direction_ends_with_the_line_of_a_script(story: Begin) -> None:
    heard = story(here=HERE).hears("alice", "Alice: (whispers to Bob) The gold!\nAlice: Good evening!")
    assert "gold" in heard["bob"]
    assert "gold" not in heard["charlie"]
    assert "evening" in heard["charlie"]


@pytest.mark.parametrize(
    "text",
    [
        "[Alice → all]: the gold is in the well.",
        "@everyone the gold is in the well.",
        "Alice: the gold is in the well.",
        "[Docks → Tavern]: the gold is in the well.",
        "Reasons: the gold is in the well.",
        "[Inner Courtyard, Night]\nThe gold is in the well.",
        "**Mental Hospital, Ward B**\nThe gold is in the well.",
        "[Internal Affairs, third floor] the gold is in the well.",
        "[ALICE holds up one fist.]\nALICE: the gold is in the well.",
    ],
)
def test_what_is_for_everybody_reaches_everybody(story: Begin, text: str) -> None:
    heard = story(here=HERE).hears("alice", text)
    assert all("gold" in heard[id] for id in ("bob", "charlie"))


@pytest.mark.parametrize("piece", ["a line of text\n", "[Alice → Bob]: hello\n", "Alice: hello\n", "[Alice → "])
def test_many_lines_are_soon_read(story: Begin, piece: str) -> None:
    assert ever_below(2, lambda: story(here=HERE).hears("alice", f"[THOUGHT PROCESS]\n{piece * 1500}"))
