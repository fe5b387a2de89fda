"""A metadata field of a container as arrays, so that a comparison looks at all memories at once."""

from __future__ import annotations

import operator
from collections.abc import Callable, Iterable, Sequence
from typing import Any

import numpy as np

from earwitness.filters import Compare, In, is_number, matches
from earwitness.records.memory_types import MetaValue

from .arrays import Flags, Integers

_MISSING, _NUMBER, _TEXT, _BOOLEAN, _LIST, _ODD = range(6)
_LARGEST_EXACT = 2**53
_ORDER: dict[str, Callable[[Any, Any], Any]] = {
    ">": operator.gt,
    ">=": operator.ge,
    "<": operator.lt,
    "<=": operator.le,
}


class Column:
    """The values of one field by row. Answers a comparison as `earwitness.filters.matches` would, row by row."""

    def __init__(self) -> None:
        self._kinds = np.zeros(0, np.uint8)
        self._numbers = np.zeros(0, np.float64)
        self._codes = np.zeros(0, np.int32)
        self._code_of: dict[str, int] = {}
        self._list_codes: dict[tuple[str, ...], int] = {}
        self._listed: dict[str, list[int]] = {}
        """Element → codes of the lists that hold it."""
        self._listings = 0
        self._odd: dict[int, MetaValue] = {}

    @property
    def nbytes(self) -> int:
        """About how much memory it takes."""
        distinct = len(self._code_of) + len(self._listed) + 2 * len(self._list_codes)
        return 13 * len(self._kinds) + 80 * distinct + 44 * self._listings

    def put(self, rows: Integers, values: Sequence[MetaValue | None]) -> None:
        """Take in the values of rows, each row once; `None` where the field is missing."""
        if not len(rows):
            return
        self._reserve(int(rows.max()) + 1)
        if _all_numbers(values):
            self._kinds[rows], self._numbers[rows] = _NUMBER, values
        elif set(map(type, values)) == {str}:
            self._kinds[rows], self._codes[rows] = _TEXT, self._codes_of(values)
        else:
            self._put_each(zip(rows.tolist(), values, strict=True))

    def mask(self, leaf: Compare | In, size: int) -> Flags:
        """For which of the first `size` rows the comparison with this field holds."""
        self._reserve(size)
        found = self._in(leaf.among, size) if isinstance(leaf, In) else self._compare(leaf, size)
        for row, value in self._odd.items():
            if row < size:
                found[row] = matches(leaf, {leaf.field: value})
        return found

    def _put_each(self, values: Iterable[tuple[int, MetaValue | None]]) -> None:
        codes: dict[int, int] = {}
        for row, value in values:
            if isinstance(value, list):
                code = codes.get(id(value))  # rows that share a long list mostly have the same object
                codes[id(value)] = code = self._list_code(value) if code is None else code
                self._kinds[row], self._codes[row] = _LIST, code
            elif value is not None:
                self._put_one(row, value)

    def _put_one(self, row: int, value: str | float | bool) -> None:
        if isinstance(value, str):
            self._kinds[row], self._codes[row] = _TEXT, self._code(value)
        elif isinstance(value, float) or -_LARGEST_EXACT <= value <= _LARGEST_EXACT:
            self._kinds[row] = _BOOLEAN if isinstance(value, bool) else _NUMBER
            self._numbers[row] = value
        else:
            self._kinds[row] = _ODD
            self._odd[row] = value

    def _list_code(self, value: Sequence[str]) -> int:
        """The code of a list: equal lists are held once."""
        elements = tuple(value)
        code = self._list_codes.get(elements)
        if code is None:
            code = self._list_codes[elements] = len(self._list_codes)
            for element in dict.fromkeys(elements):
                self._listed.setdefault(element, []).append(code)
                self._listings += 1
        return code

    def _code(self, value: str) -> int:
        return self._code_of.setdefault(value, len(self._code_of))

    def _codes_of(self, values: Sequence[Any]) -> list[int]:
        codes = {value: self._code(value) for value in dict.fromkeys(values)}
        return list(map(codes.__getitem__, values))

    def _reserve(self, size: int) -> None:
        missing = size - len(self._kinds)
        if missing > 0:
            more = max(missing, len(self._kinds) // 2, 64)
            self._kinds = np.concatenate([self._kinds, np.zeros(more, np.uint8)])
            self._numbers = np.concatenate([self._numbers, np.zeros(more, np.float64)])
            self._codes = np.concatenate([self._codes, np.zeros(more, np.int32)])

    def _in(self, values: frozenset[str], size: int) -> Flags:
        codes = [self._code_of[value] for value in values & self._code_of.keys()]
        found: Flags = self._kinds[:size] == _TEXT
        found &= np.isin(self._codes[:size], codes)
        found |= self._holding(values, size)
        return found

    def _holding(self, values: Iterable[str], size: int) -> Flags:
        """Which rows are lists that hold one of the values."""
        found: Flags = self._kinds[:size] == _LIST
        holding = np.zeros(len(self._list_codes) + 1, np.bool_)
        for value in values:
            holding[self._listed.get(value, [])] = True
        if holding.any():
            found[found] = holding[self._codes[:size][found]]
        else:
            found[:] = False
        return found

    def _compare(self, leaf: Compare, size: int) -> Flags:
        value = leaf.value
        if isinstance(value, int) and abs(value) > _LARGEST_EXACT:
            return self._one_by_one(leaf, size)
        if leaf.operator == "==":
            return self._equal(value, size)
        if leaf.operator == "!=":
            return self._comparable(value, size) & ~self._equal(value, size)
        found: Flags = _ORDER[leaf.operator](self._numbers[:size], float(value))
        found &= self._kinds[:size] == _NUMBER
        return found

    def _equal(self, value: str | float | bool, size: int) -> Flags:
        found: Flags = self._kinds[:size] == _kind(value)
        if isinstance(value, str):
            found &= self._codes[:size] == self._code_of.get(value, -1)
            if value in self._listed:
                found |= self._holding((value,), size)
        else:
            found &= self._numbers[:size] == value
        return found

    def _comparable(self, value: str | float | bool, size: int) -> Flags:
        found: Flags = self._kinds[:size] == _kind(value)
        found |= self._kinds[:size] == _LIST
        return found

    def _one_by_one(self, leaf: Compare, size: int) -> Flags:
        """A value that no float is: whatever the arrays hold is compared as Python compares it."""
        found: Flags = np.zeros(size, np.bool_)
        if leaf.operator == "!=":
            found |= self._kinds[:size] == _LIST
        for row in np.flatnonzero(self._kinds[:size] == _NUMBER).tolist():
            found[row] = matches(leaf, {leaf.field: float(self._numbers[row])})
        return found


def _all_numbers(values: Sequence[Any]) -> bool:
    return set(map(type, values)) <= {int, float} and -_LARGEST_EXACT <= min(values) <= max(values) <= _LARGEST_EXACT


def _kind(value: str | float | bool) -> int:
    if isinstance(value, str):
        return _TEXT
    return _NUMBER if is_number(value) else _BOOLEAN
