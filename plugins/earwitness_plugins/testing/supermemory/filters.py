"""Typed filters: `"3"` is not 3, and what a document lacks fulfils no condition, not even a negative one."""

from __future__ import annotations

import operator
from collections.abc import Callable, Mapping
from typing import Any

from .requests import AnyCondition, ConditionGroup, ElementCondition, OrderCondition, TextCondition, ValueCondition

Check = Callable[[Mapping[str, Any]], bool]
"""Whether a document with this metadata is among those asked for."""
_ValueCheck = Callable[[Any], bool]
"""Whether the value of a field, or `None`, fulfils a condition."""
_ORDER: dict[str, Callable[[Any, Any], bool]] = {
    "gt": operator.gt,
    "gte": operator.ge,
    "lt": operator.lt,
    "lte": operator.le,
}
NOT_INDEXED = "sm_"
"""Metadata keys with this prefix are kept, and no filter sees them."""


def check(filter: AnyCondition | None) -> Check:
    """What a filter asks of each document; the filter is looked at once."""
    if filter is None:
        return lambda _: True
    if isinstance(filter, ConditionGroup):
        return _joined([check(each) for each in filter.operands], decides=filter.operator == "or")
    field, fulfils = filter.field, _value_check(filter)
    if field.startswith(NOT_INDEXED):
        return lambda _: False
    return lambda metadata: fulfils(metadata.get(field))


def _joined(parts: list[Check], *, decides: bool) -> Check:
    """Checks joined: the first that answers `decides` is the answer of all."""

    def holds(metadata: Mapping[str, Any]) -> bool:
        for each in parts:
            if each(metadata) is decides:
                return decides
        return not decides

    return holds


def _value_check(filter: TextCondition | ValueCondition | OrderCondition | ElementCondition) -> _ValueCheck:
    wanted, value = filter.operator, filter.value
    match filter:
        case TextCondition():
            return _text(filter)
        case ValueCondition():
            kind = _kind(value)
            return lambda stored: _kind(stored) == kind and (stored == value) == (wanted == "eq")
        case OrderCondition():
            compared = _ORDER[wanted]
            return lambda stored: _kind(stored) == "number" and compared(stored, value)
        case ElementCondition():
            return lambda stored: isinstance(stored, list) and (value in stored) == (wanted == "arrayContains")


def _text(filter: TextCondition) -> _ValueCheck:
    value = filter.value if filter.case_sensitive else filter.value.casefold()
    whole, positive = filter.operator in {"eq", "neq"}, filter.operator in {"eq", "contains"}

    def fulfils(stored: Any) -> bool:
        if not isinstance(stored, str):
            return False
        text = stored if filter.case_sensitive else stored.casefold()
        return (text == value if whole else value in text) == positive

    return fulfils


def _kind(value: object) -> str:
    if isinstance(value, bool):
        return "boolean"
    return "number" if isinstance(value, int | float) else "other"
