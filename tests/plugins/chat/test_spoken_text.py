"""What of an answer a character says: no reasoning, no names, and nobody else's lines."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from earwitness_plugins.applications.chat.spoken_text import MOST, SpokenText


def spoken(*pieces: str) -> SpokenText:
    found = SpokenText(["bob", "Bob"], ["Alice", "Kim"])
    shown = "".join([*map(found.add, pieces), found.rest()])
    assert shown == found.shown
    return found


@pytest.mark.parametrize(
    ("pieces", "text"),
    [
        (["Hel", "lo, ", "Kim."], "Hello, Kim."),
        (["Bo", "b", ": Hello."], "Hello."),
        (["**Bob:** Hello."], "Hello."),
        (["<thi", "nk>Kim is", " odd</thi", "nk>Hello."], "Hello."),
        (["Hello.\nKi", "m: And I say", " yes."], "Hello."),
        (["Hello.\n", "Kim is here."], "Hello.\nKim is here."),
        (["*nods* 3 < 4, ", "or so"], "*nods* 3 < 4, or so"),
        (["Hello.\r\n\r\nBye."], "Hello.\n\nBye."),
        (["Kim: you first"], ""),
        ([""], ""),
    ],
)
def test_what_is_said(pieces: list[str], text: str) -> None:
    found = spoken(*pieces)
    assert found.text == text
    assert found.shown == text


def test_it_ends_where_somebody_else_speaks_and_after_a_limit() -> None:
    assert spoken("Hello.\nAlice: And I").ended
    assert not spoken("Hello.").ended
    endless = spoken(*["x" * 1_000] * 30)
    assert endless.ended
    assert len(endless.text) == MOST


def test_reasoning_that_was_never_opened_is_not_what_was_said() -> None:
    found = SpokenText(["Bob"], [])
    found.add("Kim wants something from me.")
    found.add("</think>Hello.")
    found.rest()
    assert found.text == "Hello."
    assert found.shown != found.text


@settings(max_examples=50)
@given(st.lists(st.sampled_from(["Bob", "Kim", ":", " ", "\n", "a", "<", "b>", "*", "x y", "["]), max_size=14))
def test_pieces_make_no_difference(pieces: list[str]) -> None:
    assert spoken(*pieces).text == spoken("".join(pieces)).text
