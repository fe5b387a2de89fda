"""Filters as conditions of Qdrant. What it cannot say exactly it says more widely; callers check what comes back.

A condition never lets through less than the filter does.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

from earwitness.filters import And, Compare, Filter, In, Not, Or

FieldPath = Callable[[str], str | None]
"""Metadata field → its path in the payload, such as `metadata.speaker`; `None` for what cannot be asked for."""
_LARGEST = 2**53
"""From here on a float does not tell neighbouring integers apart."""
_RANGES = {">": "gt", ">=": "gte", "<": "lt", "<=": "lte"}


class PointCondition(NamedTuple):
    """A condition, and whether it means exactly what the filter means."""

    condition: Any
    """Of `qdrant_client.models`; `None` lets everything through."""
    is_exact: bool


def condition(filter: Filter, path: FieldPath, models: Any) -> PointCondition:
    """The narrowest condition that holds wherever the filter does.

    Args:
        filter: what is asked.
        path: where a metadata field is in the payload.
        models: `qdrant_client.models`.
    """
    match filter:
        case And(parts):
            return _and([condition(part, path, models) for part in parts], models)
        case Or(parts):
            return _or([condition(part, path, models) for part in parts], models)
        case Not(part):
            return _not(condition(part, path, models), models)
        case In(field, values) if key := path(field):
            match_any = models.FieldCondition(key=key, match=models.MatchAny(any=list(values)))
            return PointCondition(match_any, is_exact=True) if values else _nothing(models)
        case Compare(field) if key := path(field):
            return _compare(filter, key, models)
    return PointCondition(None, is_exact=False)


def _and(parts: Sequence[PointCondition], models: Any) -> PointCondition:
    must = [part.condition for part in parts if part.condition is not None]
    return PointCondition(models.Filter(must=must) if must else None, all(part.is_exact for part in parts))


def _or(parts: Sequence[PointCondition], models: Any) -> PointCondition:
    if not parts:
        return _nothing(models)
    is_exact = all(part.is_exact for part in parts)
    if any(part.condition is None for part in parts):
        return PointCondition(None, is_exact)
    return PointCondition(models.Filter(should=[part.condition for part in parts]), is_exact)


def _not(part: PointCondition, models: Any) -> PointCondition:
    if not part.is_exact:
        return PointCondition(None, is_exact=False)
    if part.condition is None:
        return _nothing(models)
    return PointCondition(models.Filter(must_not=[part.condition]), is_exact=True)


def _compare(leaf: Compare, key: str, models: Any) -> PointCondition:
    value = leaf.value
    if leaf.operator == "!=":
        return _not(_compare(Compare(leaf.field, "==", value), key, models), models)._replace(is_exact=False)
    if isinstance(value, str | bool):
        return PointCondition(models.FieldCondition(key=key, match=models.MatchValue(value=value)), is_exact=True)
    if not abs(value) < _LARGEST:
        return PointCondition(None, is_exact=False)
    range = {"gte": value, "lte": value} if leaf.operator == "==" else {_RANGES[leaf.operator]: value}
    return PointCondition(models.FieldCondition(key=key, range=models.Range(**range)), is_exact=True)


def _nothing(models: Any) -> PointCondition:
    return PointCondition(models.HasIdCondition(has_id=[]), is_exact=True)
