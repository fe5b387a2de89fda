"""Texts in pieces."""

from hypothesis import given, settings
from hypothesis import strategies as st

from earwitness_plugins.applications.documents.pieces import pieces


def test_paragraphs_stay_together_and_headings_begin_pieces() -> None:
    found = pieces("Before.\n\n# Debts\nAlice owes nine.\n\nBob owes two.\n\n## Paid ##\nNobody.", room=60)
    assert [(each.section, each.text) for each in found] == [
        ("", "Before."),
        ("Debts", "Alice owes nine.\n\nBob owes two."),
        ("Paid", "Nobody."),
    ]


def test_long_paragraphs_end_at_sentences_and_long_sentences_at_blanks() -> None:
    assert [each.text for each in pieces("One is here. Two is there. Three.", room=26)] == [
        "One is here. Two is there.",
        "Three.",
    ]
    assert all(len(each.text) <= 30 for each in pieces("word " * 40 + "x" * 100, room=30))


@settings(max_examples=50)
@given(st.text(alphabet="ab.# \n", max_size=400))
def test_no_word_is_lost_and_no_piece_is_too_long(text: str) -> None:
    found = pieces(text, room=40)
    assert all(len(each.text) <= 40 for each in found)
    letters = "".join(each for each in "".join(each.text for each in found) if each in "ab")
    titles = "".join(line for line in text.split("\n") if line.startswith("#"))
    wanted = [each for each in text if each in "ab"]
    assert len(wanted) - len([each for each in titles if each in "ab"]) <= len(letters) <= len(wanted)
