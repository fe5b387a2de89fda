"""What a record says of values that it cannot be made of: pydantic's errors as one sentence that quotes the value."""

from __future__ import annotations

import json
from collections.abc import Collection
from typing import TYPE_CHECKING

from pydantic import ValidationError

from ..errors import did_you_mean, quoted
from ..patterns import lazy_pattern

if TYPE_CHECKING:
    from pydantic_core import ErrorDetails

ENCLOSING = 80
"""Levels of nesting that plans, snapshots and exports may add around a value. JSON is read up to 200 levels deep."""
KEEPABLE = (
    "Text must be valid Unicode, free values must be JSON (no NaN, no infinity), "
    "lists and tables nested at most 100 deep."
)
_CHOICE = lazy_pattern(r"'([^']*)'")


def explained(error: ValidationError, names: Collection[str] = ()) -> str:
    """Which value cannot be used, and why: `game_day = 'soon' cannot be used: …`. `names` are the record's fields."""
    found = error.errors()
    problem = next((each for each in found if each["type"] != "missing"), found[0])  # a slip explains what is missing
    where = path_text(problem["loc"])
    if len(problem["loc"]) > ENCLOSING:
        return f"{problem['loc'][0]} cannot be used: it is nested too deep. {KEEPABLE}"
    match problem["type"]:
        case "missing":
            return f"{where} is missing."
        case "extra_forbidden" if names and len(problem["loc"]) == 1:
            return f"there is no {where!r}, only {', '.join(names)}.{did_you_mean(where, names)}"
        case "extra_forbidden":
            return f"there is no {where!r}."
        case "literal_error":
            meant = did_you_mean(problem["input"], _CHOICE.findall(problem["msg"]))
            allowed = problem["ctx"]["expected"]
            return f"{where} = {quoted(problem['input'])} is not allowed. Allowed: {allowed}.{meant}"
        case "value_error":
            why = problem["msg"].removeprefix("Value error, ").rstrip(".")
            return f"{where} = {quoted(problem['input'])} cannot be used: {why}."
    what = f"{where} = " if where else ""
    return f"{what}{quoted(problem['input'])} cannot be used: {wanted(problem).rstrip('.')}."


def path_text(loc: tuple[str | int, ...]) -> str:
    """`("steps", 3, "say")` → `steps[3].say`. A key that cannot be printed, as with a line break, is quoted."""
    return "".join(f"[{part}]" if isinstance(part, int) else f".{_printable(part)}" for part in loc).removeprefix(".")


def _printable(key: str) -> str:
    return key if str(key).isprintable() else repr(key)


WANTED = {
    "string_type": "text is needed{quoted}",
    "string_too_short": "it is empty",
    "literal_error": "it must be {expected}",
    "tuple_type": "a list is needed{listed}",
    "list_type": "a list is needed{listed}",
    "dict_type": "keys with values are needed",
    "model_type": "keys with values are needed",
    "model_attributes_type": "keys with values are needed",
    "bool_type": "true or false is needed",
    "bool_parsing": "true or false is needed",
    "int_type": "a whole number is needed",
    "int_parsing": "a whole number is needed",
    "int_from_float": "a whole number is needed",
    "float_type": "a number is needed",
    "float_parsing": "a number is needed",
    "finite_number": "a finite number is needed",
    "greater_than": "it must be more than {gt}",
    "greater_than_equal": "it must be at least {ge}",
    "less_than": "it must be less than {lt}",
    "less_than_equal": "it must be at most {le}",
    "too_short": "at least {min_length} needed",
    "union_tag_invalid": "its {discriminator} is {tag!r}, not one of {expected_tags}",
}
"""pydantic's type of error → what is expected. Other types keep pydantic's message."""


def wanted(problem: ErrorDetails, *, is_secret: bool = False) -> str:
    """What is expected in place of a value, in a few words."""
    words = WANTED.get(problem["type"])
    value = problem["input"]
    if words is None:
        said = problem["msg"].removeprefix("Value error, ")
        return said[:1].lower() + said[1:]
    if problem["type"] == "too_short" and isinstance(value, str):
        words = "at least {min_length} characters are needed"
    plain = isinstance(value, str | int | float) and not is_secret
    return words.format(
        quoted=f": {json.dumps(str(value))}" if plain and not isinstance(value, bool) else "",
        listed=f": {json.dumps([value], ensure_ascii=False)}" if plain else "",
        **{name: _plain(bound) for name, bound in problem.get("ctx", {}).items()},
    )


def _plain(bound: object) -> object:
    """A bound without the `.0` of a whole number."""
    return int(bound) if isinstance(bound, float) and bound.is_integer() else bound
