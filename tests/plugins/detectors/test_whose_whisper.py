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
        '"Well, Charlie?" "The lamp is out," she said, too low for anyone but Bob to hear.',
        "She set the cup on the table.\nAlice whispered to Bob that the lamp is out.",
        "She told Bob, in a whisper, that the lamp is out.",
        '*nods* *leans back and, barely audible, to Bob:* "The lamp is out."',
        '"Cheers," Alice says, raising her glass, and for Bob alone: "The lamp is out."',
        "I squeezed Bob's arm. \"The lamp is out,\" I breathed, so low the others couldn't have heard.",
        '"Well, Charlie?" Alice bent close to Bob and muttered: "The lamp is out."',
        '"The lamp is out," *bent over to Bob and hissed*',
        'Alice drew Bob aside. "The lamp is out."',
        '"The lamp is out," Alice said to Bob in a low voice.',
        '"What a fool," she thought. Alice put her lips to Bob\'s ear. "The lamp is out."',
        '*slips past Charlie to Bob, keeping her voice down* "The lamp is out."',
        '"The lamp is out," *mouths to Bob*',
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


@pytest.mark.parametrize(
    "text",
    [
        '*barely audible* "The lamp is out."',
        '(under her breath) The lamp is out. *aloud* "Tea?"',
        '"The lamp is out," she almost said.',
        '"Tea?" *almost says "the lamp is out" but swallows it*',
        '"Tea?" (unspoken) The lamp is out.',
        "*doesn't say it aloud: the lamp is out*",
        'She opened her mouth to say that the lamp was out, then closed it again. "Tea?"',
        "Alice kept to herself that the lamp was out.",
        '*The lamp is out* - she bit her tongue. "Good evening."',
        '*The lamp is out.* The thought would not leave her. "Good evening."',
        "She thought: the lamp is out.\nShe set the cup on the table.",
        "Silently she added: the lamp is out.\n\nShe set the cup on the table.",
        "It struck her: the lamp is out. *smiles*",
        "The lamp is out, she added silently. *smiles*",
        '*smiles* "Who is hungry?" Thoughts: The lamp is out.',
        "**Alice's thoughts:** The lamp is out.\n\n**Alice:** Hello.",
        "[Alice's thoughts] The lamp is out.\n[Alice] Hello.",
        "In her mind, the lamp is out. Alice poured the wine.",
        "Alice nodded, while inside her a small voice was screaming: the lamp is out!",
    ],
)
def test_what_is_not_said_reaches_nobody(text: str) -> None:
    assert _hearers(text) == set()


@pytest.mark.parametrize(
    "text",
    [
        '"The lamp is out." She recalled that she hated him.',
        '"The lamp is out." Silently she added: the fool.',
        '"The lamp is out." She whispered to Bob that the guard slept.',
        '"The lamp is out." Alice drew Bob aside. "Run."',
        '"Fool," she thought. Alice set the lamp on the table.',
        "I almost fell over the lamp!",
        "She told me that the lamp is out.",
        "You know, the lamp is out. He wondered if you knew.",
    ],
)
def test_what_stands_beside_something_private_stays_open(text: str) -> None:
    assert _hearers(text) is None


@pytest.mark.parametrize("text", ['She smiled and said, "The lamp is out."', "I told Bob: the lamp is out."])
def test_open_speech_stays_open(text: str) -> None:
    assert _hearers(text) is None
