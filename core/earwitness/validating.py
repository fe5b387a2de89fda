"""One sentence for what pydantic found wrong, quoting the value."""

from __future__ import annotations

from typing import Any, TypeVar

from pydantic import ValidationError

from .errors import InputError
from .records.base import Record

R = TypeVar("R", bound=Record)


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
