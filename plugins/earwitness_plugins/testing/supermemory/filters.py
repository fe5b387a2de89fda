"""Typed filters: `"3"` is not 3, and what a document lacks fulfils no condition, not even a negative one."""

from __future__ import annotations

import operator
from collections.abc import Callable, Mapping
from typing import Any

from .requests import AnyCondition, ConditionGroup, ElementCondition, OrderCondition, TextCondition, ValueCondition

_ORDER: dict[str, Callable[[Any, Any], bool]] = {
    "gt": operator.gt,
    "gte": operator.ge,
    "lt": operator.lt,
    "lte": operator.le,
}
NOT_INDEXED = "sm_"
"""Metadata keys with this prefix are kept, and no filter sees them."""


def holds(filter: AnyCondition | None, metadata: Mapping[str, Any]) -> bool:
    """Whether a document with this metadata is among those asked for."""
    if filter is None:
        return True
    if isinstance(filter, ConditionGroup):
        joined = all if filter.operator == "and" else any
        return joined(holds(each, metadata) for each in filter.operands)
    return not filter.field.startswith(NOT_INDEXED) and _compared(filter, metadata.get(filter.field))


def _compared(filter: TextCondition | ValueCondition | OrderCondition | ElementCondition, stored: Any) -> bool:
    match filter:
        case TextCondition():
            return isinstance(stored, str) and _text(filter, stored)
        case ValueCondition(operator=wanted, value=value):
            return _kind(stored) == _kind(value) and (stored == value) == (wanted == "eq")
        case OrderCondition(operator=wanted, value=value):
            return _kind(stored) == "number" and _ORDER[wanted](stored, value)
        case ElementCondition(operator=wanted, value=value):
            return isinstance(stored, list) and (value in stored) == (wanted == "arrayContains")


def _text(filter: TextCondition, stored: str) -> bool:
    value = filter.value
    if not filter.case_sensitive:
        stored, value = stored.casefold(), value.casefold()
    found = stored == value if filter.operator in {"eq", "neq"} else value in stored
    return found == (filter.operator in {"eq", "contains"})


def _kind(value: object) -> str:
    if isinstance(value, bool):
        return "boolean"
    return "number" if isinstance(value, int | float) else "other"
