"""Limits of files that people write by hand: what nobody could take in, or no ledger keep, is refused when read."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from ..errors import InputError
from .problems import Loc, Position

MOST_REPEATED = 1_000_000
"""Characters and values that the aliases of a YAML file may repeat."""
LARGEST_BITS = 1_023
"""A whole number of more bits fits no floating-point number, and has more than 300 digits."""
DEEPEST = 100
"""How deep lists and tables may be nested."""


def check(
    value: Any, path: str, failure: type[InputError], *, length: int, find: Callable[[Loc], Position] | None = None
) -> Any:
    """Return what was read from a file of this length. Raises `failure` for what exceeds a limit, with its position if
    `find` can tell it."""
    try:
        size = _Size().of(value)
    except _ExceedsLimitError as error:
        raise failure(f"{path}{_place(find, error.loc)}: {error.message}") from None
    if size > length + MOST_REPEATED:
        raise failure(
            f"{path}: its aliases (*name) expand to more than {MOST_REPEATED:,} characters. Write the text out instead."
        )
    return value


def _place(find: Callable[[Loc], Position] | None, loc: Loc) -> str:
    try:
        line, column = find(loc) if find else (0, 0)
    except (ValueError, LookupError, TypeError, RecursionError):  # the file was read; this is about its position
        line, column = 0, 0
    return f":{line}:{column}" if line else ""


class _ExceedsLimitError(Exception):
    """A value exceeds a limit. While it is raised, each list and table around the value adds the part it is in."""

    def __init__(self, message: str) -> None:
        super().__init__(message)
        self.message = message
        self.loc: Loc = ()


class _Size:
    """Counts characters and values, with what aliases repeat. What several aliases name is counted once."""

    def __init__(self) -> None:
        self._known: dict[int, int] = {}
        self._open: set[int] = set()

    def of(self, value: Any, depth: int = 0) -> int:
        """Characters and values within. Raises `_ExceedsLimitError`."""
        match value:
            case dict() | list():
                return self._of_several(value, depth)
            case str():
                return 1 + len(value)
            case bool():
                return 1
            case int() if value.bit_length() > LARGEST_BITS:
                raise _ExceedsLimitError("a number of more than 300 digits cannot be used. Write it as text.")
            case set() | bytes():
                raise _ExceedsLimitError(f"a {type(value).__name__} cannot be used. Write a list, or text.")
        return 1

    def _of_several(self, value: dict[Any, Any] | list[Any], depth: int) -> int:
        if id(value) in self._open:
            raise _ExceedsLimitError("an alias (*name) refers to the value that contains it.")
        if depth > DEEPEST:
            raise _ExceedsLimitError(f"it is nested too deeply, more than {DEEPEST} deep.")
        if id(value) not in self._known:
            self._open.add(id(value))
            self._known[id(value)] = 1 + self._of_parts(value, depth + 1)
            self._open.discard(id(value))
        return self._known[id(value)]

    def _of_parts(self, value: dict[Any, Any] | list[Any], depth: int) -> int:
        size: int = 0
        part: str | int = 0
        try:
            for part, inner in value.items() if isinstance(value, dict) else enumerate(value):
                size += self.of(inner, depth) + (self.of(part, depth) if isinstance(value, dict) else 0)
        except _ExceedsLimitError as error:
            error.loc = (part, *error.loc)
            raise
        return size
