"""Checks of arguments: one function for each kind of argument. All raise `InputError`."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from difflib import get_close_matches
from typing import Any, TypeVar

from ..errors import InputError, quoted
from ..records.base import Record
from ..records.channel import STRICTNESS

T = TypeVar("T")
LARGEST = 2**63 - 1
ARGUMENTS = ("channel", "audience", "description")
"""Arguments of calls that also take keys of the host's own."""


def text(what: str, given: object) -> str:
    """Return valid Unicode text, which may be empty. Raises `InputError`."""
    if not isinstance(given, str):
        raise _unusable(what, given, "text")
    try:
        given.encode()
    except UnicodeEncodeError as error:
        raise InputError(f"{what} = {quoted(given)} cannot be used: text must be valid Unicode.") from error
    return given


def some_text(what: str, given: object) -> str:
    """Return text that is not empty. Raises `InputError`."""
    if not text(what, given).strip():
        raise InputError(f"{what} = {quoted(given)} cannot be used: it is empty.")
    return str(given)


def several(what: str, given: Iterable[T]) -> tuple[T, ...]:
    """Return the items. A single text or record is one item, not its letters or fields. Raises `InputError`."""
    if isinstance(given, str | Mapping | Record):
        return (given,)  # type: ignore[return-value]
    if not isinstance(given, Iterable):
        raise _unusable(what, given, "a list")
    return tuple(given)


def texts(what: str, given: Iterable[str]) -> tuple[str, ...]:
    """Return several texts, or one, as a tuple. Raises `InputError`."""
    return tuple([text(what, each) for each in several(what, given)])


def table(what: str, given: Mapping[str, T] | None) -> Mapping[str, T]:
    """Return a mapping of keys to values, which is empty for `None`. Raises `InputError`."""
    if given is None:
        return {}
    if not isinstance(given, Mapping):
        raise _unusable(what, given, "a table of keys with values")
    return given


def count(what: str, given: Any) -> int:
    """Return a count: a whole number from 0. Raises `InputError`."""
    if isinstance(given, bool) or not isinstance(given, int):
        raise _unusable(what, given, "a whole number")
    if not 0 <= given <= LARGEST:
        raise InputError(f"{what} = {given} cannot be used: it must be a whole number from 0 to {LARGEST}.")
    return given


def days(what: str, given: Any) -> float:
    """Return a number of game days: a finite number from 0. Raises `InputError`."""
    if isinstance(given, bool) or not isinstance(given, int | float):
        raise _unusable(what, given, "a number of game days")
    if not 0 <= given < float("inf"):
        raise InputError(f"{what} = {given} cannot be used: it must be a number of game days from 0.")
    return float(given)


def refuse_slips(call: str, given: Mapping[str, Any]) -> None:
    """Refuse a key of the host's own that is a misspelt argument, such as `chanel`, or a `context`, which these calls
    take in a channel only: it would be told everywhere. Raises `InputError`."""
    for name, value in given.items():
        if name == "context" and isinstance(value, str) and value in STRICTNESS:
            raise InputError(f"{call}() takes no context={value!r}. Write channel=Channel(context={value!r}).")
        if isinstance(name, str) and (meant := get_close_matches(name.lower(), ARGUMENTS, n=1, cutoff=0.85)):
            raise InputError(f"{call}() got {name!r}, which looks like its argument {meant[0]!r}. Write that.")


def _unusable(what: str, given: object, wanted: str) -> InputError:
    return InputError(f"{what} = {quoted(given)} cannot be used: it must be {wanted}, not {type(given).__name__}.")
