"""The detector `rules` on plays: stage directions say who is on stage."""

from collections.abc import Callable
from typing import Any

import pytest

from earwitness.records.character import Character

Begin = Callable[..., Any]
CAST = (
    "Duke of Kent",
    "Duke of York",
    "Lady Blanche",
    "Mistress Potter",
    "Potter",
    "Robert of Leeds",
    "Robert of Hull",
    "Sir Hugh Fenn",
    "First Guard",
    "Second Guard",
    "Third Guard",
    "SOLDIERS.KENT_Abc",
    "SOLDIERS.YORK_Abc",
    "ATTENDANTS_Abc",
    "SAILORS_Abc",
    "SAILORS.0.1_Abc",
    "SAILORS.0.2_Abc",
    "Lords, Ladies, Citizens, a Monk, Torchbearers, and Others",
)


class Play:
    """A play whose narrator reads the directions; characters go by their names."""

    def __init__(self, story: Begin, cast: tuple[str, ...] = CAST) -> None:
        self.ids = {name: f"c{at}" for at, name in enumerate(cast)}
        self.names = {id: name for name, id in self.ids.items()}
        members = [Character(id, name=name) for name, id in self.ids.items()]
        self.story = story(cast=[*members, Character("reader", kind="narrator")])

    def direct(self, *texts: str) -> set[str]:
        """Read directions; who is on stage then."""
        for text in texts:
            self.story.judge("reader", text)
        return {self.names[id] for id in self.story.present}

    def say(self, name: str, text: str) -> set[str]:
        return {self.names[id] for id in self.story.say(self.ids[name], text)}

    def hears(self, name: str, text: str) -> dict[str, str]:
        return {self.names[id]: part for id, part in self.story.hears(self.ids[name], text).items()}


@pytest.mark.parametrize(
    ("directions", "on_stage"),
    [
        (["Enter the Duke of Kent and Lady Blanche."], {"Duke of Kent", "Lady Blanche"}),
        (["Flourish. Enter Kent, with a letter."], {"Duke of Kent"}),
        (
            ["Enter Kent, Blanche; York, and Sir Hugh."],
            {"Duke of Kent", "Lady Blanche", "Duke of York", "Sir Hugh Fenn"},
        ),
        (["Enter Potter and Mistress Potter."], {"Potter", "Mistress Potter"}),
        (["Enter Mistress Potter."], {"Mistress Potter"}),
        (["Enter Robert and Potter of Hull."], {"Robert of Hull", "Potter"}),
        (["Enter Kent, disguised as York."], {"Duke of Kent"}),
        (["Enter Lady Blanche, sister to the Duke of Kent."], {"Lady Blanche"}),
        (["Enter two Guards."], {"First Guard", "Second Guard"}),
        (["Enter the Second Guard."], {"Second Guard"}),
        (["Enter a Guard.", "Enter another Guard."], {"First Guard", "Second Guard"}),
        (["Enter Sailors."], {"SAILORS_Abc"}),
        (["Enter Kent and his army."], {"Duke of Kent", "SOLDIERS.KENT_Abc"}),
        (["Enter Kent and his train."], {"Duke of Kent", "ATTENDANTS_Abc"}),
        (["Enter Kent with Attendants."], {"Duke of Kent", "ATTENDANTS_Abc"}),
        (["Enter Citizens."], {"Lords, Ladies, Citizens, a Monk, Torchbearers, and Others"}),
        (["Enter Kent and York.", "Kent exits."], {"Duke of York"}),
        (["Enter Kent and York.", "Exit York."], {"Duke of Kent"}),
        (["Enter Kent and York.", "Exeunt."], set()),
        (["Enter Kent and York.", "They exit."], set()),
        (["Enter Kent and York.", "They begin to exit."], {"Duke of Kent", "Duke of York"}),
        (["Enter Kent, York and Blanche.", "All but Blanche exit."], {"Lady Blanche"}),
        (["Enter Kent, York and Blanche.", "Exeunt all but Kent."], {"Duke of Kent"}),
        (["Enter Kent, York and Blanche.", "They exit, except for Kent and York."], {"Duke of Kent", "Duke of York"}),
        (["Enter Kent, York and Blanche.", "They exit. Blanche remains."], {"Lady Blanche"}),
        (["Enter Kent, York and Blanche.", "York exits with Blanche."], {"Duke of Kent"}),
        (["Enter Kent, York and Blanche.", "York exits, led by Blanche."], {"Duke of Kent"}),
        (["Enter Blanche.", "Enter Kent, with Sir Hugh and Attendants.", "Kent and his train exit."], {"Lady Blanche"}),
        (["Enter Kent and York.", "York exits and at once returns with a sword."], {"Duke of Kent", "Duke of York"}),
        (["Enter Kent.", "York enters, followed by Sir Hugh."], {"Duke of Kent", "Duke of York", "Sir Hugh Fenn"}),
        (["Enter Kent.", "Here enters Blanche."], {"Duke of Kent", "Lady Blanche"}),
        (["Enter Kent.", "Enter York above."], {"Duke of Kent", "Duke of York"}),
        (["Enter Kent and York.", "Soldiers carry off York’s body."], {"Duke of Kent"}),
        (["Enter Kent and York.", "York is carried off."], {"Duke of Kent"}),
        (["Enter Kent.", "He reads a letter from York."], {"Duke of Kent"}),
    ],
)
def test_directions_say_who_is_on_stage(story: Begin, directions: list[str], on_stage: set[str]) -> None:
    assert Play(story).direct(*directions) == on_stage


def test_he_who_exits_is_who_spoke_last(story: Begin) -> None:
    play = Play(story)
    play.direct("Enter Kent and York.")
    play.say("Duke of York", "I take my leave.")
    assert play.direct("He exits.") == {"Duke of Kent"}


def test_a_duke_whom_the_cast_does_not_have_is_neither_of_those_it_has(story: Begin) -> None:
    assert Play(story).direct("Enter the Duke of Cornwall.") == set()


def test_in_a_play_a_line_to_somebody_is_heard_by_everybody_on_stage(story: Begin) -> None:
    play = Play(story)
    play.direct("Enter Kent, York and Blanche.")
    assert play.say("Duke of Kent", "(to York) Good morrow.") == {"Duke of Kent", "Duke of York", "Lady Blanche"}


def test_in_role_play_a_line_to_somebody_is_a_whisper_though_a_narrator_tells(story: Begin) -> None:
    tavern = story(here=["alice", "bob", "charlie"])
    tavern.judge("narrator", "The fire burns low.")
    assert tavern.say("alice", "(to Bob) Good morrow.") == {"alice", "bob"}


def test_in_a_play_who_is_called_does_not_come_by_it(story: Begin) -> None:
    play = Play(story)
    play.direct("Enter Kent and York.")
    assert play.say("Duke of Kent", "Blanche! Come forth, Lady Blanche!") == {"Duke of Kent", "Duke of York"}


def test_who_speaks_from_within_is_not_on_stage(story: Begin) -> None:
    play = Play(story)
    play.direct("Enter Kent.")
    play.say("Lady Blanche", "Who calls?")
    assert play.direct("within") == {"Duke of Kent"}


def test_who_speaks_without_an_entrance_is_on_stage_from_then_on(story: Begin) -> None:
    play = Play(story)
    play.direct("Enter Kent.")
    play.say("Lady Blanche", "My lord!")
    assert play.say("Duke of Kent", "Blanche!") == {"Duke of Kent", "Lady Blanche"}


def test_when_the_other_of_two_alike_speaks_it_was_they_who_entered(story: Begin) -> None:
    play = Play(story)
    assert play.direct("Enter Kent.", "Enter a Guard.") == {"Duke of Kent", "First Guard"}
    play.say("Third Guard", "My lord, the enemy!")
    assert play.direct("Drums.") == {"Duke of Kent", "Third Guard"}


def test_one_of_a_group_on_stage_speaks_for_the_group(story: Begin) -> None:
    play = Play(story)
    play.direct("Enter Sailors.")
    play.say("SAILORS.0.1_Abc", "Land!")
    assert play.direct("A storm.") == {"SAILORS_Abc"}


def test_a_play_stays_one_though_no_direction_comes_for_long(story: Begin) -> None:
    play = Play(story)
    play.direct("Enter Kent, York and Blanche.")
    for _ in range(20):
        play.say("Duke of Kent", "Speak.")
        play.say("Duke of York", "I speak.")
    assert play.say("Duke of Kent", "(to York) Enough.") == {"Duke of Kent", "Duke of York", "Lady Blanche"}


def test_an_aside_after_open_words_is_kept_from_those_who_hear_the_words(story: Begin) -> None:
    play = Play(story)
    play.direct("Enter Kent and York.")
    assert play.hears("Duke of Kent", "Welcome, York. (Aside) I like him not.") == {"Duke of York": "Welcome, York."}


WHAT = (
    "How he stares!",
    "Now, good my heart.",
    "York shall pay for it.",
    "Blanche, look to thyself.",
    "Everyone hears me.",
)
HOW = (
    "(aside) {}",
    "(Aside) {}",
    "( aside ) {}",
    "(aside to York) {}",
    "(Aside.) {}",
    "*aside* {}",
    "(speaks aside) {}",
    "(kneeling, aside) {}",
    "(to York, aside) {}",
    "(reads, aside) {}",
    "(to himself) {}",
    "*mutters to himself* {}",
    "[aside] {}",
)


@pytest.mark.parametrize("how", HOW)
@pytest.mark.parametrize("what", WHAT)
def test_nobody_but_the_speaker_gets_an_aside(story: Begin, how: str, what: str) -> None:
    play = Play(story)
    play.direct("Enter Kent, York and Blanche.")
    said = how.format(what)
    assert play.say("Duke of Kent", said) == {"Duke of Kent"}


@pytest.mark.parametrize("how", HOW)
def test_nobody_but_the_speaker_gets_an_aside_in_role_play(story: Begin, how: str) -> None:
    tavern = story(here=["alice", "bob", "charlie"])
    assert tavern.hears("alice", how.format("How he stares!")) == {}
