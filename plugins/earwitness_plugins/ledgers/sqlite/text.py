"""Records and lists as the text they are stored as."""

from __future__ import annotations

import json
from collections.abc import Iterable

from pydantic_core import PydanticSerializationError

from earwitness.errors import InputError
from earwitness.records.base import Record


def as_json(record: Record, *, exclude: set[str] | None = None) -> str:
    """A record as JSON. Raises `InputError` for what JSON cannot hold, such as half a surrogate pair."""
    try:
        return record.model_dump_json(exclude=exclude)
    except PydanticSerializationError as error:
        raise InputError(
            f"this {type(record).__name__} cannot be kept: {error}. "
            "Text must be valid Unicode, and free values must be JSON: numbers, text, lists, objects."
        ) from error


def as_list(values: Iterable[str]) -> str:
    """Values for one bound parameter, to be taken apart by `json_each`: no limit on how many."""
    return json.dumps(list(values))
