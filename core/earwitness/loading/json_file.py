"""JSON with the positions of its keys and items. A duplicate key is refused."""

from __future__ import annotations

import json
from bisect import bisect_left
from collections.abc import Iterator
from functools import cached_property
from re import Pattern
from sys import int_info
from typing import Any, NamedTuple, NoReturn

from ..errors import InputError
from ..patterns import lazy_pattern
from .limits import check
from .problems import BOTH_HALVES, Loc, Position

_SPACE = lazy_pattern(r"[ \t\n\r]*")
_DECODER = json.JSONDecoder()
_NO_NUMBER = lazy_pattern(r'"(?:[^"\\]|\\.)*"|(-?Infinity|NaN)')
"""A text, which is passed over, or what Python would take for a number."""
_LONG_NUMBER = lazy_pattern(rf'"(?:[^"\\]|\\.)*"|(\d{{{int_info.default_max_str_digits + 1},}})')
_HALF_CHARACTER = lazy_pattern(
    r"\\u[dD][89abAB][0-9a-fA-F]{2}\\u[dD][c-fC-F][0-9a-fA-F]{2}|(\\u[dD][89a-fA-F][0-9a-fA-F]{2})|\\."
)
"""Both halves of a character or another escape, which are passed over, or half a character."""


def load(text: str, path: str, failure: type[InputError]) -> Any:
    """The document as plain data. Raises `failure` with line and column, also for a duplicate key."""
    twice: list[tuple[dict[str, Any], str]] = []
    try:
        value = json.loads(text, object_pairs_hook=lambda pairs: _table(pairs, twice), parse_constant=_no_number)
    except json.JSONDecodeError as error:
        raise failure(f"{path}:{error.lineno}:{error.colno}: not JSON: {error.msg}.") from None
    except RecursionError:
        raise failure(f"{path}: this JSON cannot be read: it is nested too deeply.") from None
    except ValueError as error:
        raise failure(f"{path}{_unusable_number(text, error)}") from None
    if "\\u" in text and (half := _first(_HALF_CHARACTER, text)):
        raise failure(f"{path}:{half.place}: {half.text} is half a character. {BOTH_HALVES}")
    positions = JsonPositions(text)
    checked = check(value, path, failure, length=len(text), find=positions.of)
    if twice:
        loc, key = next((loc, key) for table, key in twice for loc in _paths(checked, table))
        at = positions.of_second(loc, key)
        raise failure(f"{path}:{at.line}:{at.column}: duplicate key {json.dumps(key)}. Each key may appear only once.")
    return checked


class JsonPositions:
    """The positions of keys and items in a JSON text. Each table and list is looked through once."""

    def __init__(self, text: str) -> None:
        self.text = text
        self._parts: dict[int, dict[str | int, tuple[int, int]]] = {}
        """Where a table or list begins → its parts, with where they and their values begin."""

    def of(self, loc: Loc) -> Position:
        """The position of a key or item. Raises `LookupError` if there is none."""
        return self.position(self._begins(loc)[0])

    def of_second(self, loc: Loc, key: str) -> Position:
        """The position of a key where it is in a table for the second time."""
        _, second, *_ = [begin for part, begin, _ in _parts(self.text, self._begins(loc)[1]) if part == key]
        return self.position(second)

    def _begins(self, loc: Loc) -> tuple[int, int]:
        """Where a key or item begins, and where its value does. Of a duplicate key, the last one counts."""
        begin = index = _skip(self.text, 0)
        for part in loc:
            if index not in self._parts:
                self._parts[index] = {part: (begin, value) for part, begin, value in _parts(self.text, index)}
            begin, index = self._parts[index][part]
        return begin, index

    def position(self, index: int) -> Position:
        """Line and column of a character."""
        return Position(bisect_left(self._line_ends, index) + 1, index - self.text.rfind("\n", 0, index))

    @cached_property
    def _line_ends(self) -> list[int]:
        return [index for index, sign in enumerate(self.text) if sign == "\n"]


def _table(pairs: list[tuple[str, Any]], twice: list[tuple[dict[str, Any], str]]) -> dict[str, Any]:
    table = dict(pairs)
    if len(table) != len(pairs):
        keys = [key for key, _ in pairs]
        twice.append((table, next(key for key in keys if keys.count(key) > 1)))
    return table


class _Match(NamedTuple):
    text: str
    place: str


def _first(pattern: Pattern[str], text: str) -> _Match | None:
    """The first match with a group, and its place as `line:column`."""
    match = next((each for each in pattern.finditer(text) if each[1]), None)
    return match and _Match(match[1], "{}:{}".format(*JsonPositions(text).position(match.start())))


def _unusable_number(text: str, error: ValueError) -> str:
    """Where and why a number cannot be used: it is none of JSON, or has thousands of digits."""
    if found := _first(_NO_NUMBER, text):
        return f":{found.place}: not JSON: {found.text} is not a number of JSON. Write a finite number, such as 0.5."
    if found := _first(_LONG_NUMBER, text):
        most = int_info.default_max_str_digits
        return f":{found.place}: a number of {len(found.text)} digits is too long. Write at most {most} of them."
    return f": not JSON: {error}."


def _no_number(name: str) -> NoReturn:
    raise ValueError(f"{name} is not a number that can be used")


def _paths(value: Any, wanted: dict[str, Any], loc: Loc = ()) -> Iterator[Loc]:
    if value is wanted:
        yield loc
    parts = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    for part, inner in parts:
        yield from _paths(inner, wanted, (*loc, part))


# ── positions ───────────────────────────────────────────────────────────────────────────────────────────────────────


def _parts(text: str, index: int) -> Iterator[tuple[str | int, int, int]]:
    """Key or number of each part of a table or list, where that part begins, and where its value begins."""
    is_table, number = text[index] == "{", 0
    index = _skip(text, index + 1)
    while text[index] not in "]}":
        begin, part = index, number
        if is_table:
            part, index = _DECODER.raw_decode(text, index)
            index = _skip(text, _skip(text, index) + 1)
        yield part, begin, index
        _, index = _DECODER.raw_decode(text, index)
        index = _skip(text, index)
        index = _skip(text, index + 1) if text[index] == "," else index
        number += 1


def _skip(text: str, index: int) -> int:
    return _SPACE.match(text, index).end()  # type: ignore[union-attr] # it matches nothing too
