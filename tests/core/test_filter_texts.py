"""Filters as text: one comparison, as it is written on the command line."""

import json
from contextlib import suppress
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from earwitness.errors import InvalidFilter
from earwitness.filters import OPERATORS, Compare, Filter, Scalar, parse
from earwitness.testing.strategies import scalars


@pytest.mark.parametrize(
    ("text", "parsed"),
    [
        ("gameDay<=3", Compare("gameDay", "<=", 3)),
        ("game_day > 2.5", Compare("gameDay", ">", 2.5)),
        ("  gameDay  >=  -1 ", Compare("gameDay", ">=", -1)),
        ("type==lore", Compare("type", "==", "lore")),
        ("speaker!=bob", Compare("speaker", "!=", "bob")),
        ("isSpeaker==true", Compare("isSpeaker", "==", True)),
        ('speaker=="true"', Compare("speaker", "==", "true")),
        ('speaker=="3"', Compare("speaker", "==", "3")),
        ('speaker==""', Compare("speaker", "==", "")),
        ("speaker==null", Compare("speaker", "==", "null")),
        ("speaker==[1]", Compare("speaker", "==", "[1]")),
        ("location==the cave", Compare("location", "==", "the cave")),
        ("location!=a==b", Compare("location", "!=", "a==b")),
        ("location==a>=b", Compare("location", "==", "a>=b")),
        ("location==two\nlines", Compare("location", "==", "two\nlines")),
        ("gameDay<1e3", Compare("gameDay", "<", 1000)),
        ('location = "tavern"', Compare("location", "==", "tavern")),
        ("location = 'tavern'", Compare("location", "==", "tavern")),
        ("location = “tavern”", Compare("location", "==", "tavern")),
        ("location = ‘tavern’", Compare("location", "==", "tavern")),
        ("speaker=='3'", Compare("speaker", "==", "3")),
        ("speaker=''", Compare("speaker", "==", "")),
        ("title='x and y=3'", Compare("title", "==", "x and y=3")),
        ("speaker='O'Brien'", Compare("speaker", "==", "O'Brien")),
        ("speaker=O'Brien", Compare("speaker", "==", "O'Brien")),
        ("title='tis so", Compare("title", "==", "'tis so")),
        ("title='", Compare("title", "==", "'")),
        ("gameDay=3", Compare("gameDay", "==", 3)),
        ("location=a==b", Compare("location", "==", "a==b")),
        ('speaker=""', Compare("speaker", "==", "")),
    ],
)
def test_a_comparison_is_read(text: str, parsed: Filter) -> None:
    assert parse(text) == parsed


@pytest.mark.parametrize(
    "text",
    [
        "",
        "gameDay",
        "=3",
        "==3",
        " == 3",
        "game day is 3",
        "<>",
        "gameDay <> 3",
        "gameDay=>3",
        "gameDay=!3",
        "x ===",
        "x===3",
        "x>==3",
    ],
)
def test_what_is_no_comparison_is_refused_and_quoted(text: str) -> None:
    with pytest.raises(InvalidFilter, match=r"must read FIELD OPERATOR VALUE") as refused:
        parse(text)
    assert repr(text) in str(refused.value)


@pytest.mark.parametrize("text", ["gameDay<=three", "gameDay<true", 'gameDay>"3"', "gameDay<=NaN", "gameDay==Infinity"])
def test_a_value_that_cannot_be_compared_is_refused(text: str) -> None:
    with pytest.raises(InvalidFilter):
        parse(text)


@given(st.sampled_from(("speaker", "gameDay", "own field")), st.sampled_from(OPERATORS), scalars)
def test_what_is_written_is_read_back(field: str, op: Any, value: Scalar) -> None:
    try:
        written = Compare(field, op, value)
    except InvalidFilter:
        return
    assert parse(f"{field} {op} {json.dumps(value)}") == written


@given(st.text(st.sampled_from("ab1 =<>!\"'."), max_size=8))
def test_any_text_is_a_comparison_or_refused(text: str) -> None:
    with suppress(InvalidFilter):
        assert isinstance(parse(text), Compare)
