"""Metadata that nobody can change: a store may hand out the same memory again and again.

A copy of it (`dict(...)`, `copy`, `deepcopy`, `pickle`) is a plain dict with plain lists.
"""

from __future__ import annotations

from collections.abc import Mapping
from copy import deepcopy
from typing import Any, NoReturn

from earwitness.records.memory_types import MetaValue

_ADVICE = "belongs to a memory, which is frozen. Change a copy of it: dict(memory.metadata)."


def _refuse(self: object, *_: object, **__: object) -> NoReturn:
    raise TypeError(f"this {type(self).__bases__[0].__name__} {_ADVICE}")


class ReadOnlyList(list[str]):
    """A list that raises `TypeError` where it would be changed."""

    append = extend = insert = remove = pop = clear = sort = reverse = _refuse
    __setitem__ = __delitem__ = __iadd__ = __imul__ = _refuse

    def __copy__(self) -> list[str]:
        return list(self)

    def __deepcopy__(self, memo: dict[int, Any]) -> list[str]:
        return list(self)

    def __reduce__(self) -> tuple[Any, ...]:
        return list, (list(self),)


class ReadOnlyDict(dict[str, MetaValue]):
    """Metadata that raises `TypeError` where it would be changed."""

    update = setdefault = pop = popitem = clear = _refuse
    __setitem__ = __delitem__ = __ior__ = _refuse

    def __copy__(self) -> dict[str, MetaValue]:
        return dict(self)

    def __deepcopy__(self, memo: dict[int, Any]) -> dict[str, MetaValue]:
        return deepcopy(dict(self), memo)

    def __reduce__(self) -> tuple[Any, ...]:
        return dict, (dict(self),)


def read_only(metadata: Mapping[str, MetaValue]) -> ReadOnlyDict:
    """The metadata, which nobody can change any more."""
    return ReadOnlyDict(
        {key: ReadOnlyList(value) if isinstance(value, list) else value for key, value in metadata.items()}
    )
