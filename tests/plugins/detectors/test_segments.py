"""The detector `rules`: messages in segments, and who hears which."""

from collections.abc import Callable
from typing import Any

import pytest

from earwitness.errors import SettingsError
from earwitness_plugins.detectors.rules import RulesDetector
from earwitness_plugins.detectors.text.marks import has_marks

Begin = Callable[..., Any]
EVERYBODY = ["alice", "bob", "charlie"]


@pytest.mark.parametrize(
    ("text", "bob", "charlie"),
    [
        ('"Hello." *whispers to Bob* "Run!" *turns to all* "Supper!"', None, '"Hello." *turns to all* "Supper!"'),
        ('"Run!" Alice whispers to Bob. "Now!"', None, ""),
        ('"Run!" she whispers to Bob.', None, ""),
        ('*smiles* "Hello." [I hate them.]', '*smiles* "Hello."', '*smiles* "Hello."'),
        ("Hello all. ((brb))", "Hello all.", "Hello all."),
        ("((brb)) Hello all.", "Hello all.", "Hello all."),
        ('*sits down* "I have it." (OOC: brb)', '*sits down* "I have it."', '*sits down* "I have it."'),
        ('*whispers to Bob* "I have it." (OOC: brb)', '*whispers to Bob* "I have it."', ""),
        ('"I have it." [OOC: brb]', '"I have it."', '"I have it."'),
        ('*thinks of home* "I miss it." *aloud* "Good day!"', '*aloud* "Good day!"', '*aloud* "Good day!"'),
        ("Well met. (aside) The fool!", "Well met.", "Well met."),
        ("/w Bob run!", None, ""),
        ("((brb))", "", ""),
        ('*whispers* "Run!" *laughs*', "*laughs*", "*laughs*"),
        ('*whispers* I hate him. "Hello everyone!"', '"Hello everyone!"', '"Hello everyone!"'),
        ('*thinks* I hate him. "Good evening, my friends." *bows*', '"Good evening, my friends." *bows*', None),
        ('*whispers to Bob* I hate him. "Hello everyone!"', None, ""),
        ('*whispers* I hate him. "Hello everyone, I killed the king!"', "", ""),
        ('*whispers* I hate him. "Hello everyone!" she wants to say.', "", ""),
        ('*whispers* They always say: "Hello everyone!"', "", ""),
        ('*whispers* "I hate him." "Hello everyone!"', "", ""),
        ('*whispers* I hate him. "Hello everyone!" *he whispers*', "", ""),
    ],
)
def test_everybody_hears_the_segments_meant_for_them(
    story: Begin, text: str, bob: str | None, charlie: str | None
) -> None:
    heard = story(here=EVERYBODY).hears("alice", text)
    assert heard.get("bob", "") == (text if bob is None else bob)
    assert heard.get("charlie", "") == (heard["bob"] if charlie is None else charlie)


def test_a_message_without_markup_is_one_open_segment_and_has_no_need_of_a_list(story: Begin) -> None:
    assert story(here=EVERYBODY).judge("alice", "Good day, all.").segments == ()


def test_segments_come_in_order_with_their_kinds_and_audiences(story: Begin) -> None:
    text = '*waves* "Hello." *whispers to Bob* "Run!" [Poor Bob.] ((brb))'
    found = story(here=EVERYBODY).judge("alice", text).segments
    assert [(segment.kind, segment.audience) for segment in found] == [
        ("action", None),
        ("spoken", None),
        ("whisper", ("bob",)),
        ("thought", ()),
        ("ooc", ()),
    ]


def test_who_is_known_to_be_gone_is_in_no_whispers_audience(story: Begin) -> None:
    found = story(here=["alice", "charlie"], away=["bob"]).judge("alice", 'Hello. *whispers to Bob* "Run!"').segments
    assert found[-1].audience == ()


def test_who_gets_no_segment_is_no_participant(story: Begin) -> None:
    assert story(here=EVERYBODY).say("alice", '*whispers to Bob* "Run!" [Poor Bob.]') == {"alice", "bob"}


def test_marks_of_ones_own_mean_what_the_settings_say(story: Begin) -> None:
    own = RulesDetector(markup={"{…}": "thought", "<<…>>": "ooc"})
    heard = story(here=EVERYBODY, detector=own).hears("alice", "Hello. {Fools.} <<back soon>>")
    assert heard == {"bob": "Hello.", "charlie": "Hello."}


def test_a_mark_of_ones_own_that_is_not_closed_holds_to_the_end(story: Begin) -> None:
    own = RulesDetector(markup={"{…}": "thought"})
    assert story(here=EVERYBODY, detector=own).hears("alice", "Hello. {Fools, all of them.")["bob"] == "Hello."


def test_a_mark_of_ones_own_has_two_ends() -> None:
    with pytest.raises(SettingsError, match="an opening and a closing mark"):
        RulesDetector(markup={"{}": "thought"})


@pytest.mark.parametrize(
    "text", ["(a)", "*a*", "‘a’ b", "a 'b'", "„a“", "a > b", "ooc: b", "a\n OOC : b", "「a」", "💭 a"]
)
def test_a_text_with_marks_is_looked_through(text: str) -> None:
    assert has_marks(text)


@pytest.mark.parametrize("text", ["Hello, Bob!", "It isn't so; it's Bob’s.", "What an ooc remark: none.", ""])
def test_plain_speech_has_no_marks(text: str) -> None:
    assert not has_marks(text)
