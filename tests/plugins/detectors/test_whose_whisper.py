"""For whom a whisper is: its own direction says so, never another sentence's address."""

from __future__ import annotations

import pytest

from earwitness.records.character import Cast, Character
from earwitness_plugins.detectors.text.message_reading import read
from earwitness_plugins.detectors.text.movements import Referents
from earwitness_plugins.detectors.text.names import Names

_CAST = [Character(id) for id in ("alice", "bob", "charlie", "dora")]
_MEMBERS = Cast(members=tuple(_CAST)).members


def _hearers(text: str) -> set[str] | None:
    """Who besides the speaker perceives the secret of the lamp; `None` for everybody."""
    names = Names(_MEMBERS)
    reading = read(text, _CAST[0], names, Referents("alice", ("bob", "charlie", "dora"), None))
    if not reading.segments:
        return set(reading.confined.listeners) if reading.confined else None
    (told,) = [part for part in reading.segments if "lamp" in part.text]
    return None if told.audience is None else set(told.audience)


@pytest.mark.parametrize(
    "text",
    [
        '"Well, Charlie?" *nods* *leans over to Bob* (whispering) "The lamp is out."',
        '"Well, Charlie?" *nods* "The lamp is out." She said it so quietly that only Bob heard.',
        '"Well, Charlie?" (for Bob only) The lamp is out.',
        '"Well, Charlie?" @Bob (privately) The lamp is out.',
        '"Well, Charlie?" "Bob," she whispers, "the lamp is out."',
        '"Bob," she whispers, "the lamp is out." "Well, Charlie?"',
        '*nods* She leaned towards Bob and whispered, "The lamp is out."',
        'She leaned towards Bob and whispered, "The lamp is out." Alice poured the wine.',
        'Under her breath, to Bob: "The lamp is out."\n"Tea?"',
        'Softly, so that only Bob could hear: "The lamp is out." "What a storm!" she laughed.',
        '"Good evening."\n/w Bob The lamp is out.',
        '"Good evening."\n/tell Bob The lamp is out.',
        '"Good evening." /msg Bob The lamp is out.',
        '*covers her mouth and tells Bob quietly:* "The lamp is out."',
        '"The lamp is out," she breathed, for Bob alone.',
    ],
)
def test_a_whisper_to_one_reaches_that_one_alone(text: str) -> None:
    assert _hearers(text) == {"bob"}


@pytest.mark.parametrize(
    "text",
    ['(whispers) The lamp is out. "Well, Charlie?"', '"Well, Charlie?" *whispers* "The lamp is out."'],
)
def test_a_whisper_to_nobody_who_is_named_stays_with_its_speaker(text: str) -> None:
    assert _hearers(text) == set()


@pytest.mark.parametrize("text", ['She smiled and said, "The lamp is out."', "I told Bob: the lamp is out."])
def test_open_speech_stays_open(text: str) -> None:
    assert _hearers(text) is None
