"""Many come and go at once, or to a place by name: the others, the rest, both, everybody else, all of them back."""

from collections.abc import Callable
from typing import Any

import pytest

Begin = Callable[..., Any]
HERE = ("alice", "bob", "charlie")


@pytest.mark.parametrize("text", ["The others leave.", "The rest leave.", "Everyone else leaves."])
def test_the_others_are_all_but_who_spoke_last(story: Begin, text: str) -> None:
    hall = story(here=HERE)
    hall.say("alice", "Out, all of you!")
    hall.say("narrator", text)
    assert hall.present == {"alice"}


def test_both_are_the_two_who_are_there(story: Begin) -> None:
    hall = story(here=("alice", "bob", "charlie"))
    hall.say("narrator", "Alice and Bob nod. Both leave.")
    assert hall.present == {"charlie"}


def test_everyone_else_is_not_who_tells_it(story: Begin) -> None:
    hall = story(here=HERE)
    hall.say("alice", "*everyone else leaves*")
    assert hall.present == {"alice"}


@pytest.mark.parametrize(
    "text", ["Alice goes to the kitchen.", "Alice walks over to the old kitchen.", "Alice drives away."]
)
def test_who_goes_to_another_room_or_drives_away_is_gone(story: Begin, text: str) -> None:
    hall = story(here=HERE)
    hall.say("narrator", text)
    assert hall.present == {"bob", "charlie"}


def test_who_walks_to_the_bar_of_a_tavern_stays(story: Begin) -> None:
    hall = story(here=HERE)
    hall.say("alice", "*walks to the bar*")
    assert hall.present == set(HERE)


@pytest.mark.parametrize("text", ["The others return.", "They all come back in.", "Everybody returns."])
def test_those_who_left_of_late_come_back_together(story: Begin, text: str) -> None:
    hall = story(here=HERE)
    hall.say("alice", "Out!")
    hall.say("narrator", "Bob and Charlie leave.")
    assert hall.present == {"alice"}
    hall.say("narrator", text)
    assert hall.present == set(HERE)


def test_no_character_brings_everybody_back_by_saying_so(story: Begin) -> None:
    hall = story(here=HERE)
    hall.say("narrator", "Bob and Charlie leave.")
    hall.say("alice", "*everybody returns*")
    assert hall.present == {"alice"}


def test_who_goes_to_the_kitchen_takes_along_whom_she_names(story: Begin) -> None:
    hall = story(here=HERE)
    hall.say("alice", "*goes to the kitchen with Bob*")
    assert hall.present == {"charlie"}


def test_who_went_into_the_kitchen_speaks_there_until_she_comes_back(story: Begin) -> None:
    hall = story(here=HERE)
    hall.say("alice", "*goes into the kitchen*")
    assert hall.say("alice", "Where is the salt?") == {"alice"}
    hall.say("bob", "*goes into the kitchen*")
    assert hall.say("alice", "There you are.") == {"alice", "bob"}
    hall.say("alice", "*comes back*")
    assert hall.say("alice", "Found it.") == {"alice", "charlie"}
