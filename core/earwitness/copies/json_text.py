"""Records and values as the text they are kept as."""

from __future__ import annotations

from typing import Any

from pydantic import JsonValue
from pydantic_core import PydanticSerializationError, to_json

from ..errors import InputError
from ..records.base import Record


def as_json(record: Record, *, exclude: set[str] | dict[str, Any] | None = None, exclude_defaults: bool = False) -> str:
    """A record as JSON. Raises `InputError` for what JSON cannot hold, such as half a surrogate pair."""
    try:
        return record.model_dump_json(exclude=exclude, exclude_defaults=exclude_defaults)
    except PydanticSerializationError as error:
        raise _unkeepable(f"this {type(record).__name__}", error) from error


def value_as_json(value: JsonValue, what: str) -> str:
    """Text or another plain value as JSON. Raises `InputError` that says `what` it was."""
    try:
        return to_json(value, inf_nan_mode="constants").decode()
    except (PydanticSerializationError, ValueError) as error:
        raise _unkeepable(what, error) from error


def _unkeepable(what: str, error: Exception) -> InputError:
    return InputError(
        f"{what} cannot be kept: {error}. "
        "Text must be valid Unicode, and free values must be JSON: numbers, text, lists, objects."
    )
