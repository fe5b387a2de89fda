"""Warnings about a filter that matched nothing, perhaps because of a typing error; on standard error."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from difflib import get_close_matches

import click

from earwitness.filters import Compare, Filter
from earwitness.records.memory import Memory

from .people import plain

MOST = 12


def warn_of_unmatched(tests: Iterable[Filter], memories: Sequence[Memory]) -> None:
    """Print a line for each test of a field, or of a text in a field, that none of these memories has."""
    for test in tests:
        if isinstance(test, Compare) and memories and (why := _why(test, memories)):
            click.echo(plain(f"Warning: {why}"), err=True)


def _why(test: Compare, memories: Sequence[Memory]) -> str | None:
    fields = sorted({field for memory in memories for field in memory.metadata})
    if test.field not in fields:
        return f"no memory here has {test.field!r}.{_meant(test.field, fields)} They have: {', '.join(fields)}."
    held = _texts(test.field, memories)
    if test.operator != "==" or not held or test.value in held:
        return None
    return f"{test.field} is never {test.value!r} here.{_meant(str(test.value), held)} It is: {_some(held)}."


def _texts(field: str, memories: Sequence[Memory]) -> list[str]:
    values = [memory.metadata[field] for memory in memories if field in memory.metadata]
    every = [each for value in values for each in (value if isinstance(value, list) else [value])]
    return sorted({each for each in every if isinstance(each, str)})


def _meant(given: str, valid: Sequence[str]) -> str:
    folded = {each.casefold(): each for each in valid}
    close = get_close_matches(given.casefold(), folded, n=1)
    return f" Did you mean {folded[close[0]]!r}?" if close else ""


def _some(texts: Sequence[str]) -> str:
    return ", ".join(texts[:MOST]) + (", …" if len(texts) > MOST else "")
