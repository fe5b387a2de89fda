"""One sentence for what pydantic found wrong, quoting the value."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any, TypeVar

from pydantic import ValidationError
from pydantic_core import PydanticSerializationError, to_jsonable_python

from .errors import InputError
from .records.base import Record
from .records.state import State

R = TypeVar("R", bound=Record)
T = TypeVar("T")
REQUIRED = ("current_scene", "participants", "game_day")


def explained(error: ValidationError) -> str:
    """Say which value cannot be used and why: `game_day = 'soon' cannot be used: …`."""
    problem = error.errors()[0]
    where = ".".join(str(part) for part in problem["loc"])
    return f"{where} = {problem['input']!r} cannot be used: {problem['msg']}."


def checked(record: type[R], **values: Any) -> R:
    """The record made of these values. Raises `InputError`, quoting what cannot be used."""
    try:
        return record(**values)
    except ValidationError as error:
        raise InputError(explained(error)) from error


def keepable(record: R) -> R:
    """The record, if every ledger can keep it. Raises `InputError` for what JSON cannot hold, such as half a pair."""
    try:
        record.model_dump_json()
    except PydanticSerializationError as error:
        raise InputError(
            f"this cannot be kept: {error}. Text must be valid Unicode, free values must be JSON."
        ) from error
    return record


def each_of(given: Iterable[T]) -> Iterable[T]:
    """What was given; a single text or record is one of them, not its letters or fields."""
    return [given] if isinstance(given, str | Mapping | Record) else given  # type: ignore[list-item]


def check_state(before: State, changes: Mapping[str, Any]) -> None:
    """Raises `InputError` for the first change that the state cannot take, or that JSON cannot hold."""
    for key, value in changes.items():
        _check_spelling(key)
        if value is None and key in REQUIRED:
            raise InputError(f"state {key} = None cannot be used: every story has one.")
        try:
            to_jsonable_python(value)
        except PydanticSerializationError as error:
            raise InputError(f"state {key} = {value!r} cannot be used: JSON does not hold it.") from error
    try:
        before.updated(changes)
    except ValidationError as error:
        raise InputError(f"state {explained(error)}") from error


def _check_spelling(key: str) -> None:
    """A free key that differs from a typed one only in case or underscores is a slip: `gameday` means `game_day`."""
    typed = {name.replace("_", ""): name for name in State.model_fields}
    meant = typed.get(key.replace("_", "").casefold())
    if meant is not None and meant != key:
        raise InputError(f"state key {key!r} looks like {meant!r}. Write that, or choose another name.")
