"""A filter as a condition of SQL. Fields and values are parameters, never text of the statement."""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import Any

from earwitness.filters import EVERYTHING, And, Compare, Filter, In, Not, Or, Scalar

from .text import kept

MOST_PARTS = 300
"""A filter with more parts, …"""
DEEPEST = 10
"""… or deeper than this is not handed to the server: its planner takes exponential time for nested negations."""


class JsonbCondition:
    """The condition that a row `m` of `earwitness.memory` must meet, and its parameters."""

    def __init__(self, filter: Filter) -> None:
        self.parameters: dict[str, Any] = {}
        """Their names are `f0`, `f1`, …"""
        self.is_whole: bool = _fits(filter)
        """Whether it says all that the filter says. If not, it holds for everything."""
        self.text: str = self._of(filter) if self.is_whole and filter != EVERYTHING else "true"
        """SQL."""

    def _of(self, filter: Filter) -> str:
        match filter:
            case And(parts):
                return "(" + " AND ".join(["true", *map(self._of, parts)]) + ")"
            case Or(parts):
                return "(" + " OR ".join(["false", *map(self._of, parts)]) + ")"
            case Not(part):
                return f"(NOT {self._of(part)})"
            case In(field, values):
                texts = self._parameter([kept(value) for value in values])
                return f"coalesce({self._value(field)} ?| {texts}::text[], false)"
            case Compare("learnedDay", "<" | "<=" | ">" | ">=" as operator, value):
                return f"coalesce(m.learned_day {operator} {self._parameter(json.dumps(value))}::numeric, false)"
            case Compare(field, operator, value):
                return f"coalesce({self._comparison(self._value(field), operator, value)}, false)"

    def _comparison(self, stored: str, operator: str, value: Scalar) -> str:
        """A list of texts holds a text; no list holds a number."""
        if isinstance(value, str):
            holds = f"{stored} ? {self._parameter(kept(value))}::text"
            return holds if operator == "==" else f"jsonb_typeof({stored}) IN ('string', 'array') AND NOT {holds}"
        its = f"{self._parameter(json.dumps(value))}::jsonb"
        kind = "boolean" if isinstance(value, bool) else "number"
        if operator == "==":
            return f"{stored} = {its}"
        if operator == "!=":
            return f"CASE jsonb_typeof({stored}) WHEN 'array' THEN true WHEN '{kind}' THEN {stored} <> {its} END"
        return f"jsonb_typeof({stored}) = 'number' AND {stored} {operator} {its}"

    def _value(self, field: str) -> str:
        return f"(m.metadata -> {self._parameter(kept(field))}::text)"

    def _parameter(self, value: object) -> str:
        name = f"f{len(self.parameters)}"
        self.parameters[name] = value
        return f"%({name})s"


def _fits(filter: Filter) -> bool:
    """Whether the server is handed this filter."""
    level, size = [filter], 0
    for _ in range(DEEPEST):
        size += len(level)
        if not level or size > MOST_PARTS:
            break
        level = [part for each in level for part in _parts(each)]
    return not level and size <= MOST_PARTS


def _parts(filter: Filter) -> Sequence[Filter]:
    if isinstance(filter, And | Or):
        return filter.parts
    return (filter.part,) if isinstance(filter, Not) else ()
