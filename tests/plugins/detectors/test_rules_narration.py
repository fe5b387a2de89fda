"""The detector `rules`: what a narrator tells."""

from collections.abc import Callable
from typing import Any

import pytest

from earwitness.records.character import Character
from earwitness_plugins.detectors.rules import RulesDetector

Begin = Callable[..., Any]


def test_those_here_perceive_what_is_told(story: Begin) -> None:
    assert story(here=["alice", "bob"]).say("narrator", "The fire dies down.") == {"narrator", "alice", "bob"}


def test_a_narrator_does_not_enter_the_scene_and_hears_only_what_the_host_lets_him(story: Begin) -> None:
    tavern = story(here=["alice", "bob"])
    tavern.say("narrator", "The fire dies down.")
    assert tavern.present == {"alice", "bob"}
    assert tavern.say("alice", "Brr.") == {"alice", "bob"}


def test_speaking_to_the_narrator_does_not_bring_him_into_the_scene(story: Begin) -> None:
    tavern = story(here=["alice", "bob"])
    tavern.say("alice", "Narrator, what do I see?")
    assert tavern.present == {"alice", "bob"}
    assert tavern.say("alice", "*whispers to the narrator* What now?") == {"alice", "narrator"}
    assert tavern.present == {"alice", "bob"}


def test_who_enters_perceives_the_telling_of_it_and_what_follows(story: Begin) -> None:
    tavern = story(here=["alice"], away=["bob"])
    assert tavern.say("narrator", "Enter Bob.") == {"narrator", "alice", "bob"}
    assert tavern.say("alice", "There you are.") == {"alice", "bob"}


def test_who_leaves_perceives_the_telling_of_it_and_nothing_after(story: Begin) -> None:
    tavern = story(here=["alice", "bob"])
    assert tavern.say("narrator", "Bob leaves the room.") == {"narrator", "alice", "bob"}
    assert tavern.say("alice", "Finally.") == {"alice"}


def test_exeunt_all_but_one(story: Begin) -> None:
    tavern = story(here=["alice", "bob", "charlie"])
    tavern.say("narrator", "Exeunt all but Bob.")
    assert tavern.present == {"bob"}


def test_he_exits_means_who_spoke_last(story: Begin) -> None:
    tavern = story(here=["alice", "bob"])
    tavern.say("bob", "I shall see to the horses.")
    tavern.say("narrator", "He exits.")
    assert tavern.present == {"alice"}


def test_who_is_told_of_is_not_therefore_there(story: Begin) -> None:
    tavern = story(here=["alice"], away=["charlie"])
    assert tavern.say("narrator", "Far away, Charlie sleeps. Bob has not been seen for days.") == {"narrator", "alice"}


@pytest.mark.parametrize(
    "told", ['"Bob enters," reads the sign.', "A voice cries: “Enter Bob and Charlie!”", "Bob's ghost enters."]
)
def test_what_is_quoted_or_owned_enters_nobody(story: Begin, told: str) -> None:
    tavern = story(here=["alice"])
    tavern.say("narrator", told)
    assert tavern.present == {"alice"}


def test_a_told_whisper_reaches_whisperer_and_listener(story: Begin) -> None:
    tavern = story(here=["alice", "bob", "charlie"])
    assert tavern.say("narrator", "Bob whispers to Alice that Charlie lies.") == {"narrator", "alice", "bob"}
    assert tavern.say("narrator", "The wind whispers in the chimney.") == {"narrator", "alice", "bob", "charlie"}


@pytest.mark.parametrize("told", ["Bob thinks of the sword.", "Bob loves the rain.", "Bob knows that Alice lies."])
def test_what_somebody_feels_is_theirs_alone(story: Begin, told: str) -> None:
    assert story(here=["alice", "bob"]).say("narrator", told) == {"narrator", "bob"}


def test_narration_out_of_character_reaches_nobody(story: Begin) -> None:
    assert story(here=["alice", "bob"]).say("narrator", "((Bob, your turn.))") == {"narrator"}
    assert story(here=["alice", "bob"]).say("narrator", "OOC: Bob, your turn.") == {"narrator"}


def test_people_at_different_places_perceive_what_happens_where_they_are(story: Begin) -> None:
    house = story(scene="start")
    assert house.say("narrator", "Alice entered the cellar") == {"narrator", "alice"}
    assert house.say("narrator", "Bob entered the cellar") == {"narrator", "alice", "bob"}
    assert house.say("narrator", "Charlie entered the attic") == {"narrator", "charlie"}
    assert house.say("narrator", "Bob moved the lamp to the shelf") == {"narrator", "alice", "bob"}
    assert house.say("narrator", "The shelf is in the cellar") == {"narrator", "alice", "bob"}
    assert house.say("narrator", "Alice exited the cellar") == {"narrator", "alice", "bob"}
    assert house.say("narrator", "Alice entered the attic") == {"narrator", "alice", "charlie"}
    assert house.say("bob", "Alone at last.") == {"bob"}
    assert house.say("alice", "Charlie, he has the lamp.") == {"alice", "charlie"}


def test_a_user_may_be_the_narrator_by_any_name(story: Begin) -> None:
    tavern = story(cast=["alice", "bob", Character("gm", name="Game Master", kind="narrator")], here=["alice"])
    assert tavern.say("gm", "Bob arrives.") == {"gm", "alice", "bob"}


@pytest.mark.parametrize(
    "text",
    [
        "Good evening.",
        "*whispers to Bob* Run!",
        "[I hate him.]",
        "(aside) The fool!",
        "/w Bob run",
        "Well. (to Bob) Run!",
    ],
)
def test_an_omniscient_narrator_hears_all_wherever_it_is_said(story: Begin, text: str) -> None:
    for told in ({"here": ["alice", "bob"]}, {"here": ["bob"], "places": {"alice": "cellar"}}):
        for_all = story(**told, detector=RulesDetector(omniscient=True))
        for_some = story(**told)
        heard = for_some.hears("alice", text)
        assert for_all.hears("alice", text) == {**heard, "narrator": text}


def test_an_omniscient_narrator_does_not_hear_what_is_out_of_character(story: Begin) -> None:
    tavern = story(here=["alice", "bob"], detector=RulesDetector(omniscient=True))
    assert tavern.hears("alice", "((brb))") == {}


@pytest.mark.parametrize(
    "told",
    [
        "Charlie puts his head round the door and grins.",
        "The wind drops. Charlie, out of breath, holds up the key.",
        'Alice laughed. "Found it," said Charlie.',
    ],
)
def test_who_was_gone_and_is_told_of_as_doing_something_perceives_it(story: Begin, told: str) -> None:
    assert "charlie" in story(here=["alice", "bob"], away=["charlie"]).say("narrator", told)


@pytest.mark.parametrize(
    "told",
    [
        "Charlie's chair stays empty.",
        "Alice thinks of Charlie and smiles.",
        "Alice dreams that Charlie dances.",
        "Charlie had never liked the place.",
        "If Charlie knew, they would laugh.",
    ],
)
def test_who_is_gone_and_only_thought_of_does_not_perceive_it(story: Begin, told: str) -> None:
    assert "charlie" not in story(here=["alice", "bob"], away=["charlie"]).say("narrator", told)


@pytest.mark.parametrize(
    "told",
    [
        "[SPRITES: Alice left (hair down), Bob right]",
        "[sprite: Alice, left]",
        "[SPRITE: ALICE, grey, takes off the hat]",
        "Alice comes out of the cabin in two scarves.",
        "Alice gets out her knitting.",
        "Left, left, right. Alice keeps time.",
    ],
)
def test_what_only_sounds_like_going_is_no_leaving(story: Begin, told: str) -> None:
    tavern = story(here=["alice", "bob"])
    tavern.say("narrator", told)
    assert tavern.present == {"alice", "bob"}
