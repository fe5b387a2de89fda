"""Limits of files that people write by hand: what nobody could take in, or no ledger keep, is refused when read."""

from __future__ import annotations

from typing import Any

from ..errors import InputError

MOST_REPEATED = 1_000_000
"""Characters and values that the aliases of a YAML file may repeat."""
LARGEST_BITS = 1_023
"""A whole number of more bits fits no floating-point number, and has more than 300 digits."""
DEEPEST = 100
"""How deep lists and tables may be nested."""


def check(value: Any, path: str, failure: type[InputError], *, length: int) -> Any:
    """Return what was read from a file of this length. Raises `failure` for what exceeds a limit."""
    size = _Size(path, failure)
    if size.of(value) > length + MOST_REPEATED:
        raise failure(
            f"{path}: its aliases (*name) expand to more than {MOST_REPEATED:,} characters. Write the text out instead."
        )
    return value


class _Size:
    """Counts characters and values, with what aliases repeat. What several aliases name is counted once."""

    def __init__(self, path: str, failure: type[InputError]) -> None:
        self._path = path
        self._failure = failure
        self._known: dict[int, int] = {}
        self._open: set[int] = set()

    def of(self, value: Any, depth: int = 0) -> int:
        """Characters and values within. Raises the failure."""
        match value:
            case dict() | list():
                return self._of_several(value, depth)
            case str():
                return 1 + len(value)
            case bool():
                return 1
            case int() if value.bit_length() > LARGEST_BITS:
                raise self._failure(f"{self._path}: a number of more than 300 digits cannot be used. Write it as text.")
            case set() | bytes():
                raise self._failure(f"{self._path}: a {type(value).__name__} cannot be used. Write a list, or text.")
        return 1

    def _key(self, key: Any) -> Any:
        if isinstance(key, tuple | frozenset):
            raise self._failure(f"{self._path}: a list or table cannot be a key.")
        return key

    def _of_several(self, value: dict[Any, Any] | list[Any], depth: int) -> int:
        if id(value) in self._open:
            raise self._failure(f"{self._path}: an alias (*name) refers to the value that contains it.")
        if depth > DEEPEST:
            raise self._failure(f"{self._path}: it is nested too deeply, more than {DEEPEST} deep.")
        if id(value) not in self._known:
            self._open.add(id(value))
            parts = [*map(self._key, value), *value.values()] if isinstance(value, dict) else value
            self._known[id(value)] = 1 + sum(self.of(each, depth + 1) for each in parts)
            self._open.discard(id(value))
        return self._known[id(value)]
