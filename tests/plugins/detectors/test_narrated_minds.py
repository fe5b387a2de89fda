"""The detector `rules`: what a narrator tells of one mind, to one player, or to the user of a model."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

Begin = Callable[..., Any]
HERE = ("alice", "bob", "charlie")


@pytest.mark.parametrize(
    ("text", "mind"),
    [
        ("Alice laid out the map. Bob saw at once that the bridge was missing. Charlie whistled.", "bob"),
        ("Alice laid out the map. Bob wondered whether she could read it. Charlie whistled.", "bob"),
        ("Bob sat down. Why had she come at all? Charlie whistled.", "bob"),
        ("Bob sat down. He knew that she was lying. Charlie whistled.", "bob"),
        ("The engine coughed. He has the key, Bob thought. Charlie whistled.", "bob"),
        ("Bob held the cup. Dear God, it was the wrong one. Charlie whistled.", "bob"),
        (
            "Alice laughed. Bob looked at the straws and felt, with certainty, that he saw it. Charlie whistled.",
            "bob",
        ),
        ("Bob sat down. What he wanted was for her to stop, and he saw it. Charlie whistled.", "bob"),
        ("Bob sat down. He had met her before, in another city, and knew it. Charlie whistled.", "bob"),
        ("Bob fanned himself, while every nerve in his body saw it. Charlie whistled.", "bob"),
    ],
)
def test_a_mind_that_is_told_of_is_its_own(story: Begin, text: str, mind: str) -> None:
    heard = story(here=HERE).hears("narrator", text)
    assert heard[mind] == text
    assert all("Charlie whistled." in each for each in heard.values())
    inner = next(
        part for part in text.split(". ") if any(word in part for word in ("saw", "wond", "Why", "knew", "has", "God"))
    )
    assert inner[:20] not in heard["charlie"]


@pytest.mark.parametrize(
    "text",
    [
        "Bob opens the door. It's dark inside. There's a smell of tar.",
        "Bob opens the door. What do you do?",
        "Bob saw the ship. He felt the cold wind. Charlie knew her.",
        'Bob wondered aloud whether it would rain. "It will," said Alice.',
        "Everyone knew that the king was ill.",
    ],
)
def test_what_all_can_see_is_told_to_all(story: Begin, text: str) -> None:
    assert story(here=HERE).hears("narrator", text) == dict.fromkeys(HERE, text)


def test_quotes_behind_a_thought_are_heard(story: Begin) -> None:
    text = 'Bob thought that he would rather die. "No questions," he said.'
    assert story(here=HERE).hears("narrator", text)["charlie"] == '"No questions," he said.'


def test_brackets_that_begin_with_a_name_are_for_that_one(story: Begin) -> None:
    text = "[Bob, perception 17: the innkeeper has a tattoo.]"
    assert story(here=HERE).hears("narrator", text) == {"bob": text}


def test_players_who_are_told_different_things_hear_their_own(story: Begin) -> None:
    text = "The bell rings.\n\nAlice and Bob, you are upstairs over the tailor.\n\nCharlie, you are still in the van."
    heard = story(here=HERE).hears("narrator", text)
    assert "tailor" in heard["bob"]
    assert "van" not in heard["bob"]
    assert "van" in heard["charlie"]
    assert "tailor" not in heard["charlie"]
    assert all("bell" in each for each in heard.values())


def test_one_player_who_is_spoken_to_is_watched_by_all(story: Begin) -> None:
    text = "Bob, you open the chest."
    assert story(here=HERE).hears("narrator", text) == dict.fromkeys(HERE, text)


@pytest.mark.parametrize(
    "text",
    [
        "Here is the first scene.\n\nBob sat down.\n\n*Shall I go on with the feast?*",
        "Of course! I'd love to.\n\nBob sat down.\n\nLet me know if you want more of Charlie.",
        "Gern, hier kommt der Anfang.\n\nBob sat down.\n\nSoll ich weitererzählen?",
    ],
)
def test_what_a_model_says_to_its_user_reaches_nobody(story: Begin, text: str) -> None:
    heard = story(here=HERE).hears("narrator", text)
    assert {each.strip() for each in heard.values()} == {"Bob sat down."}


def test_where_two_were_told_of_nobody_knows_whose_mind_it_is(story: Begin) -> None:
    text = "Bob ate, and Charlie watched him eat. He'd come home with another face. Alice laughed."
    heard = story(here=HERE).hears("narrator", text)
    assert not any("face" in each for each in heard.values())


def test_a_whisper_is_not_for_those_who_cannot_hear_it(story: Begin) -> None:
    text = 'Too low for Charlie to catch, Alice breathes into Bob\'s ear: "The gold!"'
    heard = story(here=HERE).hears("narrator", text)
    assert "gold" not in heard.get("charlie", "")
    assert "gold" in heard["bob"]
