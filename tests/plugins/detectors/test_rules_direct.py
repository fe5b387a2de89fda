"""The detector `rules`: direct messages."""

from collections.abc import Callable
from typing import Any

Begin = Callable[..., Any]


def test_a_direct_message_reaches_whom_it_names(story: Begin) -> None:
    tavern = story(here=["alice", "bob", "charlie"])
    assert tavern.say("alice", "Bob, are you awake?", "dm") == {"alice", "bob"}


def test_it_reaches_them_wherever_they_are_and_moves_nobody(story: Begin) -> None:
    tavern = story(here=["alice", "charlie"], away=["bob"])
    assert tavern.say("alice", "Bob, are you awake?", "dm") == {"alice", "bob"}
    assert tavern.say("bob", "I am now. I have to go, goodbye.", "dm") == {"alice", "bob"}
    assert tavern.present == {"alice", "charlie"}


def test_without_a_name_it_goes_on_with_the_last_exchange(story: Begin) -> None:
    tavern = story(here=["alice", "bob", "charlie"])
    tavern.say("alice", "Bob, are you awake?", "dm")
    assert tavern.say("bob", "Yes.", "dm") == {"alice", "bob"}
    tavern.say("charlie", "What a quiet evening.")
    assert tavern.say("alice", "Come to the cellar.", "dm") == {"alice", "bob"}


def test_with_nobody_to_be_found_only_the_speaker_has_it(story: Begin) -> None:
    assert story(here=["alice", "bob", "charlie"]).say("alice", "Are you awake?", "dm") == {"alice"}


def test_who_is_only_talked_about_is_not_written_to(story: Begin) -> None:
    assert story(here=["alice", "bob"]).say("alice", "I saw Bob steal it.", "dm") == {"alice"}


def test_of_two_exchanges_at_once_none_is_guessed(story: Begin) -> None:
    tavern = story(here=["alice", "bob", "charlie"])
    tavern.say("bob", "Psst.", "dm")
    tavern.say("charlie", "Hey.", "dm")
    assert tavern.say("alice", "What is it?", "dm") == {"alice"}


def test_anothers_exchange_is_not_joined(story: Begin) -> None:
    tavern = story(here=["alice", "bob", "charlie"])
    tavern.say("bob", "Charlie, are you awake?", "dm")
    assert tavern.say("alice", "Anybody?", "dm") == {"alice"}


def test_a_thought_in_a_direct_message_stays_with_the_speaker(story: Begin) -> None:
    tavern = story(here=["alice", "bob"])
    tavern.say("alice", "Bob, hello.", "dm")
    assert tavern.say("alice", "[He lies.]", "dm") == {"alice"}


def test_a_whisper_that_names_nobody_is_for_the_other_of_the_exchange(story: Begin) -> None:
    tavern = story(here=["alice", "bob", "charlie"])
    tavern.say("bob", "Alice, are you awake?", "dm")
    assert tavern.say("alice", '*whispers* "The code is 5."', "dm") == {"alice", "bob"}


def test_who_is_only_whispered_to_is_written_to(story: Begin) -> None:
    tavern = story(here=["alice", "bob", "charlie"])
    assert tavern.say("alice", '"Hello." *whispers to Bob* "The code is 5."', "dm") == {"alice", "bob"}
