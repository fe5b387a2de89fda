"""What people plainly say of themselves is a fact; what is quoted, denied, asked or imagined is none."""

from __future__ import annotations

import time

import pytest

from earwitness_plugins.facts.talk import facts_in


def said(text: str) -> list[str]:
    return [each.sentence("Kim") for each in facts_in(text)]


@pytest.mark.parametrize(
    ("text", "facts"),
    [
        ("I'm Alex and I'm learning Python.", ["Kim goes by the name Alex.", "Kim is learning Python."]),
        ("Hello, I’m Alex!", ["Kim goes by the name Alex."]),
        ("You can call me Mary Ann.", ["Kim goes by the name Mary Ann."]),
        ("By the way, my birthday is on 4 May.", ["Kim's birthday is 4 May."]),
        ("I live in New York, but I come from Peru.", ["Kim lives in New York.", "Kim comes from Peru."]),
        ("I really love old maps, and I hate boats.", ["Kim loves old maps.", "Kim hates boats."]),
        ("I am 34 years old. I work as a nurse.", ["Kim is 34 years old.", "Kim works as nurse."]),
        ("Ich heiße Jörg und ich wohne in Köln.", ["Kim nennt sich Jörg.", "Kim wohnt in Köln."]),
        ("Ich bin nach Bremen gezogen.", ["Kim wohnt in Bremen."]),
        ("I moved to New York last year with my cats.", ["Kim lives in New York."]),
        ("I live in Stoke on Trent, England.", ["Kim lives in Stoke on Trent, England."]),
        ("Je m'appelle Zoé, j'habite à Lyon.", ["Kim s'appelle Zoé.", "Kim habite : Lyon."]),
        ("Me llamo Inés y vivo en Madrid.", ["Kim se llama Inés.", "Kim vive en Madrid."]),
        ('*She smiles.* "I live in Rome."', ["Kim lives in Rome."]),
    ],
)
def test_what_is_plainly_said_of_oneself_is_a_fact(text: str, facts: list[str]) -> None:
    assert said(text) == facts


@pytest.mark.parametrize(
    "text",
    [
        "Do you know that I live in Rome?",
        "I don't love cats.",
        "I never lived in Rome.",
        "If I live in Rome, I love it.",
        "I wish my name was Alex.",
        "Imagine I live in Rome.",
        'He said: "I live in Rome."',
        '"I live in Rome", Bob says.',
        "“I'm Alex” is a song.",
        "> I live in Rome",
        "`I live in Rome`",
        "*I live in Rome*",
        "(I live in Rome)",
        "My brother lives in Rome.",
        "I love you.",
        "I love it here.",
        "I'm sorry. I'm fine. I'm Fine. I'm German. I'm tired.",
        "I'm 5 minutes late.",
        "I live in fear.",
        "I work as hard as I can.",
        "In my dream I live in Rome, and I love cheese.",
        "Ich liebe dich. Ich wohne nicht in Köln. Wohne ich in Köln?",
        "I'm Bob's. I'm Bob's brother.",
        "I love my mother, and I love the way you sing.",
        "Ich bin nach Hause gegangen.",
        "My character says I'm Alex.",
        "",
    ],
)
def test_what_is_not_plainly_said_is_none(text: str) -> None:
    assert said(text) == []


def test_a_long_text_takes_no_time() -> None:
    began = time.perf_counter()
    for text in ("I love " + "a " * 100_000, '"' * 100_000, "*" * 100_000, "(" * 100_000, "I'm A" + " A" * 50_000):
        facts_in(text)
    assert time.perf_counter() - began < 10
