"""What has happened to a chat, read off the lines that a front end sends."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from earwitness_plugins.applications.proxy.compare import ComparedLine, Comparison, compare


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
        ("aBcD", "x", [0], [], [1, 2, 3]),
        ("aBcDeF", "aBeFg", [], [4], []),
        ("aBaB", "aBa", [], [], [3]),
        ("aBcDaB", "a", [], [], [1, 2, 3, 4, 5]),
    ],
)
def test_a_chat_is_read(story: str, chat: str, edited: list[int], new: list[int], gone: list[int]) -> None:
    found = compare(told(story), told(chat), whole=True)
    assert (found.edited, found.new, found.gone) == (edited, new, gone)


@settings(max_examples=100)
@given(st.text("aBcD", max_size=12), st.text("aBcD", min_size=1, max_size=12), st.booleans())
def test_every_line_is_known_or_new_or_left_alone(story: str, chat: str, whole: bool) -> None:
    found: Comparison = compare(told(story), told(chat), whole=whole)
    assert not set(found.known) & set(found.new)
    assert not set(found.known.values()) & set(found.gone)
    assert len(set(found.known.values())) == len(found.known)
    assert list(found.known.values()) == sorted(found.known.values())


def test_lines_that_the_story_has_not_take_nothing_back() -> None:
    assert compare(told("aBcDeF"), told("c"), whole=False).gone == []
