"""What a pattern needs, found from the pattern itself, so that no list of words has to follow it.

`(?:kills|killed) him` needs a word that ends with `kills` or with `killed`, and one that begins with `him`.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from functools import lru_cache
from itertools import product
from re import _constants as ops  # type: ignore[attr-defined]
from typing import Any

from earwitness.patterns import lazy_pattern

from .word_table import BEGINS, ENDS, small

_MOST = 160
"""So many strings at most are made of a part of a pattern."""
_LONG = 4
"""A piece of so many letters is rare enough."""
_COMMON = frozenset(
    {"a", "i", "in", "is", "the", "to", "his", "her", "my", "not", "for", "as", "at", "on", "no", "of", "it"}
)
"""Pieces that are in most sentences."""
_SEVERAL = 4
"""So many needs at most are asked of a text for one pattern."""
_REMEMBERED = 1 << 12
"""So many pieces are remembered: patterns have many in common."""
_BOUNDARY = "\0"
_Strings = frozenset[str]
_NOTHING: _Strings = frozenset({""})
_PIECE = lazy_pattern(r"[^\W_]+")
_EDGES = (ops.AT_BOUNDARY, ops.AT_BEGINNING_STRING, ops.AT_END_STRING)


def needs(parts: Sequence[Any]) -> tuple[frozenset[str], ...]:
    """Groups of pieces of words: each text that a parsed pattern is found in holds one of every group.

    Pieces are written as `word_table` has them. No groups where nothing is known.
    """
    groups = {group for each in _needed(parts) if (group := _pieces(each))}
    best = sorted(groups, key=lambda group: (_worth(group), sorted(group)), reverse=True)
    return tuple(best[:_SEVERAL])


def _pieces(strings: _Strings) -> frozenset[str]:
    """The best piece of each string; none where one of them has no word."""
    found = [_best_piece(each) for each in strings]
    return frozenset(each for each in found if each is not None) if None not in found else frozenset()


@lru_cache(maxsize=_REMEMBERED)
def _best_piece(string: str) -> str | None:
    pieces = [
        f"{BEGINS if begin else ''}{string[begin:end]}{ENDS if end < len(string) else ''}"
        for begin, end in (found.span() for found in _PIECE.finditer(string))
    ]
    return max(pieces, key=_rarity, default=None)


@lru_cache(maxsize=_REMEMBERED)
def _rarity(piece: str) -> int:
    letters = piece.strip(BEGINS + ENDS)
    whole = len(piece) - len(letters)
    return 1 if letters in _COMMON else min(_LONG, len(letters)) + whole


def _worth(group: frozenset[str]) -> tuple[int, int]:
    return min(map(_rarity, group)), -len(group)


def _needed(parts: Sequence[Any]) -> list[_Strings]:
    """What each run of a sequence's parts stands for, and what its longer parts need."""
    found: list[_Strings] = []
    run = _NOTHING
    for part, strings in _in_words(parts):
        if part is not None and part[0] is ops.ASSERT:
            found += _needed(part[1][1])
        if strings is not None and len(run) * len(strings) <= _MOST:
            run = _followed(run, strings)
            continue
        found.append(run)
        run = strings or _NOTHING
        if strings is None:
            found += _needed_by(part)
    return [*found, run]


def _needed_by(part: Any) -> list[_Strings]:
    """What a part needs that stands for more strings than can be made."""
    kind, of = part
    if kind is ops.BRANCH:
        each = [_best(_needed(branch)) for branch in of[1]]
        return [frozenset().union(*(one or () for one in each))] if all(each) else []
    if kind is ops.SUBPATTERN:
        return _needed(of[3])
    if kind is ops.ATOMIC_GROUP:
        return _needed(of)
    if kind in (ops.MAX_REPEAT, ops.MIN_REPEAT, ops.POSSESSIVE_REPEAT) and of[0]:
        return _needed(of[2])
    return []


def _best(candidates: Iterable[_Strings]) -> _Strings | None:
    return max((each for each in candidates if _pieces(each)), key=lambda each: _worth(_pieces(each)), default=None)


def _strings_of(part: Any) -> _Strings | None:
    """Every string that a part stands for; `None` if that are too many. What has no width is the empty string."""
    kind, of = part
    if kind is ops.AT:
        return frozenset({_BOUNDARY if of in _EDGES else ""})
    if kind in (ops.ASSERT, ops.ASSERT_NOT):
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
        return frozenset(small(chr(of)) for _, of in members)
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
            yield None, frozenset({small(letters)})
            letters = ""
        yield part, _strings_of(part)
    if letters:
        yield None, frozenset({small(letters)})


def _followed(run: _Strings, strings: _Strings) -> _Strings:
    if run == _NOTHING:
        return strings
    return run if strings == _NOTHING else frozenset(map("".join, product(run, strings)))


def _capped(strings: _Strings) -> _Strings | None:
    return strings if len(strings) <= _MOST else None
