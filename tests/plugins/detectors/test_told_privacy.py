"""The detector `rules`: texts that say that they are for one alone, whatever their style."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from earwitness.records.character import Character
from earwitness_plugins.detectors.text.names import Names

Begin = Callable[..., Any]
HERE = ("alice", "bob", "charlie")


@pytest.mark.parametrize(
    "heading",
    ["**DM alice / bob**", "[private chat with Bob]", "✉️ Direct message to Bob", "PM: Bob", "[Privatchat mit Bob]"],
)
def test_a_heading_says_for_whom_a_message_of_a_chat_is(story: Begin, heading: str) -> None:
    text = f"{heading}\nthe well is poisoned"
    assert story(here=HERE).hears("alice", text) == {"bob": text}
    assert story(here=("alice",), away=("bob", "charlie")).hears("alice", text) == {"bob": text}


def test_a_private_message_to_nobody_who_is_named_answers_the_last_or_is_kept(story: Begin) -> None:
    chat = story(here=HERE)
    assert chat.say("alice", "✉️ *direct message* the well is poisoned") == {"alice"}
    chat.say("alice", "**DM bob**\nthe well is poisoned")
    assert chat.say("bob", "**DM**\nby whom?") == {"alice", "bob"}


@pytest.mark.parametrize("heading", ["Bob sent me a DM", "DM me, Bob", "PM Bob is on the phone"])
def test_what_only_looks_like_such_a_heading(story: Begin, heading: str) -> None:
    assert story(here=HERE).say("alice", f"{heading}\nlook at this") == set(HERE)


@pytest.mark.parametrize(
    "text",
    [
        "Deaf as a post, thought Bob. He had been given no extra work in two years.",
        "Bob thought of the winter. He ought to say something, he supposed. He was the man's friend.",
        "Bob turned a page. Would she never leave? He turned another.",
    ],
)
def test_a_narration_of_one_mind_and_of_nobody_else(story: Begin, text: str) -> None:
    assert story(here=HERE).say("narrator", text) == {"narrator", "bob"}


def test_what_else_happens_is_for_everybody(story: Begin) -> None:
    heard = story(here=HERE).hears("narrator", "He is lying, Bob thought. He has the key. The engine coughed.")
    assert "engine" in heard["charlie"]
    assert "key" not in heard["charlie"]


@pytest.mark.parametrize(
    "text",
    [
        "GM (slides Bob a note): Nothing is wrong with the scales.",
        "(paper slip to Bob: you are out, and down the stairs.)",
    ],
)
def test_what_the_leader_of_a_game_hands_to_one(story: Begin, text: str) -> None:
    assert story(here=HERE).say("narrator", text) == {"narrator", "bob"}


@pytest.mark.parametrize(
    "text",
    [
        'Alice has her lips in Bob\'s hair. "The well is poisoned."',
        '*cups both hands round Bob\'s ear* "The well is poisoned."',
        "*leans over, right up against Bob's hair* The well is poisoned.",
    ],
)
def test_a_mouth_at_somebodys_hair_or_ear_whispers(story: Begin, text: str) -> None:
    assert "charlie" not in story(here=HERE).hears("alice", text)


def test_a_kiss_is_no_whisper(story: Begin) -> None:
    assert story(here=HERE).say("alice", "*presses her lips to Bob's hair* Good morning, everybody.") == set(HERE)


@pytest.mark.parametrize("text", ["*is alone in the attic* Nobody will look here.", "(all alone) Pull it. No."])
def test_who_is_told_to_be_alone_is_heard_by_nobody(story: Begin, text: str) -> None:
    assert story(here=HERE).say("alice", text) == {"alice"}


@pytest.mark.parametrize(
    "text", ["*leaves him alone* Fine.", "You alone can do it, Bob.", "*is alone with Bob at last* Hello."]
)
def test_what_only_sounds_alone(story: Begin, text: str) -> None:
    assert "bob" in story(here=HERE).say("alice", text)


def test_those_who_left_together_whisper_with_one_another(story: Begin) -> None:
    tavern = story(here=HERE)
    tavern.say("narrator", "Alice and Bob leave the room.")
    assert tavern.say("alice", "(low) Listen. The well is poisoned.") == {"alice", "bob"}


def test_where_others_write_quotation_marks_a_mind_is_not_heard(story: Begin) -> None:
    tavern = story(here=HERE)
    tavern.say("bob", '"A fine night," said Bob, and sat down.')
    tavern.say("charlie", 'Charlie nodded. "So it is."')
    tavern.say("bob", '"More wine," said Bob.')
    tavern.say("charlie", '"At once," said Charlie.')
    assert tavern.say(
        "alice", "Nobody must find out about the money. If it was gone there would be nothing to find."
    ) == {"alice"}
    assert tavern.say("alice", "What would you have done?") == set(HERE)


def test_a_new_scene_of_a_script_is_for_those_it_shows(story: Begin) -> None:
    tavern = story(here=HERE)
    tavern.say("narrator", "[BG: the roof, evening]\n[SPRITES: Alice, Bob]\nThe wind has dropped.")
    assert tavern.say("alice", "Now nobody hears us.") == {"alice", "bob"}


def test_somebody_in_another_house_is_not_here(story: Begin) -> None:
    tavern = story(here=("alice", "bob"))
    tavern.say("narrator", "Alice and Bob sat by the lamp. Old Charlie was in the other house, watching the meat.")
    assert tavern.say("alice", "The well is poisoned.") == {"alice", "bob"}


def test_numbers_and_titles_name_nobody_by_themselves() -> None:
    names = Names([Character("danes", name="the Two Danes"), Character("bob", name="Bob")])
    assert names.find("Two, five, five, one.") == ()
    assert [each.id for each in names.find("The Danes sleep.")] == ["danes"]


def test_an_exit_between_brackets(story: Begin) -> None:
    stage = story(here=HERE)
    stage.say("narrator", "[Exit ALICE through the curtain. Her aria begins.]")
    assert "alice" not in stage.present
    assert {"bob", "charlie"} <= stage.present


@pytest.mark.parametrize(
    "text",
    [
        "I'll fetch some water from the well.",
        "Let me get the doctor.",
        "I'm going up to the top to clean the lens.",
        "Play on without me.",
        "I shall be in my study.",
        "Ich hole schnell den Arzt.",
        "Spielt ruhig ohne mich weiter!",
        "Voy por agua.",
        "Empiecen sin mí.",
        "Je descends à la cave.",
        "Commencez sans moi.",
        "Vou chamar o médico.",
    ],
)
def test_errands_to_another_place_are_leave_takings(story: Begin, text: str) -> None:
    tavern = story(here=HERE)
    tavern.say("alice", text)
    assert "alice" not in tavern.present


@pytest.mark.parametrize(
    "text",
    [
        "I'll fetch a good price for it.",
        "I'll get you for this!",
        "I'm up for it.",
        "Let me see that.",
        "Ich hole dich morgen ab.",
        "No empiecen sin mí.",
    ],
)
def test_what_only_looks_like_an_errand(story: Begin, text: str) -> None:
    tavern = story(here=HERE)
    tavern.say("alice", text)
    assert "alice" in tavern.present


def test_who_carries_something_off_goes(story: Begin) -> None:
    tavern = story(here=HERE)
    tavern.say("narrator", "Bob carried the plates out to the kitchen. Charlie carried the joke too far.")
    assert tavern.present == {"alice", "charlie"}
