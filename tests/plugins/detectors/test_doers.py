"""Who does something in a narration is there; what a reader asks of the writer reaches nobody."""

from collections.abc import Callable
from typing import Any

import pytest

from earwitness.records.character import Character
from earwitness_plugins.detectors.discretion.requests import is_request
from earwitness_plugins.detectors.text.doers import doers
from earwitness_plugins.detectors.text.names import Names

Begin = Callable[..., Any]
NAMES = Names((Character("alice"), Character("bob"), Character("charlie")))


@pytest.mark.parametrize(
    "told",
    [
        "Bob laughed and put the kettle on.",
        "The door creaked, and Bob stuck his head in.",
        "On the stairs stood Bob, out of breath.",
        "In came Bob.",
        '"Not before supper," said Bob, and nobody argued.',
        "Bob, who had waited long enough, banged the lid down.",
        "Outside it rained. When Bob spoke at last, his voice was hoarse.",
        "Bob was sitting on the coal box with his boots off.",
        "Bob setzte sich ans Fenster.",
        "Bob abrió la ventana sin decir nada.",
        "Not today, says Bob.",
    ],
)
def test_who_does_something_is_a_doer(told: str) -> None:
    assert doers(told, NAMES) == ("bob",)


@pytest.mark.parametrize(
    "told",
    [
        "Bob's coat hung by the door.",
        '"Bob laughed at us," they said.',
        "They talked of Bob until dark.",
        "It was the house that Bob built.",
        "Bob had built it before the war.",
        "Bob hated the sea.",
        "Bob snored.",
        "Bob leaves his spoons to the parish, says the old man.",
        "Bob: I am writing this on somebody else's telephone.",
        "Bob reacted with a heart.",
    ],
)
def test_who_is_only_told_of_is_no_doer(told: str) -> None:
    assert "bob" not in doers(told, NAMES)


def test_the_speakers_of_a_scene_with_labels_are_doers() -> None:
    assert doers("Bob: Who is it?\nCharlie: The baker.", NAMES) == ("bob", "charlie")


def test_who_speaks_in_a_narration_beside_those_who_are_here_is_here(story: Begin) -> None:
    inn = story(here=["alice"])
    inn.say("alice", "Anybody home?")
    assert inn.say("narrator", '"Only me," said Bob. Alice put down her bag.') == {"narrator", "alice", "bob"}
    assert inn.say("alice", "You gave me a fright.") == {"alice", "bob"}


def test_who_went_away_and_does_something_alone_perceives_it_and_is_still_away(story: Begin) -> None:
    inn = story(here=["alice", "charlie", "bob"])
    inn.say("alice", "Mind the step.")
    inn.say("narrator", "Bob leaves.")
    assert "bob" in inn.say("narrator", "Bob kicked a stone along the road.")
    assert inn.say("alice", "Now it is just us.") == {"alice", "charlie"}


def test_who_sleeps_does_nothing(story: Begin) -> None:
    inn = story(here=["alice", "bob"])
    inn.say("alice", "Good night.")
    inn.say("narrator", "Bob falls asleep.")
    assert inn.say("narrator", "Bob muttered something about geese. Alice smiled.") == {"narrator", "alice"}


@pytest.mark.parametrize(
    "asked",
    [
        "**User:** A quarrel in a bakery, four people, the rye has run out.",
        "Write me a comedy about two lighthouse keepers who share one coat.",
        "Perfect. Now the wedding, and the aunt should arrive late.",
        "haha great, continue, but keep it short please",
        "Can you do the next part from the cat's point of view?",
        "I'd like a longer piece in chapters. Alice keeps bees, Bob is afraid of them.",
        "Let Bob overhear it, then end on the letter.",
        "Love it. Alice comes home and sings, but I'd like the neighbours to hear only half, please.",
        "Schreib mir eine Szene am Hafen.",
    ],
)
def test_what_a_reader_asks_of_the_writer_is_a_request(asked: str) -> None:
    assert is_request(asked)


@pytest.mark.parametrize(
    "told",
    [
        "The wind drops, and the mill stands still.",
        "You climb the stairs. Let me know what you do next.",
        "Great oaks stood along the road, and now it was raining.",
        "Good evening, says the landlord, and wipes the table.",
        "Roll for perception, please, all of you.",
        '"Give me the scene with the ghost," said the director, and the curtain rose.',
        "I need a drink. I want him gone, please, before it is dark.",
        "Well, now it was too late, and the ship should have been in port.",
        "Yes! Now the farm was hers.",
        "No one spoke. Then Bob laughed.",
        "Well, the scene was set for supper.",
        "Show lights up along the pier, one after the other.",
    ],
)
def test_a_narration_is_no_request(told: str) -> None:
    assert not is_request(told)


def test_nobody_perceives_a_request_or_moves_by_it(story: Begin) -> None:
    inn = story(here=["alice", "bob"])
    assert inn.say("narrator", "Good. Now get Bob out of there. Bob leaves the room, please.") == {"narrator"}
    assert inn.say("alice", "More tea?") == {"alice", "bob"}
