"""The detector `rules`: thoughts in prose that nothing marks, beside dialogue in quotation marks."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

Begin = Callable[..., Any]
HERE = ("alice", "bob", "charlie")


@pytest.mark.parametrize(
    ("text", "heard"),
    [
        ('"Take it," said Alice. My mother\'s waiting in the cold. The stove is out.', '"Take it," said Alice.'),
        ('"Sit," said Alice. He limps. His left shoe is new. She drew up a chair.', None),
        (
            '"Nobody, now," said Alice. I always buy two. One with sugar. She stirred her cup.',
            '"Nobody, now," said Alice. She stirred her cup.',
        ),
        ("„Setz dich“, sagte Alice. Ich kenne diesen Ring. Sie schob ihm den Stuhl hin.", None),
    ],
)
def test_where_prose_says_she_what_says_i_is_a_thought(story: Begin, text: str, heard: str | None) -> None:
    found = story(here=HERE).hears("alice", text)["bob"]
    assert found == heard if heard else "I always" not in found and "Ich kenne" not in found


def test_who_tells_in_the_first_person_does_what_i_do(story: Begin) -> None:
    text = '"Sit," I said. I drew up a chair.'
    assert story(here=HERE).hears("alice", text)["bob"] == text


def test_where_all_speak_in_quotation_marks_words_without_any_are_thoughts(story: Begin) -> None:
    chess = story(here=HERE)
    chess.say("alice", '"Your move," said Alice, and she stopped the clock.')
    chess.say("bob", '"I know," Bob said. He moved the rook.')
    assert chess.hears("charlie", "The rook was on d1. So he cheats. He would never have dared alone.") == {}
    assert chess.hears("alice", "Alice looked at the board. Why had he moved it? He must think her blind.") == {}


def test_a_deed_told_without_quotation_marks_is_seen(story: Begin) -> None:
    chess = story(here=HERE)
    chess.say("alice", '"Your move," said Alice, and she stopped the clock.')
    chess.say("bob", '"I know," Bob said. He moved the rook.')
    deed = "Alice got up and opened the window."
    assert chess.hears("alice", deed) == {"bob": deed, "charlie": deed}


@pytest.mark.parametrize(
    "before",
    [
        ["hi there", "what a day"],
        ['"No way," he said lol. that was funny', "i know right"],
        ['"Your move," said Alice, and she stopped the clock.', "My move then."],
    ],
)
def test_who_writes_plainly_among_plain_writers_is_heard(story: Begin, before: list[str]) -> None:
    chat = story(here=HERE)
    for speaker, text in zip(("alice", "bob"), before, strict=True):
        chat.say(speaker, text)
    said = "I must say it could have been worse. Nobody knows why."
    assert chat.hears("bob", said) == {"alice": said, "charlie": said}


def test_who_has_never_used_quotation_marks_still_speaks_to_others(story: Begin) -> None:
    inn = story(here=HERE)
    inn.say("alice", '"Your move," said Alice, and she stopped the clock.')
    inn.say("bob", '"I know," Bob said. He moved the rook.')
    said = "What would you have done?"
    assert inn.hears("charlie", said) == {"alice": said, "bob": said}
