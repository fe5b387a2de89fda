"""The detector `rules`: messages sent in secret, low voices in other languages, and `psst`."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

Begin = Callable[..., Any]
HERE = ("alice", "bob", "charlie", "dora")
SECRET = "The lamp is out."


def _hearers(story: Begin, text: str) -> set[str]:
    """Who besides Alice hears of the lamp."""
    return {id for id, heard in story(cast=HERE, here=HERE).hears("alice", text).items() if "lamp" in heard}


@pytest.mark.parametrize(
    "direction",
    [
        "texts Bob under the table",
        "texting Bob beneath the desk",
        "sends Bob a text from under the table",
        "messages Bob behind Charlie's back",
        "secretly DMs Bob",
        "discreetly messages Bob",
        "emails Bob, without anyone noticing",
        "slips out her phone under the desk and messages Bob",
    ],
)
def test_a_message_sent_in_secret_is_for_whom_it_is_sent_to(story: Begin, direction: str) -> None:
    assert _hearers(story, f"*{direction}* {SECRET}") == {"bob"}


@pytest.mark.parametrize(
    "direction",
    [
        "kicks the ball under the table",
        "looks under the table",
        "crawls out from under the desk",
        "does not text Bob; says it to all",
        "finds Bob's texts under the table",
        "reads the message under the table",
        "surreptitiously texts her sister",
        "smiles at Bob over her phone",
        "drops the phone under the table",
    ],
)
def test_what_happens_under_a_table_makes_no_message_of_what_is_said(story: Begin, direction: str) -> None:
    assert _hearers(story, f"*{direction}* {SECRET}") == set(HERE) - {"alice"}


@pytest.mark.parametrize(
    "direction",
    [
        "en voz muy baja, a Dora",
        "en voz bajísima, a Dora",
        "muy bajo, a Dora",
        "mit ganz leiser Stimme, zu Dora",
        "sehr leise, zu Dora",
        "à voix très basse, à Dora",
        "d'une voix très basse, à Dora",
        "em voz muito baixa, a Dora",
        "em voz bem baixinha, para Dora",
        "a voce molto bassa, a Dora",
        "a voce bassissima, a Dora",
        "очень тихим голосом, Dora",
    ],
)
def test_a_very_low_voice_in_another_language(story: Begin, direction: str) -> None:
    assert _hearers(story, f"*{direction}* {SECRET}") == {"dora"}


@pytest.mark.parametrize("direction", ["とても小さな声で", "用很小的声音说", "声音很低"])
def test_a_very_low_voice_to_nobody_who_is_named(story: Begin, direction: str) -> None:
    assert _hearers(story, f"*{direction}* {SECRET}") == set()


@pytest.mark.parametrize(
    "direction",
    [
        "en voz muy alta, a Dora",
        "en voz alta, a todos",
        "no habla en voz baja, sino a gritos",
        "mit sehr lauter Stimme, zu Dora",
        "à voix très haute, à Dora",
        "em voz bem alta, a Dora",
        "a voce molto alta, a Dora",
        "громким голосом, Dora",
    ],
)
def test_a_loud_voice_in_another_language(story: Begin, direction: str) -> None:
    assert _hearers(story, f"*{direction}* {SECRET}") == set(HERE) - {"alice"}


@pytest.mark.parametrize(
    "text",
    [
        "Psst... Bob, come here. The lamp is out.",
        "Psst! Bob! The lamp is out.",
        "pssst bob the lamp is out",
        "PSST, Bob. The lamp is out.",
        "Psst — Bob — the lamp is out.",
        "Psst, over here, Bob. The lamp is out.",
        "Bob! Psst! The lamp is out.",
        "Hey, psst, Bob, the lamp is out.",
        "Pst, Bob! The lamp is out.",
        "Hsst, Bob, the lamp is out.",
        '"Psst... Bob, come here. The lamp is out."',
        '"Psst, Bob," she says. "The lamp is out."',
        "*psst* Bob, the lamp is out.",
        "*goes psst* Bob, the lamp is out.",
    ],
)
def test_who_is_called_by_a_hiss_alone_hears_what_follows(story: Begin, text: str) -> None:
    assert _hearers(story, text) == {"bob"}


@pytest.mark.parametrize(
    "text",
    [
        "He said psst to me, Bob. The lamp is out.",
        "Don't you psst me, Bob! The lamp is out.",
        "Psst is no word, Bob. The lamp is out.",
        '"Psst" is all he said. The lamp is out.',
        "Psst, everyone! The lamp is out.",
        "Psst. The lamp is out.",
        "psst was the name of the cat by the lamp",
        "PST is eight hours behind. The lamp is out.",
        "*says psst to the cat* Bob, the lamp is out.",
    ],
)
def test_a_hiss_that_calls_nobody_or_is_only_told_of_keeps_nothing_from_anybody(story: Begin, text: str) -> None:
    assert _hearers(story, text) == set(HERE) - {"alice"}
