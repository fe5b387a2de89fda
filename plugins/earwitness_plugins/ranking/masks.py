"""The filter tree over columns: which rows it holds for."""

from __future__ import annotations

from collections.abc import Callable, Hashable

import numpy as np

from earwitness.filters import And, Compare, Filter, In, Not, Or

from .arrays import Flags
from .columns import Column


def mask(filter: Filter, size: int, column: Callable[[str], Column]) -> Flags:
    """For which of `size` rows the filter holds, each exactly as `earwitness.filters.matches` says."""
    match filter:
        case And(parts):
            return _all([mask(part, size, column) for part in parts], size)
        case Or(parts):
            return ~_all([~mask(part, size, column) for part in parts], size)
        case Not(part):
            return ~mask(part, size, column)
        case Compare() | In():
            return column(filter.field).mask(filter, size)


def key(filter: Filter) -> Hashable:
    """What tells filters apart that hold for other memories: unlike for Python, `True` is not `1` here."""
    match filter:
        case Compare(field, operator, value):
            return field, operator, type(value), value
        case In(field):
            return field, filter.among
        case Not(part):
            return Not, key(part)
        case And(parts) | Or(parts):
            return type(filter), *map(key, parts)


def _all(masks: list[Flags], size: int) -> Flags:
    held = np.ones(size, np.bool_)
    for each in masks:
        held &= each
    return held
