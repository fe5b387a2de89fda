"""Patterns that are tried only where the text holds words that they need: most sentences hold none, quickly seen.

What a pattern needs is found from the pattern itself, so that no list of words has to follow it.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from functools import lru_cache
from itertools import product
from re import _constants as ops  # type: ignore[attr-defined]
from re import _parser  # type: ignore[attr-defined]
from typing import Any, cast

_MOST = 160
"""So many strings at most are made of a part of a pattern."""
_LONG = 4
"""A string of so many letters is rare enough."""
_COMMON = frozenset(
    {"a", "i", "in", "is", "the", "to", "his", "her", "my", "not", "for", "as", "at", "on", "no", "of", "it"}
)
"""Strings that stand in most sentences."""
_Strings = frozenset[str]
_NOTHING: _Strings = frozenset({""})


class _GuardedPattern:
    """Stands in for a pattern; `search` and `finditer` look for what it needs first."""

    def __init__(self, regex: str, flags: int) -> None:
        self._regex, self._flags = regex, flags

    def __getattr__(self, name: str) -> Any:
        if name.startswith("_") and name not in ("_compiled", "_needs"):
            raise AttributeError(name)
        compiled = re.compile(self._regex, self._flags)
        self.__dict__.update(_compiled=compiled, _needs=needs(self._regex, self._flags), pattern=compiled.pattern)
        return getattr(compiled, name) if not name.startswith("_") else self.__dict__[name]

    def search(self, text: str, *where: int) -> re.Match[str] | None:
        """As of a pattern."""
        return self._compiled.search(text, *where) if self._may_be_in(text) else None

    def finditer(self, text: str, *where: int) -> Iterator[re.Match[str]]:
        """As of a pattern."""
        return self._compiled.finditer(text, *where) if self._may_be_in(text) else iter(())

    def match(self, text: str, *where: int) -> re.Match[str] | None:
        """As of a pattern."""
        return self._compiled.match(text, *where) if self._may_be_in(text) else None

    def _may_be_in(self, text: str) -> bool:
        return not self._needs or any(map(_folded(text).__contains__, self._needs))


def guarded_pattern(regex: str, flags: int = 0) -> re.Pattern[str]:
    """As `lazy_pattern`, for long patterns that are searched for in every sentence and rarely found."""
    return cast("re.Pattern[str]", _GuardedPattern(regex, flags))


def needs(regex: str, flags: int = 0) -> tuple[str, ...]:
    """Strings one of which is in every text that the pattern is found in, as `_folded` writes it; empty if unknown."""
    return tuple(sorted(_needed(_parser.parse(regex, flags)) or ()))


@lru_cache(maxsize=128)
def _folded(text: str) -> str:
    """In small letters as `re.IGNORECASE` compares them, with one blank for every gap."""
    return " ".join(_small(text).split())


def _needed(parts: Sequence[Any]) -> _Strings | None:
    """The best of what the parts of a sequence need: what is longest, then what is fewest."""
    found: list[_Strings] = []
    run = _NOTHING
    for part, strings in _in_words(parts):
        if strings is not None and len(run) * len(strings) <= _MOST:
            run = _followed(run, strings)
            continue
        found.append(run)
        run = strings or _NOTHING
        if strings is None and (inner := _needed_by(part)):
            found.append(inner)
    candidates = [_reduced(each) for each in (*found, run)]
    return max((each for each in candidates if each), key=_worth, default=None)


def _worth(strings: _Strings) -> tuple[int, int]:
    return min(min(_LONG, 1 if each in _COMMON else len(each)) for each in strings), -len(strings)


def _needed_by(part: Any) -> _Strings | None:
    """What a part needs that stands for more strings than can be made."""
    kind, of = part
    if kind is ops.BRANCH:
        each = [_needed(branch) for branch in of[1]]
        return frozenset().union(*(one or () for one in each)) if all(each) else None
    if kind is ops.SUBPATTERN:
        return _needed(of[3])
    if kind is ops.ATOMIC_GROUP:
        return _needed(of)
    if kind in (ops.MAX_REPEAT, ops.MIN_REPEAT, ops.POSSESSIVE_REPEAT) and of[0]:
        return _needed(of[2])
    return None


def _strings_of(part: Any) -> _Strings | None:
    """Every string that a part stands for; `None` if that are too many. What has no width is the empty string."""
    kind, of = part
    if kind is ops.LITERAL:
        return frozenset({_small(chr(of))})
    if kind in (ops.AT, ops.ASSERT, ops.ASSERT_NOT):
        return frozenset({""})
    if kind is ops.IN:
        return _of_class(of)
    if kind is ops.SUBPATTERN:
        return _of_all(of[3])
    if kind is ops.BRANCH:
        each = [_of_all(branch) for branch in of[1]]
        return _capped(frozenset().union(*(one or () for one in each))) if None not in each else None
    if kind in (ops.MAX_REPEAT, ops.MIN_REPEAT, ops.POSSESSIVE_REPEAT):
        return _of_repeat(*of)
    return None


def _of_repeat(least: int, most: int, parts: Sequence[Any]) -> _Strings | None:
    inner = _of_all(parts)
    if inner == frozenset({" "}):
        return frozenset({" "}) if least else frozenset({"", " "})
    if inner is None or most > 1:
        return None
    return inner if least else inner | {""}


def _of_class(members: Sequence[Any]) -> _Strings | None:
    if members == [(ops.CATEGORY, ops.CATEGORY_SPACE)]:
        return frozenset({" "})
    if all(kind is ops.LITERAL for kind, _ in members):
        return frozenset(_small(chr(of)) for _, of in members)
    return None


def _of_all(parts: Iterable[Any]) -> _Strings | None:
    run = _NOTHING
    for _, strings in _in_words(parts):
        if strings is None or len(run) * len(strings) > _MOST:
            return None
        run = _followed(run, strings)
    return run


def _in_words(parts: Iterable[Any]) -> Iterator[tuple[Any, _Strings | None]]:
    """The parts of a sequence, each with every string that it stands for; letters in a row are one part."""
    letters = ""
    for part in parts:
        if part[0] is ops.LITERAL:
            letters += chr(part[1])
            continue
        if letters:
            yield None, frozenset({_small(letters)})
            letters = ""
        yield part, _strings_of(part)
    if letters:
        yield None, frozenset({_small(letters)})


def _followed(run: _Strings, strings: _Strings) -> _Strings:
    if run == _NOTHING:
        return strings
    return run if strings == _NOTHING else frozenset(map("".join, product(run, strings)))


def _small(text: str) -> str:
    """In small letters as `re.IGNORECASE` compares them."""
    return text.casefold().replace("\u0131", "i")


def _capped(strings: _Strings) -> _Strings | None:
    return strings if len(strings) <= _MOST else None


def _reduced(strings: _Strings) -> _Strings:
    """Without those that hold another; empty if one of them is empty."""
    kept: list[str] = []
    for each in sorted({" ".join(each.split()) for each in strings}, key=len):
        if not each:
            return frozenset()
        if not any(map(each.__contains__, kept)):
            kept.append(each)
    return frozenset(kept)
