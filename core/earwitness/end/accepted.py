"""The entries that a handle has just appended, so that neither its decider nor a recall reads them back."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from itertools import count, takewhile

from ..records.journal import Entry


class AcceptedEntries:
    """Entries of one session, by sequence number."""

    def __init__(self) -> None:
        self._new: dict[int, Entry] = {}
        """Those that nobody has taken to decide them."""
        self._undecided: dict[int, Entry] = {}
        """Those that were not decided when the last one was added."""

    def __bool__(self) -> bool:
        """Whether there is any that nobody has taken."""
        return bool(self._new)

    def add(self, entries: Iterable[Entry], decided: int) -> None:
        """Add new ones; those up to the entry `decided` are not asked for any more."""
        new = {entry.sequence: entry for entry in entries}
        self._new |= new
        self._undecided = {each: entry for each, entry in self._undecided.items() if each > decided} | new

    def take(self, first: int) -> Sequence[Entry]:
        """The entry of this number and those that follow it, to decide them."""
        return [self._new.pop(each) for each in takewhile(self._new.__contains__, count(first))]

    def drop(self) -> None:
        """Have what nobody has taken be read from the journal instead."""
        self._new.clear()

    def undecided(self, decided: int) -> Sequence[Entry]:
        """Those that follow the entry `decided`, taken or not, up to the first that another process has appended."""
        return [self._undecided[each] for each in takewhile(self._undecided.__contains__, count(decided + 1))]
