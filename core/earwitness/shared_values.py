"""Tables in which thousands of names share a few values: looked through at the speed of C, one value judged once.

Values are told apart by identity, which never takes two different ones for the same.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from itertools import compress, filterfalse
from operator import attrgetter, is_not
from typing import TypeVar

T = TypeVar("T")
U = TypeVar("U")


def different(values: Iterable[T]) -> list[T]:
    """Each different value once."""
    found = list(values)
    return list(_by_identity(found, list(map(id, found))).values())


def chosen(names: Iterable[str], values: Iterable[T], wanted: Callable[[T], bool]) -> list[str]:
    """The names whose values are wanted, in their order; `values` are theirs."""
    found = list(values)
    keys = list(map(id, found))
    known = _by_identity(found, keys)
    good = {key for key, value in known.items() if wanted(value)}
    if not good or len(good) == len(known):
        return list(names) if good else []
    return list(compress(names, map(good.__contains__, keys)))


def having(names: Iterable[str], values: Iterable[object], attribute: str, wanted: Collection[object]) -> list[str]:
    """The names whose values have one of these as an attribute, in their order."""
    found = list(map(attrgetter(attribute), values))
    good = frozenset(wanted)
    return [] if good.isdisjoint(found) else list(compress(names, map(good.__contains__, found)))


def made_of(values: Iterable[T], make: Callable[[T], U]) -> list[U]:
    """What `make` makes of each value: once of those that are the same."""
    found = list(values)
    keys = list(map(id, found))
    made = {key: make(value) for key, value in _by_identity(found, keys).items()}
    return list(made.values()) * len(keys) if len(made) == 1 else list(map(made.__getitem__, keys))


def changed(before: Mapping[str, T], after: Mapping[str, T]) -> list[str]:
    """The names in `after` that have another value than before, or had none."""
    if before is after:
        return []
    names = list(compress(after, map(is_not, map(before.get, after), after.values())))
    olds, news = list(map(before.get, names)), list(map(after.__getitem__, names))
    if len(set(map(id, olds))) == 1 and len(set(map(id, news))) == 1:
        return names if olds[0] != news[0] else []
    alike: dict[tuple[int, int], bool] = {}
    return [name for name, old, new in zip(names, olds, news, strict=True) if not _are_equal(old, new, alike)]


def _by_identity(values: Sequence[T], keys: Sequence[int]) -> Mapping[int, T]:
    """The identity of each different value → the value."""
    if len(set(keys)) == 1:
        return {keys[0]: values[0]}
    return dict(zip(keys, values, strict=True))


def _are_equal(old: T | None, new: T, known: dict[tuple[int, int], bool]) -> bool:
    """Whether two values are equal; the same two are compared once, as `known` says."""
    pair = (id(old), id(new))
    if pair not in known:
        known[pair] = old == new
    return known[pair]


def without(names: Iterable[str], others: Collection[str]) -> list[str]:
    """The names that are not among the others, in their order; `others` are a set, or the keys of a table."""
    return list(filterfalse(others.__contains__, names))
