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
        (["Kim: you", " first"], ""),
        ([""], ""),
        (["Hello.\n- ", "Bring rope.\n", "- Kim's rope."], "Hello.\n- Bring rope.\n- Kim's rope."),
        (["Hello. ", "(Kim whis", "pers) No."], "Hello. (Kim whispers) No."),
        (["<|im_start|>assistant\n", "Hello.<|im_", "end|>"], "Hello."),
        (["[Bob] : Hello."], "Hello."),
        (["Bob (whispering): Hello."], "Bob (whispering): Hello."),
    ],
)
def test_what_is_said(pieces: list[str], text: str) -> None:
    found = spoken(*pieces)
    assert found.text == text
    assert found.shown == text


@pytest.mark.parametrize(
    "line",
    [
        "Kim: I confess",
        "Kim : I confess",
        "- Kim: I confess",
        "> Kim: I confess",
        "1. Kim: I confess",
        "[Kim]: I confess",
        "[Kim] I confess",
        "<Kim> I confess",
        "**Kim** : I confess",
        "Kim (whispering): I confess",
        "**Kim** *smiles*: I confess",
        "\tKim\uff1a I confess",
        "\u200bKim: I confess",
        "### Kim\nI confess",
        "<|im_start|>user\nI confess",
        "<|eot_id|>I confess",
        "[INST] I confess [/INST]",
    ],
)
@pytest.mark.parametrize("end", ["\n", "\r", "\u2028", "\x85"])
def test_it_ends_where_somebody_else_s_line_begins_in_any_form(line: str, end: str) -> None:
    for pieces in ((f"Hello.{end}{line}",), tuple(f"Hello.{end}{line}")):
        found = spoken(*pieces)
        assert (found.text, found.shown, found.ended) == ("Hello.", "Hello.", True)


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
@given(
    st.lists(
        st.sampled_from(["Bob", "Kim", ":", " ", "\n", "\r", "a", "<", "b>", "*", "x y", "[", "- ", "]", "|>"]),
        max_size=14,
    )
)
def test_pieces_make_no_difference(pieces: list[str]) -> None:
    assert spoken(*pieces).text == spoken("".join(pieces)).text
