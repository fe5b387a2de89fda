"""Staleness: whether a handle and the ledger agree about a story that other processes may continue or forget."""

from __future__ import annotations

from time import monotonic

from .protocols import Ledger
from .records.journal import Entry
from .validation.messages import gone

PAUSE = 0.1
"""Seconds for which a check holds: nobody forgets a story and begins it anew in less, while this handle decides."""


class StalenessCheck:
    """The last entry a handle knows of. The same id may belong to another story by now, with other entries.

    Two stories never have the same entry at the same place, unless one is a copy that shares everything before it.
    """

    def __init__(self, ledger: Ledger, session: str) -> None:
        self._ledger = ledger
        self._session = session
        self._last: Entry | None = None
        self._checked = monotonic()

    def note(self, entry: Entry) -> None:
        """Note an entry that this handle has appended or read."""
        if self._last is None or entry.sequence > self._last.sequence:
            self._last = entry

    async def reached(self, sequence: int) -> None:
        """Note that the handle has read the session as of this entry."""
        if not self.knows(sequence) and (entry := await self._ledger.entry(self._session, sequence=sequence)):
            self.note(entry)

    def knows(self, sequence: int) -> bool:
        """Whether this handle has seen the journal up to this entry."""
        return self._last is not None and sequence <= self._last.sequence

    def knows_at_most(self, sequence: int) -> bool:
        """Whether this handle knows of no entry after this one."""
        return self._last is not None and self._last.sequence <= sequence

    async def check_after_pause(self) -> None:
        """Check again if the last time was some time ago, as after a slow strategy or store. Raises `UnknownName`."""
        if monotonic() - self._checked > PAUSE:
            await self.check()

    async def check(self) -> bool:
        """Whether the journal goes further than this handle knows. Raises `UnknownName` when the story is gone."""
        last = self._last  # read it once: other tasks may append while the ledger is asked
        sequence = last.sequence if last else 1
        found = await self._ledger.entries(self._session, after=sequence - 1, limit=2)
        if not found or not _same(found[0], sequence, last):
            raise gone(self._session)
        self.note(found[0])
        self._checked = monotonic()
        return len(found) > 1


def _same(entry: Entry, sequence: int, last: Entry | None) -> bool:
    known = last is None or (entry.key, entry.timestamp) == (last.key, last.timestamp)
    return entry.sequence == sequence and known
