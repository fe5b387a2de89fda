"""Records by the thousand that differ only in whom they are about: each is made when somebody looks at it.

A message to ten thousand moves ten thousand people, and makes as many copies. Whoever looks at all of them gets all of
them, one after the other; whoever asks about one container gets that one.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Callable, Iterable, Iterator, Sequence
from itertools import accumulate
from typing import Any, Generic, TypeVar, overload

R = TypeVar("R")


class _RecordSequence(Sequence[R]):
    """A sequence that is equal to every tuple of the same records."""

    def __eq__(self, other: object) -> bool:
        if self is other:
            return True
        return isinstance(other, Sequence) and len(self) == len(other) and tuple(self) == tuple(other)

    __hash__ = None  # type: ignore[assignment]

    def __repr__(self) -> str:
        return repr(tuple(self))

    def __reduce__(self) -> tuple[Any, ...]:
        return tuple, (tuple(self),)


class AlikeRecords(_RecordSequence[R], Generic[R]):
    """Records that differ only in whom they are about."""

    def __init__(self, ids: Sequence[str], make: Callable[[str], R]) -> None:
        """`make` makes the record about one of the `ids`, of which none comes twice."""
        self.ids = ids
        self.make = make

    def __len__(self) -> int:
        return len(self.ids)

    def __iter__(self) -> Iterator[R]:
        return map(self.make, self.ids)

    @overload
    def __getitem__(self, at: int) -> R: ...
    @overload
    def __getitem__(self, at: slice) -> Sequence[R]: ...
    def __getitem__(self, at: int | slice) -> R | Sequence[R]:
        return self.make(self.ids[at]) if isinstance(at, int) else tuple(map(self.make, self.ids[at]))


class Many(_RecordSequence[R], Generic[R]):
    """Sequences one after the other, some of which may be `AlikeRecords`."""

    def __init__(self, parts: Iterable[Sequence[R]]) -> None:
        """Empty parts are left out."""
        self.parts = tuple(part for part in parts if len(part))
        self._ends = tuple(accumulate(map(len, self.parts)))

    def __len__(self) -> int:
        return self._ends[-1] if self._ends else 0

    def __iter__(self) -> Iterator[R]:
        for part in self.parts:
            yield from part

    @overload
    def __getitem__(self, at: int) -> R: ...
    @overload
    def __getitem__(self, at: slice) -> Sequence[R]: ...
    def __getitem__(self, at: int | slice) -> R | Sequence[R]:
        if isinstance(at, slice):
            return tuple(self)[at]
        place = at + len(self) if at < 0 else at
        if not 0 <= place < len(self):
            raise IndexError(at)
        part = bisect_right(self._ends, place)
        return self.parts[part][place - (self._ends[part - 1] if part else 0)]


def parts_of(records: Iterable[R]) -> tuple[Iterable[R], ...]:
    """The parts of `Many`; of anything else, itself."""
    if isinstance(records, Many):
        return records.parts
    return (records,)


def joined(*records: Sequence[R]) -> Sequence[R]:
    """These one after the other: a tuple, unless some are `Many`."""
    if not any(isinstance(each, Many) for each in records):
        return tuple([record for each in records for record in each])
    return Many(part for each in records for part in parts_of(each))  # type: ignore[misc]
