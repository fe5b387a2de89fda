"""Descriptions of the problems that pydantic finds."""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import TYPE_CHECKING, Any, NamedTuple, get_args

from pydantic import BaseModel, ValidationError

from ..errors import did_you_mean
from ..records.refusal import path_text, wanted
from ..redaction import REDACTED, is_secret, redacted, secret_keys

if TYPE_CHECKING:
    from pydantic_core import ErrorDetails

Loc = tuple[str | int, ...]
"""The path from the top of a document to a place in it: keys and indexes."""
TAG = "kind"
BOTH_HALVES = r"Write the character itself, or both halves of it, as in \ud83d\ude00."
"""What to do about half a surrogate pair, which is not text."""


class Position(NamedTuple):
    """Where something is in a text."""

    line: int
    """From 1."""
    column: int
    """From 1."""


class Problem(NamedTuple):
    """A problem in a file."""

    loc: Loc
    """The place of the problem."""
    message: str
    """The bad value, what is allowed, and the likeliest correction."""


def describe(problem: ErrorDetails, model: type[BaseModel]) -> str:
    """Describe one pydantic problem: the bad value, what is allowed, and the likeliest correction."""
    loc, value = problem["loc"], problem["input"]
    context, shown = problem.get("ctx", {}), _shown(value, loc, model)
    match problem["type"]:
        case "extra_forbidden":
            return unknown_key(str(loc[-1]), fields_at(model, loc[:-1]), path_text(loc[:-1]))
        case "missing":
            return f"{_within(loc[:-1])}the key {loc[-1]!r} is missing."
        case "literal_error":
            allowed = str(context["expected"])
            return f"{path_text(loc)}: {shown} is not allowed. Allowed: {allowed}.{_guess(value, allowed)}"
        case "value_error":
            return f"{_within(loc)}{context['error']}"
    unusable = "there is no value" if value is None else f"{shown} cannot be used"
    return f"{path_text(loc)}: {unusable}: {wanted(problem, is_secret=shown == REDACTED)}."


def unknown_key(key: str, allowed: Iterable[str], where: str = "") -> str:
    """`unknown key 'contnet' in a step. Allowed: … Did you mean 'content'?`."""
    names = sorted(allowed)
    place = f" in {where}" if where else ""
    meant = did_you_mean(key, names)
    if key.startswith("-") and key[1:].strip():
        meant = f" If it is an item of a list, put a space behind the dash: - {key[1:].strip()}"
    return f"unknown key {key!r}{place}. Allowed: {', '.join(names) or 'none'}.{meant}"


def fields_at(model: type[BaseModel], loc: Loc) -> list[str]:
    """The keys that the record at this place of the model has. A part of `loc` may be the kind of a tagged record."""
    records, implied = [model], set[str]()
    for part in loc:
        if isinstance(part, str):
            tagged = _tagged(records, part)
            records = tagged or [found for record in records for found in _inside(record, part)]
            implied = {TAG} if tagged else set()
    return sorted({name for record in records for name in record.model_fields} - implied)


def _tagged(records: list[type[BaseModel]], kind: str) -> list[type[BaseModel]]:
    return [
        record
        for record in records
        if TAG in record.model_fields and kind in get_args(record.model_fields[TAG].annotation)
    ]


def _inside(record: type[BaseModel], field: str) -> list[type[BaseModel]]:
    return records_in(record.model_fields[field].annotation) if field in record.model_fields else []


def records_in(annotation: Any) -> list[type[BaseModel]]:
    """The models in an annotation, such as that of `Lore | None`."""
    if isinstance(annotation, type) and issubclass(annotation, BaseModel):
        return [annotation]
    return [found for part in get_args(annotation) for found in records_in(part)]


def plain_message(invalid: ValidationError) -> str:
    """The message of the first problem, without its place."""
    problem = invalid.errors()[0]
    return str(problem.get("ctx", {}).get("error", problem["msg"]))


def _guess(value: object, expected: str) -> str:
    return did_you_mean(value, re.findall(r"'([^']*)'", expected))


def _within(loc: Loc) -> str:
    return f"{path_text(loc)}: " if loc else ""


def _shown(value: object, loc: Loc, model: type[BaseModel]) -> str:
    """The value, shortened and without secrets."""
    keys = tuple(part for part in loc if isinstance(part, str))
    name = keys[-1] if keys else ""
    declared = [each for each in secret_keys(model) if each == keys[-len(each) :]]
    if value is not None and (declared or is_secret(name, value)):
        return REDACTED
    text = repr(redacted({name: value})[name])
    return text if len(text) <= 80 else f"{text[:77]}…"
