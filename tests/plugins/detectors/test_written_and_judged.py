"""The detector `rules`: judgements between asterisks, notes on paper, and words for one pair of ears."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from ...durations import ever_below

Begin = Callable[..., Any]
EVERYBODY = ["alice", "bob", "charlie"]


@pytest.mark.parametrize(
    ("text", "others"),
    [
        (
            '"Fine," she said aloud. *He is lying, he has to be.* "Go on, Charlie."',
            '"Fine," she said aloud. "Go on, Charlie."',
        ),
        ('*Her eyes narrow. He is lying to us, I know it.* "Go on."', '"Go on."'),
        ('*Bob is a traitor.* "More wine?"', '"More wine?"'),
        ('"More wine?" *He must never learn of the gold.*', '"More wine?"'),
        ('*She smiles. I hate him more every day.* "Welcome back!"', '"Welcome back!"'),
        ('*Charlie knows too much.* "Sit down, Charlie."', '"Sit down, Charlie."'),
        ('*The room is cold, and I can\'t let them see me shiver.* "Come in."', '"Come in."'),
        ('*nods. My plan is working.* "Agreed."', '"Agreed."'),
        ('*They will never find the key.* "Good night."', '"Good night."'),
        ('_he must be the thief_ "Good night."', '"Good night."'),
        ('*He’s hiding something.* "Good night."', '"Good night."'),
        ('*Nobody can know.* "Good night."', '"Good night."'),
        ('*Looks away. Oh god, he is armed.* "Good night."', '"Good night."'),
        ('Alice\'s mind raced: he must die. "Hi, Bob!"', '"Hi, Bob!"'),
        ('Her thoughts went in circles: the gold, the well, the rope. "Hi, Bob!"', '"Hi, Bob!"'),
        ('"Hi, Bob!" Her mind raced: run.', '"Hi, Bob!"'),
        ('A little voice said: poison him. "Hi, Bob!"', '"Hi, Bob!"'),
        ('*She hates him.* "Hi."', '"Hi."'),
        ('*I\'m going to kill him.* "Hi."', '"Hi."'),
        ('"Hi." He must die, she knew it.', '"Hi."'),
        ("Alice's mind raced: he must die.", None),
        ("*Her mind races: he must die.*", None),
    ],
)
def test_what_nobody_can_see_stays_with_who_judges(story: Begin, text: str, others: str | None) -> None:
    heard = story(here=EVERYBODY).hears("alice", text)
    assert heard == (dict.fromkeys(("bob", "charlie"), others) if others else {})


@pytest.mark.parametrize(
    "text",
    [
        "*He is lying on the floor.*",
        "*The door opens.*",
        "*nods*",
        "*smiles; he is late*",
        "*The dog is lying by the fire, asleep.*",
        "*She leans on the table; it creaks.*",
        '*shrugs and says "Surely he must be late."*',
        "*Bob is standing at the window.*",
        "*points at the thief*",
        "*It is raining, and the lamps are lit.*",
        "*She has to lean on the table.*",
        "*waves to the one at the door*",
        "*writes something down and folds the paper*",
        "*passes the salt to Bob*",
        '*hands Bob the letter and says:* "Read it later."',
        '*reads the letter aloud: "The king is dead."*',
        '*shows everybody the sign: "Closed."*',
        '*writes on the blackboard: "Two and two."*',
        '*turns to Bob:* "Good evening."',
        '*slips Bob a coin and sits down* "Cheers!"',
        'She passes the letter to Bob and says: "Here."',
        "*speaks so that everybody can hear* Good evening.",
        '*looks up; only Bob is there* "Good evening."',
        "My mind is made up: we leave at dawn.",
    ],
)
def test_what_everybody_can_see_or_hear_reaches_everybody(story: Begin, text: str) -> None:
    assert story(here=EVERYBODY).hears("alice", text) == dict.fromkeys(("bob", "charlie"), text)


@pytest.mark.parametrize(
    ("text", "reader", "others"),
    [
        (
            '*she scribbles a note and passes it to Bob: "gold is in the well"* "Cheers!"',
            "bob",
            '*she scribbles a note and passes it to Bob: * "Cheers!"',
        ),
        ('*slips Bob a folded note: "run"* "Cheers!"', "bob", '*slips Bob a folded note: * "Cheers!"'),
        (
            '*slides a letter across the table to Charlie: "he lies" and winks*',
            "charlie",
            "*slides a letter across the table to Charlie: and winks*",
        ),
        ("*texts Bob: the gold is in the well*", "bob", "*texts Bob: *"),
        ('*texts Bob* "The gold is in the well."', "bob", "*texts Bob*"),
        ('*hands Bob a letter that reads "gold in the well"*', "bob", "*hands Bob a letter that reads *"),
        ('*holds up a sign to Charlie: "he lies"*', "charlie", "*holds up a sign to Charlie: *"),
        ('*presses a note into Bob\'s hand:* "run"', "bob", "*presses a note into Bob's hand:*"),
        ('She slips Bob a note: "gold is in the well."', "bob", "She slips Bob a note:"),
        (
            '*nods to Charlie, then passes a note to Bob: "he lies"*',
            "bob",
            "*nods to Charlie, then passes a note to Bob: *",
        ),
        ('I pass Bob a note: "the gold"', "bob", "I pass Bob a note:"),
        ('*leaves a note on the table: "the gold"*', None, "*leaves a note on the table: *"),
        ('*scribbles a note: "gold is in the well"*', None, "*scribbles a note: *"),
        ('*writes in a letter: "gold is in the well"* "Cheers!"', None, '*writes in a letter: * "Cheers!"'),
        ('*passes a note to the stranger: "Bob lies"*', None, "*passes a note to the stranger: *"),
        ('*passes him a note: "he lies"*', None, "*passes him a note: *"),
    ],
)
def test_a_note_is_read_by_whom_it_is_passed_to_and_seen_by_all(
    story: Begin, text: str, reader: str | None, others: str
) -> None:
    heard = story(here=EVERYBODY).hears("alice", text)
    assert {id: " ".join(part.split()) for id, part in heard.items()} == {
        id: text if id == reader else others for id in ("bob", "charlie")
    }


@pytest.mark.parametrize(
    "text",
    [
        '*mutters under her breath so that only Bob can hear* "He lies."',
        '*mutters, so quietly that only Bob hears* "He lies."',
        '*under her breath, for Bob\'s ears only* "He lies."',
        '*speaks to Bob alone* "He lies."',
        '*says, just loud enough for Bob to hear* "He lies."',
        '*in a voice that nobody but Bob can hear* "He lies."',
        '"He lies," she mutters, so that only Bob can hear.',
        '(so that only Bob can hear) "He lies."',
        '*murmurs, audible only to Bob* "He lies."',
    ],
)
def test_words_for_one_pair_of_ears_reach_that_one(story: Begin, text: str) -> None:
    assert story(here=EVERYBODY).hears("alice", text) == {"bob": text}


@pytest.mark.parametrize(
    "text",
    [
        '*mutters under her breath* "He lies."',
        '*mutters so that only she can hear* "He lies."',
        '*says to herself alone* "He lies."',
        '*so that only Zorro can hear* "He lies."',
    ],
)
def test_words_for_nobody_known_stay_with_the_speaker(story: Begin, text: str) -> None:
    assert story(here=EVERYBODY).hears("alice", text) == {}


def test_a_note_within_a_whisper_is_read_by_nobody_whom_the_whisper_leaves_out(story: Begin) -> None:
    heard = story(here=EVERYBODY).hears("alice", '*whispers to Charlie* She slips Bob a note: "the gold." "Run!"')
    assert "gold" not in "".join(heard.values())


@pytest.mark.parametrize(
    "piece",
    [
        "*note: ",
        "note:",
        "„",
        "slips Bob a note: ",
        "mind raced ",
        "only for Bob, ",
        "so only ",
        "he is ",
        '"*',
        "text to ",
    ],
)
def test_long_texts_are_read_in_one_go(story: Begin, piece: str) -> None:
    text = "*" + piece * (40_000 // len(piece)) + '*" slips Bob a note:'
    assert ever_below(2, lambda: story(here=EVERYBODY).hears("alice", text))
