"""The detector `rules`: private pieces of messages as people write them, in nine languages, and open look-alikes."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import pytest

from earwitness.records.character import Character

from .labelled import reached, touched
from .written_pieces import IDS, WrittenMessage, written_messages

Begin = Callable[..., Any]
AT_MOST = {"seen": (0, 5), "unseen": (5, 3)}
"""So many messages may leak something private, and lose something open or a whisper's hearer, of each half."""


@pytest.mark.parametrize("half", ["seen", "unseen"])
def test_private_pieces_stay_with_those_they_are_for(story: Begin, half: str) -> None:
    """The unseen half was looked at only after it had been counted once: 19 of its messages leaked then."""
    leaking, losing = set(), set()
    for message in _of(half, "private"):
        for listener, heard in _heard(story, message).items():
            leaking |= {message.text for piece in _kept_from(listener, message) if touched(piece, message.text, heard)}
            losing |= {
                message.text for piece in _meant_for(listener, message) if not touched(piece, message.text, heard)
            }
            losing |= {message.text for piece in message.open if not _whole(piece, message.text, heard)}
    assert len(leaking) <= AT_MOST[half][0], sorted(leaking) if half == "seen" else len(leaking)
    assert len(losing) <= AT_MOST[half][1], sorted(losing) if half == "seen" else len(losing)


def test_what_only_looks_private_reaches_everybody(story: Begin) -> None:
    messages = [*_of("seen", "open"), *_of("unseen", "open")]
    lost = {
        message.text
        for message in messages
        for heard in _heard(story, message).values()
        if not _whole((0, len(message.text)), message.text, heard)
    }
    assert len(messages) > 150
    assert len(lost) <= 3, sorted(lost)


@pytest.mark.parametrize(
    "reply", ["*whispers back* In the boot.", "(just as quietly) In the boot.", "*also whispering* In the boot."]
)
def test_a_reply_to_a_whisper_is_for_who_whispered(story: Begin, reply: str) -> None:
    tavern = story(here=["alice", "bob", "charlie"])
    tavern.judge("bob", "*whispers to Alice* Where is it?")
    assert tavern.hears("alice", reply) == {"bob": reply}


def test_a_whisper_after_open_speech_has_no_hearer(story: Begin) -> None:
    tavern = story(here=["alice", "bob", "charlie"])
    tavern.judge("bob", "Where is it?")
    assert tavern.hears("alice", "*whispers back* In the boot.") == {}


def test_a_narrator_is_heard_in_pieces(story: Begin) -> None:
    told = "The lamps go out. Only Bob sees the trapdoor. The dog barks."
    assert story(here=["alice", "bob"]).hears("narrator", told) == {
        "alice": "The lamps go out. The dog barks.",
        "bob": told,
    }


def test_a_scene_elsewhere_is_for_those_told_of(story: Begin) -> None:
    told = "Meanwhile, in the cellar, Bob counts the barrels.\n\nThe fire burns on."
    assert story(here=["alice", "bob"]).hears("narrator", told) == {"alice": "The fire burns on.", "bob": told}


def test_prose_without_quotes_keeps_its_thoughts(story: Begin) -> None:
    heard = story(here=["alice", "bob"]).hears("alice", "A braai, I tell her. God, I hate that man. He nods.")
    assert heard == {"bob": "A braai, I tell her. He nods."}


@pytest.mark.parametrize(
    "text",
    [
        '*kneels and prays* "Bob, forgive me."',
        '"Bob, wherever you are, help me."',
        '*looks at the photo of Bob* "Bob, why did you go?"',
        '*dreams of Bob* "Bob, is that you?"',
    ],
)
def test_who_is_prayed_to_or_remembered_is_not_summoned(story: Begin, text: str) -> None:
    chapel = story(here=["alice", "charlie"])
    assert chapel.say("alice", text) == {"alice", "charlie"}
    assert chapel.present == {"alice", "charlie"}


def test_dice_are_out_of_character(story: Begin) -> None:
    assert story(here=["alice", "bob"]).hears("alice", '*d6: 4* "A bear!"') == {"bob": '"A bear!"'}


def test_a_direction_in_a_script_that_nobody_can_read_withholds(story: Begin) -> None:
    assert story(here=["alice", "bob"]).hears("alice", "*밥에게 귓속말로* The gold is in the well.") == {}


def _of(half: str, kind: str) -> Iterator[WrittenMessage]:
    return (message for message in written_messages(kind) if message.unseen == (half == "unseen"))


def _heard(story: Begin, message: WrittenMessage) -> dict[str, list[bool]]:
    cast = [Character(id, name=name) for id, name in zip(IDS, message.names, strict=True)]
    cast += [Character("narrator", kind="narrator")]
    scene = story(cast=cast, here=IDS)
    if message.before:
        scene.judge(*message.before)
    presence = scene.judge(message.speaker, message.text)
    return {id: reached(presence, message.text, id) for id in IDS if id != message.speaker}


def _kept_from(listener: str, message: WrittenMessage) -> Iterator[tuple[int, int]]:
    return (span for span, hearers in message.private if listener not in hearers)


def _meant_for(listener: str, message: WrittenMessage) -> Iterator[tuple[int, int]]:
    return (span for span, hearers in message.private if listener in hearers)


def _whole(span: tuple[int, int], text: str, heard: list[bool]) -> bool:
    return all(heard[at] or not text[at].isalnum() for at in range(*span))
