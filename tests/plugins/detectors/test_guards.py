"""What a pattern needs is found from the pattern: where the text holds none of it, the pattern is not tried."""

import re

import pytest

from earwitness_plugins.detectors.text.guards import guarded_pattern, needs


@pytest.mark.parametrize(
    ("pattern", "needed"),
    [
        (r"\bleaves?\b", {"leave"}),
        (r"\b(?:dies|died)\b", {"dies", "died"}),
        (r"(?:is|was)\s+gone", {"is gone", "was gone"}),
        (r"whisper(?:s|ed)?\s+to\s+\w+", {"whisper to", "whispers to", "whispered to"}),
        (r"\w+ly\s+(?:nods|bows)", {"ly nods", "ly bows"}),
        (r"[Hh]e leaves", {"he leaves"}),
        (r"(?:goes|\w+)", set()),
        (r"(?:sleeps)?", set()),
        (r"(?!not)stays", {"stays"}),
    ],
)
def test_what_a_pattern_needs_is_in_every_text_that_it_is_found_in(pattern: str, needed: set[str]) -> None:
    assert set(needs(pattern, re.IGNORECASE)) == needed


@pytest.mark.parametrize(
    "text", ["he \u017fleeps", "he\nis   GONE", "was\tgone", "K sleeps", "\u0131s gone", "IS GONE"]
)
def test_letters_and_gaps_compare_as_the_pattern_compares_them(text: str) -> None:
    written = r"sleeps|(?:is|was)\s+gone"
    plain = re.compile(written, re.IGNORECASE)
    guarded = guarded_pattern(written, re.IGNORECASE)
    assert bool(guarded.search(text)) == bool(plain.search(text))
    assert [each.span() for each in guarded.finditer(text)] == [each.span() for each in plain.finditer(text)]


def test_where_nothing_needed_is_there_nothing_is_found() -> None:
    guarded = guarded_pattern(r"\bsleeps\b")
    assert guarded.search("Nobody stirs.") is None
    assert list(guarded.finditer("Nobody stirs.")) == []
    assert guarded.pattern == r"\bsleeps\b"
    assert guarded.search("Ann sleeps.", 5) is None
