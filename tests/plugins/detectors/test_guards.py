"""What a pattern needs is found from the pattern: where the text holds none of it, the pattern is not tried."""

import copy
import gc
import importlib
import pickle
import pkgutil
import re
from re import _parser  # type: ignore[attr-defined]

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

import earwitness_plugins.detectors
from earwitness_plugins.detectors.text import guards
from earwitness_plugins.detectors.text.guards import _GuardedPattern, guarded_pattern, may_find
from earwitness_plugins.detectors.text.pattern_needs import needs


def every_pattern() -> list[_GuardedPattern]:
    package = earwitness_plugins.detectors
    for found in pkgutil.walk_packages(package.__path__, f"{package.__name__}."):
        importlib.import_module(found.name)
    gc.unfreeze()  # what conftest.py hides from the garbage collector
    found = [each for each in gc.get_objects() if type(each) is _GuardedPattern]
    return sorted(found, key=lambda each: each.pattern)


@pytest.mark.parametrize(
    ("pattern", "needed"),
    [
        (r"\bleaves?\b", [{"^leave$", "^leaves$"}]),
        (r"leaves?", [{"leave", "leaves"}]),
        (r"\b(?:dies|died)\b", [{"^dies$", "^died$"}]),
        (r"(?:is|was)\s+gone", [{"^gone"}]),
        (r"whisper(?:s|ed)?\s+to\s+\w+", [{"whisper$", "whispers$", "whispered$"}]),
        (r"\w+ly\s+(?:nods|bows)", [{"^nods", "^bows"}]),
        (r"[Hh]e leaves", [{"^leaves"}]),
        (r"\bgoes\b\w*\bout\b", [{"^goes$"}, {"^out$"}]),
        (r"\bgo(?=\s+away\b)", [{"^away$"}, {"^go"}]),
        (r"(?:goes|\w+)", []),
        (r"(?:sleeps)?", []),
        (r"(?!not)stays", [{"stays"}]),
    ],
)
def test_what_a_pattern_needs_is_in_every_text_that_it_is_found_in(pattern: str, needed: list[set[str]]) -> None:
    assert [set(each) for each in needs(_parser.parse(pattern, re.IGNORECASE))] == needed


WRITTEN = r"\bsleeps\b|(?:is|was)\s+gone|(?P<deed>walk)s?\s+off\b|leave\w*"


@pytest.mark.parametrize(
    "text",
    [
        *(
            "he \u017fleeps",
            "he\nis   GONE",
            "was\tgone",
            "\u212a sleeps",
            "\u0131s gone",
            "\u0130S GONE",
            "oversleeps",
        ),
        *("\u0345sleeps", "_sleeps", "was gone, walks off, leaves", "walks off and sleeps", "gone", ""),
    ],
)
def test_letters_gaps_and_ends_of_words_compare_as_the_pattern_compares_them(text: str) -> None:
    plain = re.compile(WRITTEN, re.IGNORECASE)
    guarded = guarded_pattern(WRITTEN, re.IGNORECASE)
    for _ in "twice":
        assert bool(guarded.search(text)) == bool(plain.search(text))
        found, expected = [*guarded.finditer(text)], [*plain.finditer(text)]
        assert [(each.span(), each["deed"]) for each in found] == [(each.span(), each["deed"]) for each in expected]
    assert guarded.sub("x", text) == plain.sub("x", text)
    assert guarded.split(text, 1) == plain.split(text, 1)


@pytest.mark.parametrize("end", range(12))
def test_a_word_may_end_where_the_search_ends(end: int) -> None:
    plain, guarded = re.compile(r"\bAnn\b|\bgo\b"), guarded_pattern(r"\bAnn\b|\bgo\b")
    text = "Annas going"
    found, expected = guarded.search(text, 1, end), plain.search(text, 1, end)
    assert (found and found.span()) == (expected and expected.span())


def test_of_alternatives_the_first_that_begins_first_is_found() -> None:
    guarded = guarded_pattern(r"off|he goes|he goes off|(?P<who>he)")
    for text in ("he goes off", "off he goes", "where he"):
        plain = re.compile(guarded.pattern).search(text)
        found = guarded.search(text)
        assert found
        assert plain
        assert (found.span(), found.groupdict()) == (plain.span(), plain.groupdict())


def test_where_nothing_needed_is_there_nothing_is_found() -> None:
    guarded = guarded_pattern(r"\bsleeps\b")
    assert guarded.search("Nobody stirs.") is None
    assert list(guarded.finditer("Nobody stirs.")) == []
    assert guarded.sub("", "Nobody stirs.") == "Nobody stirs."
    assert guarded.pattern == r"\bsleeps\b"
    assert guarded.match("sleeps")
    assert not guarded.match("Ann sleeps")
    assert guarded.search("Ann sleeps.", 5) is None


def test_a_sentence_matches_only_where_the_whole_text_has_the_words() -> None:
    guarded = guarded_pattern(r"\A(?:she|he)\s+wondered\b|\bleft\s+unsaid\b")
    assert may_find(guarded, "It rained. She wondered why.")
    assert may_find(guarded, "It rained. The rest was left unsaid.")
    assert not may_find(guarded, "It rained. Ann slept.")
    assert not may_find(guarded, "")


def test_more_mixtures_of_words_than_are_remembered_change_no_answer(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(guards, "_REMEMBERED", 2)
    guarded = guarded_pattern("ann|bob|cid")
    texts = ("ann", "bob", "cid", "ann bob", "cid ann", "ann bob cid", "bob")
    for text in (*texts, *texts):
        found = guarded.search(text)
        assert found
        assert found.start() == 0


def test_a_guarded_pattern_can_be_copied_and_pickled() -> None:
    guarded = guarded_pattern("sleeps|wakes")
    for _ in "twice":
        for copied in (copy.copy(guarded), pickle.loads(pickle.dumps(guarded))):
            assert copied.search("Ann wakes")
        assert guarded.search("Ann wakes")


def test_every_guarded_pattern_matches_some_text_and_needs_something() -> None:
    patterns = every_pattern()
    assert len(patterns) > 40
    for each in patterns:
        assert _parser.parse(each.pattern, each._flags).getwidth()[0] > 0, each.pattern
        assert each._rarest > 0, each.pattern


@settings(max_examples=20, deadline=None, derandomize=True, suppress_health_check=list(HealthCheck))
@given(st.data())
def test_what_a_pattern_can_match_is_found(data: st.DataObject) -> None:
    guarded = data.draw(st.sampled_from(every_pattern()))
    plain = re.compile(guarded.pattern, guarded._flags)
    text = data.draw(st.from_regex(plain))
    found, expected = guarded.search(text), plain.search(text)
    assert (found and found.span()) == (expected and expected.span())
