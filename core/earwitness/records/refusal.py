"""What a record says of values that it cannot be made of: pydantic's errors as one sentence that quotes the value."""

from __future__ import annotations

import re
from collections.abc import Collection
from typing import Any

from pydantic import ValidationError

from ..errors import did_you_mean, quoted

ENCLOSING = 80
"""Levels of nesting that plans, snapshots and exports may add around a value. JSON is read up to 200 levels deep."""
KEEPABLE = (
    "Text must be valid Unicode, free values must be JSON (no NaN, no infinity), "
    "lists and tables nested at most 100 deep."
)
_CHOICE = re.compile(r"'([^']*)'")


def explained(error: ValidationError, names: Collection[str] = ()) -> str:
    """Which value cannot be used, and why: `game_day = 'soon' cannot be used: …`. `names` are the record's fields."""
    problem = error.errors()[0]
    where = ".".join(str(part) for part in problem["loc"])
    if len(problem["loc"]) > ENCLOSING:
        return f"{problem['loc'][0]} cannot be used: it is nested too deep. {KEEPABLE}"
    match problem["type"]:
        case "missing":
            return f"{where} is missing."
        case "extra_forbidden" if names and len(problem["loc"]) == 1:
            return f"there is no {where!r}, only {', '.join(names)}.{did_you_mean(where, names)}"
    why = problem["msg"].removeprefix("Value error, ").rstrip(".")
    return f"{where} = {quoted(problem['input'])} cannot be used: {why}.{_meant(problem)}"


def _meant(problem: Any) -> str:
    """The one of several allowed values that is likeliest meant."""
    return did_you_mean(problem["input"], _CHOICE.findall(problem["msg"])) if problem["type"] == "literal_error" else ""
