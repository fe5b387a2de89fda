"""Places as paths: who hears what from a place to those that hold it, and to those it holds."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from earwitness.records.character import Character
from earwitness_plugins.detectors.places import Places
from earwitness_plugins.detectors.rules import RulesDetector

Begin = Callable[..., Any]
CAST = ("alice", "bob", "cook", "guard", "maid", "page", Character("voice", kind="narrator"))
AROUND = {"cook": "castle/kitchen/pantry", "guard": "castle", "maid": "castle/hall", "page": "inn"}


@pytest.fixture
def kitchen(story: Begin) -> Any:
    """Alice and Bob in the castle's kitchen, the cook in its pantry, the guard in the castle, others elsewhere."""
    return story(cast=CAST, here=["alice", "bob"], places=AROUND, scene="castle/kitchen")


SHOUTS = [
    "HELP!",
    '"HELP! FIRE!"',
    "*shouts* Help!",
    "*waves her arms, screaming* Help!",
    '"Help!" she yells.',
    '"Help!" Alice loudly screamed.',
]
NO_SHOUTS = [
    "Help!",
    "OK!",
    "I was told that the FBI is here!",
    "HELP is what we need",
    "*screams inwardly* Fine.",
    "*screams in her head* Fine.",
    "*hears somebody scream* What was that?",
    "*covers her ears at the screams* What was that?",
    "*does not shout* Help!",
    '"They will shout at us," she says.',
    '"HELP!" she writes. "Or so it says."',
    "(whispers to Bob) HELP!",
    "[HELP!]",
]


@pytest.mark.parametrize("text", SHOUTS)
def test_a_shout_is_heard_in_the_places_around_and_within(kitchen: Any, text: str) -> None:
    assert kitchen.say("alice", text) == {"alice", "bob", "cook", "guard"}


@pytest.mark.parametrize("text", NO_SHOUTS)
def test_what_is_not_shouted_stays_in_its_place(kitchen: Any, text: str) -> None:
    assert kitchen.say("alice", text) <= {"alice", "bob"}


def test_a_shout_from_the_place_around_is_heard_within_it(kitchen: Any) -> None:
    assert kitchen.say("guard", "*shouts* Open the gate!") == {"guard", "alice", "bob", "cook", "maid"}


def test_whoever_is_in_the_same_place_apart_hears_everything(story: Begin) -> None:
    castle = story(cast=CAST, here=["alice"], places={**AROUND, "bob": "castle/hall"}, scene="castle/kitchen")
    assert castle.say("maid", "Good evening.") == {"maid", "bob"}


def test_of_a_shout_only_the_words_are_heard_elsewhere(kitchen: Any) -> None:
    heard = kitchen.hears("alice", '*whispers to Bob* "Hide." *picks up the poker and shouts* "GUARDS!"')
    assert heard["bob"].startswith("*whispers")
    assert "GUARDS" in heard["guard"]
    assert "Hide" not in heard["guard"]
    assert "poker" not in kitchen.hears("alice", '*picks up the poker* "GUARDS!"')["cook"]


def test_who_sleeps_or_is_far_away_hears_no_shout(kitchen: Any) -> None:
    kitchen.say("voice", "In the pantry, the cook falls asleep.")
    assert "page" not in kitchen.say("alice", "HELP!")


def test_nobody_comes_because_they_hear_a_shout(kitchen: Any) -> None:
    before = kitchen.state.whereabouts
    kitchen.say("alice", "GUARD! HELP!")
    assert {id: kitchen.state.whereabouts[id].place for id in AROUND} == {id: before[id].place for id in AROUND}


def test_how_far_open_speech_carries_is_a_setting(story: Begin) -> None:
    def there(earshot: int) -> Any:
        detector = RulesDetector(earshot=earshot)
        return story(cast=CAST, here=["alice", "bob"], places=AROUND, scene="castle/kitchen", detector=detector)

    assert there(0).say("alice", "Good evening.") == {"alice", "bob"}
    assert there(1).say("alice", "Good evening.") == {"alice", "bob", "cook", "guard"}
    assert there(1).say("cook", "Good evening.") == {"cook", "alice", "bob"}
    assert there(2).say("cook", "Good evening.") == {"cook", "alice", "bob", "guard"}
    assert there(2).say("alice", "(whispers to Bob) Hush.") == {"alice", "bob"}


def test_a_place_may_be_told_by_its_last_part(kitchen: Any) -> None:
    kitchen.say("bob", "*goes into the pantry*")
    assert kitchen.state.whereabouts["bob"].place == "castle/kitchen/pantry"
    assert kitchen.say("cook", "Who is there?") == {"cook", "bob"}
    kitchen.say("cook", "*goes back to the kitchen*")
    assert kitchen.say("alice", "There you are.") == {"alice", "cook"}


def test_the_detector_of_places_hears_shouts_and_takes_the_setting(story: Begin) -> None:
    def there(earshot: int) -> Any:
        return story(
            cast=CAST, here=["alice", "bob"], places=AROUND, scene="castle/kitchen", detector=Places(earshot=earshot)
        )

    assert there(0).say("alice", "Good evening.") == {"alice", "bob"}
    assert there(0).say("alice", "HELP!") == {"alice", "bob", "cook", "guard"}
    assert there(1).say("cook", "Good evening.") == {"cook", "alice", "bob"}
