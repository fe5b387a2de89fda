"""Who knows something is found in time that grows with what is asked and read, whatever the texts are like."""

from __future__ import annotations

import pytest

from earwitness.backstage.evidence import Evidence
from earwitness.backstage.inquiry import Inquiry
from earwitness.backstage.knowers import Knower
from earwitness.loading.settings import Calendar
from earwitness.records.learned import Learned

from ..durations import grows_at_most

LINEAR = 2.7
"""The most by which anything linear grows from n to 2n, with some room for noise. Quadratic growth is by 4."""
NAMES = {"alice": "alice", "bob": "bob"}


def heard(text: str, number: int = 0) -> Evidence:
    return Evidence(
        learned=Learned(way="heard", teller="bob"),
        since=1.0,
        memory_id=f"m{number}",
        text=f"bob: {text}",
        trust=1.0,
        strength=1.0,
        rank=(1.0, number, False, (0, 0.0, 0, 0.0, "", "", "")),
    )


def asked(question: str, *texts: str) -> Knower:
    """What Alice knows, who heard these texts."""
    inquiry = Inquiry(question, Calendar(), names=NAMES)
    evidence = [heard(text, number) for number, text in enumerate(texts)]
    return inquiry.inferred({"alice": inquiry.knower("alice", evidence)}, {"alice": evidence})["alice"]


def known(question: str, text: str) -> Knower:
    """What Alice knows, who heard this text, by its words alone."""
    return Inquiry(question, Calendar(), names=NAMES).knower("alice", [heard(text)])


def repeated(unit: str, size: int) -> str:
    return unit * (size // len(unit))


def test_a_long_statement_is_not_asked_for_with_every_choice_of_its_details_left_out() -> None:
    prose = "Bob picks up the sword and tells Alice that it is hers. "
    assert grows_at_most(
        LINEAR, lambda size: asked(repeated(prose, size), "This is the sword number 7. Bob tells it."), 400, 800
    )


@pytest.mark.parametrize("unit", ["Bob x ", "Bob has ", "has a secret ", "not the sword is "])
def test_a_long_sentence_without_marks_is_read_word_by_word(unit: str) -> None:
    text = repeated(unit, 16_000)
    assert grows_at_most(LINEAR, lambda size: known(text[: size // 2], text[:size]), 8_000, 16_000)


@pytest.mark.parametrize("unit", ["red ", "Something was seen by Bob and Alice ", "Bob knew "])
def test_a_long_memory_is_read_for_what_it_says_besides_in_time_that_grows_with_its_length(unit: str) -> None:
    question = "The heavy sword is in the red vase"
    text = repeated(unit, 24_000)
    assert grows_at_most(LINEAR, lambda size: asked(question, text[:size]), 12_000, 24_000)
