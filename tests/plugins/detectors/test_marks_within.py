"""Thoughts, whispers and asides that stand within speech, behind it, or in marks of one's own: who gets which part."""

from collections.abc import Callable
from typing import Any

import pytest

from earwitness_plugins.detectors.rules import RulesDetector

Begin = Callable[..., Any]
EVERYBODY = ["alice", "bob", "charlie"]
ACTIONS = {"~…~": "action", "{…}": "thought"}
WHISPERS = {"~…~": "whisper"}


@pytest.mark.parametrize(
    ("text", "others"),
    [
        ("Hello [I hate him] there.", "Hello there."),
        ('"Hi [evil] there"', '"Hi there"'),
        ('"Go away [fool]!"', '"Go away!"'),
        ("*smiles [evil] warmly*", "*smiles warmly*"),
        ('"Fool," Alice thought. "Hello!"', '"Hello!"'),
        ('"Fool," I thought. "Hello!"', '"Hello!"'),
        ("\uff08OOC\uff1a brb\uff09 Hello.", "Hello."),
    ],
)
def test_a_thought_within_a_sentence_is_the_speakers_and_the_sentence_everybodys(
    story: Begin, text: str, others: str
) -> None:
    assert story(here=EVERYBODY).hears("alice", text) == {"bob": others, "charlie": others}


@pytest.mark.parametrize(
    "text",
    [
        '"Key," *whispers to Bob* "All!"',
        '"Key," Alice told Bob in a whisper. "All!"',
        '"Key," Alice said quietly to Bob.',
        "*hisses at Bob* key",
        "*murmurs something to Bob* key",
        "*whispers this to Bob* key",
        '*whispers to Bob* ((brb)) "key"',
        "\uff08to Bob\uff09 key",
        "(to Bob, aside) key",
    ],
)
def test_how_far_a_whisper_goes_where_that_is_open_it_goes_further(story: Begin, text: str) -> None:
    assert set(story(here=EVERYBODY).hears("alice", text)) == {"bob"}


def test_a_thought_within_a_whisper_leaves_what_follows_a_whisper(story: Begin) -> None:
    heard = story(here=EVERYBODY).hears("alice", '*whispers to Bob [the fool] now* "Hi"')
    assert heard == {"bob": '*whispers to Bob now* "Hi"'}


def test_who_turns_to_everybody_whispers_no_more(story: Begin) -> None:
    heard = story(here=EVERYBODY).hears("alice", "(to Bob) key (to everyone) Hello")
    assert heard == {"bob": "(to Bob) key (to everyone) Hello", "charlie": "(to everyone) Hello"}


def test_a_whisper_to_several_without_a_space_between_their_names_reaches_each(story: Begin) -> None:
    assert story(here=[*EVERYBODY, "dan"], cast=[*EVERYBODY, "dan"]).say("alice", "/w bob,charlie x") == set(EVERYBODY)


@pytest.mark.parametrize(
    "text",
    [
        "(\uff41\uff53\uff49\uff44\uff45) Fool.",
        "(kneeling, aside) Fool.",
        "(rising, then aside) Fool.",
        "(apart) Fool.",
    ],
)
def test_an_aside_may_stand_behind_what_else_is_done(story: Begin, text: str) -> None:
    assert story(here=EVERYBODY).hears("alice", text) == {}


@pytest.mark.parametrize("text", ["(apart from that) Hello.", "*aside from Bob, nobody nods*"])
def test_apart_from_something_is_no_aside(story: Begin, text: str) -> None:
    assert set(story(here=EVERYBODY).hears("alice", text)) == {"bob", "charlie"}


@pytest.mark.parametrize(
    "text", ["> *Bob enters*", "```\n*Bob enters*\n```", "*reads: Bob enters*", "\u300e*Bob enters*\u300f"]
)
def test_what_is_only_quoted_brings_nobody_in(story: Begin, text: str) -> None:
    tavern = story(here=["alice", "charlie"], away=["bob"])
    assert tavern.say("alice", text) == {"alice", "charlie"}
    assert tavern.present == {"alice", "charlie"}


@pytest.mark.parametrize("text", ['"Hi {evil} there"', "*smiles {evil} there*"])
def test_ones_own_marks_are_seen_within_quotes_and_asterisks(story: Begin, text: str) -> None:
    heard = story(here=EVERYBODY, detector=RulesDetector(markup=ACTIONS)).hears("alice", text)
    assert all("evil" not in part and "there" in part for part in heard.values())
    assert set(heard) == {"bob", "charlie"}


def test_ones_own_mark_for_actions_is_as_good_as_an_asterisk(story: Begin) -> None:
    tavern = story(here=EVERYBODY, detector=RulesDetector(markup=ACTIONS))
    assert tavern.hears("alice", "~whispers to Bob~ key") == {"bob": "~whispers to Bob~ key"}
    tavern.judge("alice", "~leaves the room~")
    assert tavern.present == {"bob", "charlie"}


@pytest.mark.parametrize(
    ("text", "others"),
    [
        ("~Bob: key~ Hello.", {"charlie": "Hello."}),
        ("~to Bob~ key", {}),
        ('"Hi ~Bob: key~ there"', {"charlie": '"Hi there"'}),
    ],
)
def test_ones_own_mark_for_whispers_says_to_whom(story: Begin, text: str, others: dict[str, str]) -> None:
    tavern = story(here=EVERYBODY, detector=RulesDetector(markup=WHISPERS))
    assert tavern.hears("alice", text) == {"bob": text, **others}


def test_what_covers_a_hidden_stretch_closes_no_bracket(story: Begin) -> None:
    assert story(here=["alice", "bob"]).hears("alice", "[ Go on. [to his sleeve] Go.\n\n[OOC: brb, dinner]") == {}
