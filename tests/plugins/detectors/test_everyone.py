"""The detector `everyone`: the baseline without secrets."""

from collections.abc import Callable
from typing import Any

from earwitness_plugins.detectors.everyone import Everyone


def test_the_whole_cast_perceives_even_a_whisper(story: Callable[..., Any]) -> None:
    tavern = story(detector=Everyone(), here=["alice"], away=["bob"])
    assert tavern.say("alice", '*whispers to Bob* "Now!"') == {"alice", "bob", "charlie", "narrator"}


def test_nobody_moves(story: Callable[..., Any]) -> None:
    assert story(detector=Everyone()).judge("alice", "*leaves the room*").movements == ()


def test_the_speaker_is_the_speaker(story: Callable[..., Any]) -> None:
    presence = story(detector=Everyone()).judge("bob", "Hello.")
    assert {id: who.role for id, who in presence.characters.items()} == {
        "alice": "present",
        "bob": "speaker",
        "charlie": "present",
        "narrator": "present",
    }
