"""The metadata filter: one small tree that every store translates.

Grammar: string equality, `in`, numeric `==  !=  >  >=  <  <=`, AND, OR, NOT. In a text, `=` is `==`. `matches` defines
the meaning; every store must agree with it:

- A comparison is false if the field is missing or has another type than the value. `"3"` is not `3`, and `True` is
  not `1`.
- On a list of strings, `==` and `in` hold if they hold for any element. `!=` holds if no element equals the value.
- `And()` holds for everything, `Or()` for nothing.

Field names may be in snake_case or camelCase. They are kept in camelCase, as stored. `game_time` is `gameDay`.
"""

from __future__ import annotations

import math
import operator
import re
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from dataclasses import field as kept
from typing import Any, Literal, cast

from .errors import InvalidFilter, quoted, shortened
from .formats import metadata_key
from .patterns import lazy_pattern

Scalar = str | int | float | bool
Operator = Literal["==", "!=", ">", ">=", "<", "<="]
OPERATORS: tuple[Operator, ...] = ("==", "!=", ">", ">=", "<", "<=")
_SIGN = lazy_pattern(r"[=!<>]")
_OPERATOR = lazy_pattern(r"(?:==|!=|>=|<=)(?!=)|[<>](?![=<>])|=(?![=!<>])")
_QUOTES = ("''", "‘’", "“”")
_JOINED = lazy_pattern(r"""\s(?:and|or|&&|\|\|)\s+[^\s=!<>"']+\s*[=!<>]""", re.IGNORECASE)
_ORDER: dict[str, Callable[[Any, Any], bool]] = {
    ">": operator.gt,
    ">=": operator.ge,
    "<": operator.lt,
    "<=": operator.le,
}


@dataclass(frozen=True, slots=True)
class Compare:
    """`field operator value`. Order comparisons take numbers only. Raises `InvalidFilter`."""

    field: str
    operator: Operator
    value: Scalar

    def __post_init__(self) -> None:
        object.__setattr__(self, "field", _field(self.field))
        if self.operator not in OPERATORS:
            raise InvalidFilter(f"filter operator {quoted(self.operator)} is not one of {' '.join(OPERATORS)}.")
        if not isinstance(self.value, Scalar):
            raise InvalidFilter(f"filter value {quoted(self.value)} must be text, a number or a boolean.")
        if isinstance(self.value, float) and not math.isfinite(self.value):
            raise InvalidFilter(f"filter value {self.value!r} for {self.field!r} must be a finite number.")
        if self.operator in _ORDER and not is_number(self.value):
            raise InvalidFilter(f"{self.field!r} {self.operator} {quoted(self.value)}: order comparisons take numbers.")


@dataclass(frozen=True, slots=True)
class In:
    """The field equals one of the values (all strings)."""

    field: str
    values: tuple[str, ...]
    among: frozenset[str] = kept(init=False, repr=False, compare=False)
    """The same values as a set, for fast lookup."""

    def __post_init__(self) -> None:
        given: object = self.values
        if isinstance(given, str):
            raise InvalidFilter(
                f"{quoted(self.field)} in {quoted(given)}: `in` takes several texts, as in ({quoted(given)},)."
            )
        if not isinstance(given, Iterable):
            raise InvalidFilter(f"{quoted(self.field)} in {quoted(given)}: `in` takes several texts, as in a list.")
        object.__setattr__(self, "field", _field(self.field))
        object.__setattr__(self, "values", tuple(self.values))
        for value in self.values:
            if not isinstance(value, str):
                raise InvalidFilter(f"{self.field!r} in (…): {quoted(value)} is not text. `in` takes strings.")
        object.__setattr__(self, "among", frozenset(self.values))


@dataclass(frozen=True, slots=True)
class And:
    """Holds if all parts hold."""

    parts: tuple[Filter, ...] = ()


@dataclass(frozen=True, slots=True)
class Or:
    """Holds if at least one part holds."""

    parts: tuple[Filter, ...] = ()


@dataclass(frozen=True, slots=True)
class Not:
    """Holds if the part does not."""

    part: Filter


Filter = Compare | In | And | Or | Not
EVERYTHING = And()
NOTHING = Or()
DEEPEST, MOST_PARTS = 100, 100_000
LONGEST_TEXT = 10_000
"""Characters of a comparison as text."""


def matches(filter: Filter, metadata: Mapping[str, Any]) -> bool:
    """Whether the filter holds for stored metadata (camelCase). Stores are tested against this function."""
    match filter:
        case And(parts):
            return all(matches(part, metadata) for part in parts)
        case Or(parts):
            return any(matches(part, metadata) for part in parts)
        case Not(part):
            return not matches(part, metadata)
        case In(field):
            return _is_among(metadata.get(field), filter.among)
        case Compare(field, op, value):
            return _compare(metadata.get(field), op, value)
    # Returning False here would make a NOT around it hold for everything.
    raise InvalidFilter(f"{filter!r} is not a filter: use Compare, In, And, Or and Not of earwitness.filters.")


def all_of(*parts: Filter | None) -> Filter:
    """The AND of all parts that are not `None`."""
    given = tuple(part for part in parts if part is not None and part != EVERYTHING)
    return given[0] if len(given) == 1 else And(given)


def equals(field: str, value: Scalar) -> Filter:
    """`field == value`."""
    return Compare(field, "==", value)


def is_number(value: object) -> bool:
    """Whether the value is a number. Booleans are not."""
    return isinstance(value, int | float) and not isinstance(value, bool)


def _field(name: object) -> str:
    """The field's name as it is stored. Raises `InvalidFilter` for what no metadata can have as a key."""
    if not isinstance(name, str):
        raise InvalidFilter(f"filter field {quoted(name)} must be text, not {type(name).__name__}.")
    if not name.isascii() and shortened(name) != name:
        raise InvalidFilter(f"filter field {quoted(name)} cannot be used: it must be valid Unicode, and shorter.")
    return metadata_key(name)


def _same_type(stored: object, value: Scalar) -> bool:
    return is_number(stored) if is_number(value) else type(stored) is type(value)


def _equal(stored: object, value: Scalar) -> bool:
    if isinstance(stored, list | tuple):
        return value in stored
    return _same_type(stored, value) and stored == value


def _is_among(stored: object, values: frozenset[str]) -> bool:
    if isinstance(stored, list | tuple):
        return any(isinstance(element, str) and element in values for element in stored)
    return isinstance(stored, str) and stored in values


def _compare(stored: object, op: Operator, value: Scalar) -> bool:
    if op == "==":
        return _equal(stored, value)
    if op == "!=":
        comparable = isinstance(stored, list | tuple) or _same_type(stored, value)
        return comparable and not _equal(stored, value)
    return is_number(stored) and _ORDER[op](stored, value)


def parse(text: str) -> Filter:
    """One comparison as written on the command line: `gameDay<=3`, `type==lore`, `location = "tavern"`.

    A value that is a valid JSON number or boolean is read as one. Everything else is text, as is everything in
    quotes: `""` is an empty text. Raises `InvalidFilter`, which quotes the text.
    """
    if len(text) > LONGEST_TEXT:
        raise InvalidFilter(f"filter {quoted(text)} is longer than {LONGEST_TEXT:,} characters.")
    if (parts := _split(text)) is not None:
        field, op, value = parts
        if not value:
            raise InvalidFilter(f'filter {quoted(text)} has no value. For an empty text, write {field}{op}"".')
        literal = _literal(value)
        if literal == value and _JOINED.search(value):
            raise InvalidFilter(
                f"filter {quoted(text)} must be one comparison, as in gameDay<=3. Several: --filter once for "
                "each on the command line; in Python, And((…)) and Or((…)) of earwitness.filters join what parse(…) "
                "makes of text. A value with such words goes in quotes."
            )
        return Compare(field, op, literal)
    raise InvalidFilter(
        f"filter {quoted(text)} must read FIELD OPERATOR VALUE with one of {' '.join(OPERATORS)}, as in gameDay<=3."
    )


def _split(text: str) -> tuple[str, Operator, str] | None:
    """Field, operator and value, split at the first sign of an operator."""
    first = _SIGN.search(text)
    field = text[: first.start()].strip() if first else ""
    found = _OPERATOR.match(text, first.start()) if first and field else None
    if found is None:
        return None
    return field, cast(Operator, "==" if found[0] == "=" else found[0]), text[found.end() :].strip()


def as_filter(given: object) -> Filter:
    """Turn a filter, or one comparison as text, into a filter. Raises `InvalidFilter` for anything else."""
    if isinstance(given, str):
        return parse(given)
    if not isinstance(given, Filter):
        raise InvalidFilter(
            f"filter {quoted(given)} must be a filter (Compare, In, And, Or, Not) or text as in gameDay<=3."
        )
    return require_filter(given)


def require_filter(filter: Filter) -> Filter:
    """Return the filter if every part of it is valid. Raises `InvalidFilter`, also if it is too large for stores."""
    level: list[object] = [filter]
    for _ in range(DEEPEST):
        level = [part for each in level for part in _parts(each)]
        if not level:
            return filter
        if len(level) > MOST_PARTS:
            raise InvalidFilter(f"this filter has more than {MOST_PARTS} parts side by side. For many texts, use In.")
    raise InvalidFilter(f"this filter is nested more than {DEEPEST} deep. And, Or and In take any number of parts.")


def _parts(filter: object) -> tuple[object, ...]:
    match filter:
        case Compare() | In():
            return ()
        case Not(part):
            return (part,)
        case And(parts) | Or(parts) if isinstance(parts, tuple | list):
            return tuple(parts)
    raise InvalidFilter(f"{quoted(filter)} is not a filter: use Compare, In, And, Or and Not of earwitness.filters.")


def _literal(text: str) -> Scalar:
    import json

    try:
        value = json.loads(text)
    except (ValueError, RecursionError):
        return _unquoted(text)
    return value if isinstance(value, Scalar) else text


def _unquoted(text: str) -> str:
    """A text in single or typographic quotes without them, unless these are around several comparisons."""
    inner = text[1:-1]
    is_quoted = len(text) > 1 and f"{text[0]}{text[-1]}" in _QUOTES
    return inner if is_quoted and not (text[-1] in inner and _JOINED.search(inner)) else text
