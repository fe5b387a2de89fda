"""The detector `rules`: thoughts reach nobody but who thinks them, however they are told."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from random import Random
from typing import Any

import pytest

from earwitness.formats import as_said
from earwitness.records.character import Character
from earwitness.records.moment import Presence

from .generated import CAST, SECRET, Generator
from .labelled import LabelledMessage, labelled_messages, reached, touched

Begin = Callable[..., Any]
EVERYBODY = ["alice", "bob", "charlie"]
TEXTS = 4_000
MOST_LOST = 0.08


@pytest.mark.parametrize(
    ("text", "others"),
    [
        ("[I must not say it.] (whispers) Stay.", None),
        ("[I must not say it.] (To the medic) Check him.", None),
        ('I must not tell him, she thought. "Hello, Bob."', '"Hello, Bob."'),
        ('_I hate him,_ she thinks. "Hi."', '"Hi."'),
        ('Alice thinks that Bob is lying. "Good evening, Bob," she says.', '"Good evening, Bob," she says.'),
        ('"Fool," she said to herself. "Hello!"', '"Hello!"'),
        ('"Fool," Alice thought, "what a fool." She nods.', "She nods."),
        ('She wondered whether Bob knew. "Hello!"', '"Hello!"'),
        ('She looked at him, and thought: "Fool."', None),
        ("*Fool, she thinks.* Hello!", "Hello!"),
        ("Alice (thinking): He lies.\nAlice: Hello!", "Alice: Hello!"),
        ("**Alice (thinking):** He lies.\n**Alice:** Hello!", "**Alice:** Hello!"),
        ("*Alice [inner voice]*: He lies.", None),
        ('"Hello!" *Fool, she thinks.*', '"Hello!"'),
        ('I *really* hate him, she thought. "Hello!"', '"Hello!"'),
        ("I must not say “sword”, she thought.", None),
        ("Thought: He lies.\n\nHello!", "Hello!"),
        ('(Thought: he lies) "Hello!"', '"Hello!"'),
        ("{He lies.} Hello!", "Hello!"),
        ('<i>He lies,</i> she thought. "Hello!"', '"Hello!"'),
        ("[He said [twice] that I lie.] Hello!", "Hello!"),
        ('"Hello [he lies, "the fool", always] there!"', '"Hello there!"'),
        ("(under her breath) Fool.", None),
        ("/me smiles [what a fool]", None),
        ("[He lies, and always has", None),
        ("*The map must be mine. I have waited so long.* Hello!", "Hello!"),
        ("*Not him again.* Hello!", "Hello!"),
        ("Hello! To herself: he lies.", "Hello!"),
        ("*smiles* Hello! Secretly, she hoped that he would leave.", "*smiles* Hello!"),
        ("*smiles* Hello! Part of her knew that he lied.", "*smiles* Hello!"),
        ("*smiles* Hello! Her only thought was that he lied.", "*smiles* Hello!"),
        ("*smiles* Hello! She kept it to herself that he lied.", "*smiles* Hello!"),
        ("Hello! Aside: he lies.", "Hello!"),
        ('"Hello!" Unknown to the others, she has the map.', '"Hello!"'),
        ('"He lies." Alice thought. "Hello!"', '"Hello!"'),
        ('"He lies." She did not say it. "Hello!"', '"Hello!"'),
        ('"Come in." She knew his face.', '"Come in."'),
        ('"Come in." Alice remembered the fire and shivered.', '"Come in."'),
        ('"Come in." She thought of her mother. "Sit down."', '"Come in." "Sit down."'),
        ('"Come in." She doesn\'t tell them about the map.', '"Come in."'),
    ],
)
def test_others_hear_what_is_said_and_nothing_of_what_is_thought(story: Begin, text: str, others: str | None) -> None:
    heard = story(here=EVERYBODY).hears("alice", text)
    assert heard == (dict.fromkeys(("bob", "charlie"), others) if others else {})


@pytest.mark.parametrize(
    "text",
    [
        "I think we should go.",
        "I thought you said Tuesday.",
        "She told herself she would never come back, she says.",
        "What does he think of it?",
        '"I thought you were dead!" she cries.',
        "*lost in thought, stirs the soup*",
        "*thinks it over* Fine.",
        "Without thinking, I said yes.",
        "He said (twice) that it was late.",
        "Alice (smiling): Good evening.",
        "(softly, to everybody) Good night.",
        "_waves_",
        "I did _not_ say so.",
        "The map is mine! I have waited so long for you, Bob.",
        "*walks down into the mine* Hello!",
        "*smiles* Her only hope is the well, Bob. The thought of it makes me laugh.",
        "The author is unknown to me, Bob.",
    ],
)
def test_what_only_sounds_like_a_thought_is_heard_by_everybody(story: Begin, text: str) -> None:
    assert story(here=EVERYBODY).hears("alice", text) == dict.fromkeys(("bob", "charlie"), text)


def test_who_leaves_while_thinking_is_gone(story: Begin) -> None:
    tavern = story(here=EVERYBODY)
    tavern.say("alice", "Oh no, thought Alice, and left the room.")
    assert tavern.present == {"bob", "charlie"}


@pytest.mark.parametrize(
    "text", ["[Charlie walks in.]", "Charlie walks in any minute, she thought.", "{Charlie walks in}"]
)
def test_who_only_comes_in_a_thought_does_not_come(story: Begin, text: str) -> None:
    tavern = story(here=["alice", "bob"], away=["charlie"])
    tavern.say("alice", text)
    assert tavern.present == {"alice", "bob"}


def test_what_is_whispered_to_nobody_known_and_what_is_thought_have_an_audience_of_nobody(story: Begin) -> None:
    found = story(here=EVERYBODY).judge("alice", "[I must not say it.] (whispers to the medic) Stay.").segments
    assert [(segment.kind, segment.audience) for segment in found] == [("thought", ()), ("whisper", ())]


def messages(story: Begin) -> Iterator[tuple[LabelledMessage, dict[str, list[bool]]]]:
    """Every labelled message, with what each listener perceives of it, letter by letter."""
    for message in labelled_messages():
        ids = {name: re.sub(r"\W+", "-", name.lower()).strip("-") for name in message.cast}
        tavern = story(cast=[Character(id, name=name) for name, id in ids.items()], here=ids.values())
        presence = tavern.judge(ids[message.speaker], message.text)
        listeners = [name for name in message.cast if name != message.speaker]
        yield message, {name: reached(presence, message.text, ids[name]) for name in listeners}


def test_in_two_hundred_scenes_no_thought_reaches_a_listener(story: Begin) -> None:
    pairs = [
        (message.scene, message.text[slice(*thought)], listener, touched(thought, message.text, heard))
        for message, listeners in messages(story)
        for thought in message.thoughts
        for listener, heard in listeners.items()
    ]
    assert len(pairs) > 700
    assert [pair for pair in pairs if pair[-1]] == []


def test_in_two_hundred_scenes_nearly_all_that_is_said_aloud_is_heard(story: Begin) -> None:
    lost = [
        any(not heard[at] for at in range(*said) if message.text[at].isalnum())
        for message, listeners in messages(story)
        for said in message.open
        for heard in listeners.values()
    ]
    assert len(lost) > 600
    assert sum(lost) / len(lost) < MOST_LOST


def test_in_texts_put_together_at_random_no_thought_reaches_a_listener(story: Begin) -> None:
    for text in Generator(Random(1)).texts(TEXTS):
        if said := as_said(text):
            heard = story(cast=CAST, here=CAST).hears("alice", said)
            assert not any(SECRET in part.lower() for part in heard.values()), said


def test_segments_add_up_to_the_text(story: Begin) -> None:
    for text in Generator(Random(2)).texts(500):
        presence: Presence = story(cast=CAST, here=CAST).judge("alice", text)
        if presence.segments:
            reached(presence, text, "bob")
