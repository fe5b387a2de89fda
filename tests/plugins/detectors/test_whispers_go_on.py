"""The detector `rules`: a whisper that names nobody goes on the whisper before it; what is not whispered is heard."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

Begin = Callable[..., Any]
HERE = ("alice", "bob", "charlie", "dora")
SECRET = "The lamp is out."
WHISPER = ("alice", "*whispers to Bob* Come closer.")


def _hearers(story: Begin, text: str, *before: tuple[str, str], speaker: str = "alice") -> set[str]:
    """Who besides the speaker hears of the lamp."""
    tavern = story(here=HERE, cast=(*HERE, "narrator"))
    for who, line in before:
        tavern.say(who, line)
    return {id for id, heard in tavern.hears(speaker, text).items() if "lamp" in heard}


@pytest.mark.parametrize(
    "text",
    [
        f"(whispers) {SECRET}",
        f"*whispers* {SECRET}",
        f"(whispering) {SECRET}",
        f"*still whispering* {SECRET}",
        f"*goes on in a whisper* {SECRET}",
        f"*in a whisper* {SECRET}",
        f"(low) {SECRET}",
        f"*leans closer* (whispers) {SECRET}",
        '"The lamp is out," she whispers.',
    ],
)
def test_a_whisper_to_nobody_who_is_named_stays_with_whom_one_last_whispered_to(story: Begin, text: str) -> None:
    assert _hearers(story, text, WHISPER) == {"bob"}
    assert _hearers(story, text, WHISPER, ("bob", "*whispers* What is it?")) == {"bob"}
    assert _hearers(story, text, WHISPER, speaker="bob") == {"alice"}


@pytest.mark.parametrize(
    "text",
    [
        f"*whispers to Bob* Come closer. (whispers) {SECRET}",
        f"*whispers to Bob* Come closer.\n*whispers* {SECRET}",
        f'"Come closer," she whispers to Bob. (whispers) {SECRET}',
    ],
)
def test_so_it_does_within_one_message(story: Begin, text: str) -> None:
    assert _hearers(story, text) == {"bob"}


@pytest.mark.parametrize(
    "between",
    [
        ("charlie", "More wine!"),
        ("alice", "*aloud* More wine, everybody!"),
        ("bob", "*aloud* What?"),
        ("alice", "*whispers to herself* Steady."),
    ],
)
def test_it_does_not_once_somebody_spoke_up_in_between(story: Begin, between: tuple[str, str]) -> None:
    assert _hearers(story, f"(whispers) {SECRET}", WHISPER, between) == set()


def test_it_goes_to_nobody_who_was_left_out_and_to_nobody_else_who_is_named(story: Begin) -> None:
    assert _hearers(story, f"(whispers) {SECRET}", WHISPER, speaker="charlie") == set()
    assert _hearers(story, f"(whispers to Charlie) {SECRET}", WHISPER) == {"charlie"}
    assert _hearers(story, f"(whispers to herself) {SECRET}", WHISPER) == set()
    assert _hearers(story, f"(whispers) {SECRET}") == set()


@pytest.mark.parametrize(
    "direction",
    [
        "does not whisper",
        "did not even bother to whisper",
        "instead of whispering, says plainly",
        "no longer whispering",
        "stops whispering",
        "never whispers",
        "not in a whisper",
        "without whispering",
    ],
)
def test_what_is_not_whispered_is_heard_by_all(story: Begin, direction: str) -> None:
    assert _hearers(story, f"*{direction}* {SECRET}") == set(HERE) - {"alice"}
    assert _hearers(story, f"*{direction}* {SECRET}", WHISPER) == set(HERE) - {"alice"}


@pytest.mark.parametrize(
    "direction",
    [
        "whispers to Bob, not moving her lips",
        "does not look up and whispers to Bob",
        "never loud, whispers to Bob",
        "whispers to Bob, who does not whisper back",
        "does not whisper but mouths to Bob",
        "stops, whispers to Bob",
        "does not whisper to Charlie, but whispers to Bob",
        "not a sound; then, whispering to Bob",
    ],
)
def test_another_denial_leaves_a_whisper_what_it_is(story: Begin, direction: str) -> None:
    assert _hearers(story, f"*{direction}* {SECRET}") <= {"bob"}
