"""What has happened to a chat, read off the lines that a front end sends."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from earwitness_plugins.applications.proxy.compare import ComparedLine, Comparison, compare

from ...examples import share_of


def told(lines: str) -> list[ComparedLine]:
    """`uAb` = the user says u, a character A, the user b."""
    return [ComparedLine(each.islower(), each) for each in lines]


@pytest.mark.parametrize(
    ("story", "chat", "edited", "new", "gone"),
    [
        ("", "a", [], [0], []),
        ("aB", "aBc", [], [2], []),
        ("aB", "a", [], [], [1]),
        ("aBcD", "aBx", [2], [], [3]),
        ("aBcD", "aBXd", [], [2, 3], [2, 3]),
        ("aBcD", "aXcDe", [1], [4], []),
        ("aBcD", "cDe", [], [2], []),
        ("aBcD", "x", [], [0], []),
        ("aBcD", "c", [], [], [3]),
        ("aBcD", "a", [], [0], []),
        ("aBcDEF", "c", [], [], [3, 4, 5]),
        ("aBcDeFgHiJ", "Bx", [], [1], []),
        ("aBcDeF", "Fg", [], [1], []),
        ("aBcDeF", "eXg", [1], [2], []),
        ("aBcDeF", "aBeFg", [], [4], []),
        ("aBaB", "aBa", [], [], [3]),
        ("aBcDaB", "a", [], [], [5]),
    ],
)
def test_a_chat_is_read(story: str, chat: str, edited: list[int], new: list[int], gone: list[int]) -> None:
    found = compare(told(story), told(chat), whole=True)
    assert (found.edited, found.new, found.gone) == (edited, new, gone)


@settings(max_examples=share_of(100))
@given(st.text("aBcD", max_size=12), st.text("aBcD", min_size=1, max_size=12), st.booleans())
def test_every_line_is_known_or_new_or_left_alone(story: str, chat: str, whole: bool) -> None:
    found: Comparison = compare(told(story), told(chat), whole=whole)
    assert not set(found.known) & set(found.new)
    assert not set(found.known.values()) & set(found.gone)
    assert len(set(found.known.values())) == len(found.known)
    assert list(found.known.values()) == sorted(found.known.values())


def test_lines_that_the_story_has_not_take_nothing_back() -> None:
    assert compare(told("aBcDeF"), told("c"), whole=False).gone == []


SAID = ComparedLine(True, "where did you hide the sward, alice?")
CORRECTED = ComparedLine(True, "where did you hide the sword, alice?")
ANSWER = ComparedLine(False, "in the old well, behind the inn.")


def test_a_line_alone_is_an_edit_only_of_an_only_line_that_it_corrects() -> None:
    assert compare([SAID, ANSWER], [CORRECTED], whole=True).edited == [0]
    assert compare([SAID, ANSWER, *told("cD")], [CORRECTED], whole=True).new == [0]
    assert compare([SAID, ANSWER], [CORRECTED], whole=False).new == [0]
    assert compare([*told("aB"), *told("cD")], told("x"), whole=True, again=True).gone == [3]


def test_an_answer_that_the_front_end_trimmed_is_known_by_its_words() -> None:
    trimmed = ComparedLine(False, "in the old well, behind the inn")
    found = compare([*told("aB"), SAID, ANSWER], [trimmed, *told("x")], whole=False)
    assert (found.edited, found.new, found.gone) == ([0], [1], [])


def test_a_first_line_that_was_corrected_is_an_edit_and_a_summary_in_its_place_is_not() -> None:
    rest = [ANSWER, *told("cD")]
    assert compare([SAID, *rest], [CORRECTED, *rest, *told("e")], whole=True).edited == [0]
    summary = ComparedLine(True, "what happened so far: they met, and spoke of a sword.")
    found = compare([SAID, *rest], [summary, *rest, *told("e")], whole=True)
    assert (found.edited, found.new, found.gone) == ([], [4], [])


def test_messages_between_two_known_ones_may_be_missing() -> None:
    assert compare(told("aBcDeF"), told("aBeFg"), whole=True).missing == [2, 3]
    assert compare(told("aBcD"), told("x"), whole=True).missing == []
