"""Checks of records. pydantic's errors become one sentence that quotes the value."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any, NoReturn, TypeVar

from pydantic import ValidationError
from pydantic_core import PydanticSerializationError, from_json, to_jsonable_python

from ..errors import InputError, quoted
from ..formats import is_game_day, snake
from ..places import parts
from ..records.base import Record
from ..records.refusal import ENCLOSING, KEEPABLE, explained
from ..records.state import State
from .arguments import text

R = TypeVar("R", bound=Record)
REQUIRED = ("current_scene", "participants", "game_day")


def checked(record: type[R], **values: Any) -> R:
    """Make a record of the arguments of a call. Raises `InputError`, which quotes the value that cannot be used."""
    try:
        return record.model_validate(values)
    except ValidationError as error:
        raise InputError(explained(error)) from error


def keepable(record: R) -> R:
    """Return the record if every ledger can keep and read it. Raises `InputError`, for example for a lone surrogate."""
    try:
        check_readable(record.model_dump_json())
    except (ValueError, RecursionError) as error:
        raise InputError(f"this cannot be kept: {error}. {KEEPABLE}") from error
    return record


def as_kept(record: R) -> R:
    """The record as it is read again once it was kept. Raises `InputError` for what a copy took in unchecked."""
    try:
        return type(record).model_validate_json(record.model_dump_json(warnings=False))
    except ValidationError as error:
        raise InputError(explained(error)) from error
    except ValueError as error:
        raise InputError(f"this cannot be kept: {error}. {KEEPABLE}") from error


def check_readable(text: str) -> None:
    """Raise `ValueError` for JSON that could not be read again once it is stored within other records."""
    from_json("[" * ENCLOSING + text + "]" * ENCLOSING)
    check_finite(text)


def check_finite(text: str) -> None:
    """Raise `ValueError` for JSON with a number that JSON does not know: NaN, Infinity or -Infinity."""
    if "NaN" in text or "Infinity" in text:  # perhaps as a word
        json.loads(text, parse_constant=_refuse_constant)


def _refuse_constant(name: str) -> NoReturn:
    raise ValueError(f"{name} is not a number that JSON can hold")


def state_keys(given: Mapping[str, Any]) -> dict[str, Any]:
    """The changes with the standard spelling of typed keys. Free keys stay as they are written.

    `gameDay` and `GameTime` become `game_day`. Raises `InputError` if a key is given in two spellings.
    """
    found: dict[str, Any] = {}
    for key, value in given.items():
        ours = state_key(text("state key", key))
        if ours in found:
            raise InputError(f"state {ours} is given twice, also as {key!r}. Give it once.")
        found[ours] = value
    return found


def state_key(name: str) -> str:
    """The standard spelling of a typed key. A free key is returned as it is."""
    ours = "game_day" if is_game_day(name) else snake(name)
    return ours if ours in State.model_fields else name


def check_state(before: State, changes: Mapping[str, Any]) -> None:
    """Raise `InputError` for the first change that the state cannot take or that JSON cannot represent."""
    for key, value in changes.items():
        _check_spelling(key)
        if value is None and key in REQUIRED:
            raise InputError(f"state {key} = None cannot be used: every story has one.")
        if key == "current_scene" and isinstance(value, str) and not parts(value):
            raise InputError(f"state {key} = {value!r} cannot be used: a place needs a name.")
        if key == "game_day" and isinstance(value, bool):
            raise InputError(f"state {key} = {value!r} cannot be used: a number is needed.")
        _check_json(key, value)
    try:
        before.updated(changes)
    except ValidationError as error:
        raise InputError(f"state {explained(error)}") from error


def _check_json(key: str, value: Any) -> None:
    try:
        jsonable = to_jsonable_python(value)
    except PydanticSerializationError as error:
        raise InputError(f"state {key} = {quoted(value)} cannot be used: JSON cannot hold it.") from error
    except ValueError as error:  # too deep to be written
        raise InputError(f"state {key} cannot be used: it is nested too deep. {KEEPABLE}") from error
    try:
        json.dumps(jsonable, allow_nan=False)
        json.dumps(value, default=_without_bytes, skipkeys=True)
    except (TypeError, ValueError) as error:
        why = "a finite number is needed" if "float" in str(error) else error
        raise InputError(f"state {key} = {quoted(value)} cannot be used: {why}. {KEEPABLE}") from error


def _without_bytes(value: Any) -> Any:
    """A value as JSON has it. Raises `TypeError` for bytes, which would become text."""
    if isinstance(value, bytes | bytearray | memoryview):
        raise TypeError("JSON has no bytes: decode them")
    return to_jsonable_python(value)


def _check_spelling(key: str) -> None:
    """Raise `InputError` if a free key is empty, a typed one but for case or underscores (`gameday`), or is `day`."""
    if not key.strip():
        raise InputError(f"state key {key!r} is empty. Name what the value is, as in weather='storm'.")
    typed = {name.replace("_", ""): name for name in (*State.model_fields, "game_time")} | {"day": "game_day"}
    meant = typed.get(key.replace("_", "").casefold())
    if meant is not None and meant != key:
        raise InputError(f"state key {key!r} looks like {meant!r}. Write that, or choose another name.")
