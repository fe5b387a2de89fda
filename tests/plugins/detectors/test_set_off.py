"""What stands between asterisks, tildes or bars: a deed, or a thought that nothing calls one."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from ...durations import ever_below

Begin = Callable[..., Any]

HERE = ["alice", "bob"]


@pytest.mark.parametrize(
    "text",
    [
        'Alice pours the tea and sits down. "Sugar?" *Nine months of lessons and the gold still sank.*',
        '"It is nothing," I told him, and pulled my sleeve down. *Ten feet, the map had said. The gold lay deeper.*',
        'Alice kneels by the box.\n\n> *The lid is warm. And the gold is gone.*\n\n"We should go," she says.',
        '"Thank you, Bob!" *it is the ugliest gold thing ever made*',
        "*checks the door* we're clear, sit down. ~he looks awful, did he see the gold?~",
        "*waters the plants* stay a little longer?\n~~i dreamed of the gold again~~",
        "the plan is simple. ||the plan is not simple, there is no gold||",
        '💭 *He kept the gold. All of it.*\n\n"Bob? The attic is clear."',
        'Alicia apoyó la taza en la mesa. "Quédate con todo, Bob." *Mentira. Quería hasta el gold.*',
        '(omg he actually found the gold)\n\n"Oh, you\'re early."',
        '(Was it the exam... or the gold?)\n\n"Sit here, Bob."',
    ],
)
def test_a_thought_that_nothing_calls_one_stays_with_who_thinks(story: Begin, text: str) -> None:
    heard = story(here=HERE).hears("alice", text)
    assert "gold" not in heard.get("bob", "")


@pytest.mark.parametrize(
    "text",
    [
        "*smiles and puts the gold away* Hello!",
        "*She puts the gold away and sits down.* Hello!",
        '*The bell rings. Alice puts the gold away.* "Hello!"',
        "*a long, slow look at the gold*",
        "*lost in thought, turns the gold over*",
        "*he's back with the gold, soaked* hi",
        "*does not touch the gold*",
        "*When all are seated, I walk across and put down the gold.* There.",
        '**The gold room, after supper**\n\nAlice sat down. "Hello, Bob," she said.',
        "(She cracks a nut and throws the gold over her shoulder.)\nYou're short.",
        'Alice puts down her cards. "It is *gold*, my dear," she says.',
    ],
)
def test_a_deed_is_seen_by_everybody(story: Begin, text: str) -> None:
    assert "gold" in story(here=HERE).hears("alice", text)["bob"]


@pytest.mark.parametrize(
    ("text", "open_to_all"),
    [
        (
            'Alice sets down the cups. She leans over to Bob and whispers, "The gold!" Then she laughs aloud.',
            "sets down the cups",
        ),
        (
            '"Lovely weather." She takes Bob\'s arm, and as they turn she whispers to him, "The gold!"',
            "Lovely weather",
        ),
        (
            'I smile. I get my mouth near Bob\'s collar. "It is in the bird," I tell him. "The gold, I mean."',
            "I smile",
        ),
        (
            'Alice taps out a message where only Bob can read it: *take the gold.* "Pass the salt."',
            "Pass the salt",
        ),
        (
            '„Guten Abend", sagte Alice laut. Dann, ganz leise zu Bob: „Das gold ist weg."',
            "Guten Abend",
        ),
    ],
)
def test_of_prose_only_what_is_whispered_is_kept_from_others(story: Begin, text: str, open_to_all: str) -> None:
    heard = story(here=["alice", "bob", "charlie"]).hears("alice", text)
    assert "gold" in heard["bob"].casefold()
    assert "gold" not in heard["charlie"].casefold()
    assert open_to_all in heard["charlie"]


def test_a_tag_in_another_language_says_what_was_thought(story: Begin) -> None:
    text = "Алиса улыбнулась. «Золото моё», — подумала она. Потом она села."
    heard = story(here=HERE).hears("alice", text)
    assert "Золото" not in heard.get("bob", "")


@pytest.mark.parametrize("piece", ["slowly ", "with a big ", "now then ", "~he looks "])
def test_what_repeats_itself_is_soon_read(story: Begin, piece: str) -> None:
    assert ever_below(2, lambda: story(here=HERE).hears("alice", f"*{piece * 2000}*"))
