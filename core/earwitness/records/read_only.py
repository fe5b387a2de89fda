"""Dicts and lists that nobody can change: what strategies are given, and what a store hands out again and again.

A copy of one (`dict(...)`, `list(...)`, `copy`, `deepcopy`, `pickle`) is a plain dict or list.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from copy import deepcopy
from functools import cache
from types import NoneType
from typing import Any, NoReturn, TypeVar, get_args, get_origin

from pydantic import BaseModel

from .base import set_extra

R = TypeVar("R", bound=BaseModel)
_Memo = dict[int, tuple[Any, Any]]
"""The id of a dict or list → what is equal to it and read-only, and the dict or list itself."""
_ADVICE = "belongs to a record, which is frozen. Change a copy of it: dict(…) or list(…)."


def _refuse(self: object, *_: object, **__: object) -> NoReturn:
    raise TypeError(f"this {type(self).__bases__[0].__name__} {_ADVICE}")


class ReadOnlyList(list[Any]):
    """A list that raises `TypeError` where it would be changed."""

    append = extend = insert = remove = pop = clear = sort = reverse = _refuse
    __setitem__ = __delitem__ = __iadd__ = __imul__ = _refuse

    def __copy__(self) -> list[Any]:
        return list(self)

    def __deepcopy__(self, memo: dict[int, Any]) -> list[Any]:
        return deepcopy(list(self), memo)

    def __reduce__(self) -> tuple[Any, ...]:
        return list, (list(self),)


class ReadOnlyDict(dict[str, Any]):
    """A dict that raises `TypeError` where it would be changed."""

    update = setdefault = pop = popitem = clear = _refuse
    __setitem__ = __delitem__ = __ior__ = _refuse

    def __copy__(self) -> dict[str, Any]:
        return dict(self)

    def __deepcopy__(self, memo: dict[int, Any]) -> dict[str, Any]:
        return deepcopy(dict(self), memo)

    def __reduce__(self) -> tuple[Any, ...]:
        return dict, (dict(self),)


_CLOSED = frozenset({ReadOnlyDict, ReadOnlyList, str, int, float, bool, NoneType})
"""What nobody can change, at any depth."""
_OPEN = frozenset({dict, list, tuple})
_OPENED = frozenset({dict, list, Mapping})
"""What a field is annotated with that may be given a dict or a list."""


def read_only(values: Mapping[str, Any]) -> ReadOnlyDict:
    """The values, at any depth, which nobody can change any more."""
    found: ReadOnlyDict = _sealed(dict(values), {})
    return found


def with_changes(values: Mapping[str, Any], changes: Mapping[str, Any]) -> dict[str, Any]:
    """The values after changes, of which empty ones remove a key. Read-only if the values are: then what they have in
    common with the new ones need not be looked through again."""
    is_sealed = isinstance(values, ReadOnlyDict)
    new = ReadOnlyDict(values) if is_sealed else dict(values)
    for key, value in changes.items():
        if value:
            dict.__setitem__(new, key, _sealed(value, {}) if is_sealed else value)
        else:
            dict.pop(new, key, None)
    return new


def sealed(record: R) -> R:
    """The record itself, with every dict and list in it read-only, at any depth.

    A dict is replaced by one that is equal to it, once; sealing a record again only looks.
    """
    _sealed(record, {})
    return record


def _seal(record: BaseModel, fields: Sequence[str], memo: _Memo) -> None:
    values = record.__dict__
    for name in fields:
        if type(value := values[name]) not in _CLOSED:
            values[name] = _sealed(value, memo)
    if type(extra := record.__pydantic_extra__) is dict:
        set_extra(record, _sealed(extra, memo))


def _sealed(value: Any, memo: _Memo) -> Any:
    """The value, read-only. A list that many records share stays one, which `memo` knows by its id."""
    kind: Any = type(value)
    if kind is dict or kind is list:
        if id(value) not in memo:  # the value is kept too, so that no other gets its id
            memo[id(value)] = (_closed(value, memo), value)
        return memo[id(value)][0]
    if kind is tuple:
        return _sealed_items(value, memo)
    if fields := _open_fields(kind):
        _seal(value, fields, memo)
    return value


def _sealed_items(values: tuple[Any, ...], memo: _Memo) -> tuple[Any, ...]:
    if _CLOSED.issuperset(map(type, values)):
        return values
    for each in values:
        kind: Any = type(each)
        if kind in _OPEN:  # free values only
            return tuple([_sealed(each, memo) for each in values])
        fields = _open_fields(kind)
        for name in fields:  # most are sealed already, such as messages that were shown before
            if type(each.__dict__[name]) not in _CLOSED or each.__pydantic_extra__:
                _seal(each, fields, memo)
                break
    return values


def _closed(value: dict[str, Any] | list[Any], memo: _Memo) -> ReadOnlyDict | ReadOnlyList:
    if isinstance(value, dict):
        if _CLOSED.issuperset(kinds := set(map(type, value.values()))) or not any(map(_may_hold_open, kinds)):
            return ReadOnlyDict(value)
        return ReadOnlyDict({key: _sealed(each, memo) for key, each in value.items()})
    if _CLOSED.issuperset(map(type, value)):
        return ReadOnlyList(value)
    return ReadOnlyList([_sealed(each, memo) for each in value])


def _may_hold_open(kind: Any) -> bool:
    """Whether values of this type are open, or may hold what is."""
    return kind in _OPEN or bool(_open_fields(kind))


@cache
def _open_fields(kind: Any) -> tuple[str, ...]:
    """The fields that may hold a dict or a list, at any depth; none of what is not a record."""
    if not (isinstance(kind, type) and issubclass(kind, BaseModel)):
        return ()
    return tuple(name for name, field in kind.model_fields.items() if _is_open(field.annotation, kind))


def _is_open(annotation: Any, of: type) -> bool:
    """Whether a field may hold a dict or a list; so may one with more records of the kind that it is a field `of`."""
    value = getattr(annotation, "__value__", annotation)  # an alias such as `JsonValue`
    if value is Any or value in _OPENED or get_origin(value) in _OPENED:
        return True
    if isinstance(value, type) and issubclass(value, BaseModel):
        return value is of or value.model_config.get("extra") == "allow" or bool(_open_fields(value))
    return any(_is_open(each, of) for each in get_args(value))
