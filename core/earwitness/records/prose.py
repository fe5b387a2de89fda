"""Records as text for people: what `print(record)` shows. Pure functions."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from textwrap import indent
from typing import Any

from pydantic import BaseModel

from ..patterns import lazy_pattern

LONGEST = 160
"""Characters of a text that are shown; more are cut off."""
_FURNITURE = lazy_pattern(r"(?m)^(?:###[^#\n]+###|Game Day: [-+.\de]+)$|^Message: | GameDay: [-+.\de]+$")


def fields(record: BaseModel) -> str:
    """The fields of a record that say something, one a line: `participants: alice, bob`."""
    known = type(record).model_fields
    values = {name: getattr(record, name) for name, field in known.items() if field.repr and not field.exclude}
    shown = {name: value for name, value in values.items() if not _is_unsaid(value)}
    lines = [_line(name, value) for name, value in {**shown, **(record.model_extra or {})}.items()]
    return "\n".join(lines) or f"{type(record).__name__}: nothing said"


def gist(text: str) -> str:
    """A text in one line, without the headings and labels of our formats."""
    return shortened(" ".join(_FURNITURE.sub("", text).split()))


def shortened(text: str) -> str:
    """A text of at most `LONGEST` characters."""
    return text if len(text) <= LONGEST else f"{text[: LONGEST - 1]}…"


def period(since: float | None, until: float | None) -> str:
    """` since day 3 until day 9`; without the end that is missing, and empty if both are."""
    begun = "" if since is None else f" since day {number(since)}"
    return begun + ("" if until is None else f" until day {number(until)}")


def counted(number: int, one: str, many: str = "") -> str:
    """`1 memory`, `12 memories`: `many` is the plural where it is not `one` with an s."""
    return f"{number:,} {one if number == 1 else many or f'{one}s'}"


def joined(names: Iterable[str], nobody: str = "nobody") -> str:
    """Names with commas between them."""
    return ", ".join(names) or nobody


def listed(names: Iterable[str]) -> str:
    """`Ann`, `Ann and Ben`, `Ann, Ben and Cid`: names as a sentence has them."""
    *first, last = names
    return f"{', '.join(first)} and {last}" if first else last


def numbered(lines: Iterable[object]) -> list[str]:
    """Lines with numbers in front, from 1. Further lines of one item are indented."""
    return [f"{number}. {str(line).replace(chr(10), chr(10) + '   ')}" for number, line in enumerate(lines, 1)]


def number(value: float) -> str:
    """A number as people write it: `6`, not `6.0`."""
    return f"{value:g}" if abs(value) < 1e6 else str(value)


def _is_unsaid(value: object) -> bool:
    return value is None or (isinstance(value, str | tuple | list | dict | frozenset) and not value)


def _line(name: str, value: object) -> str:
    said = _shown(value)
    return f"{name.replace('_', ' ')}:{chr(10) + indent(said, '  ') if chr(10) in said else f' {said}'}"


def _shown(value: Any) -> str:
    match value:
        case bool():
            return "yes" if value else "no"
        case float():
            return number(value)
        case str():
            return shortened(value)
        case Mapping():
            return _together(f"{key}: {_shown(each)}" for key, each in value.items())
        case tuple() | list() | frozenset():
            return _together(map(_shown, value))
        case _:
            return str(value)


def _together(items: Iterable[str]) -> str:
    """In one line where that is readable, else one a line."""
    parts = list(items)
    short = not any("\n" in each for each in parts) and sum(map(len, parts)) <= LONGEST
    return ", ".join(parts) if short else "\n".join(parts)
