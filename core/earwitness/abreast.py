"""Whether a handle and the ledger still tell the same story: other processes may go on with it, or forget it."""

from __future__ import annotations

from .protocols import Ledger
from .records.journal import Entry
from .telling import gone


class Abreast:
    """The last entry a handle knows of. An id may be another story's by now, whose entries are others."""

    def __init__(self, ledger: Ledger, session: str, settled: int) -> None:
        self._ledger = ledger
        self._session = session
        self._settled = settled
        self._last: Entry | None = None

    def told(self, entry: Entry) -> None:
        """This handle has told it, or found it told."""
        if self._last is None or entry.sequence > self._last.sequence:
            self._last = entry

    async def check(self) -> bool:
        """Whether more was told than this handle knows of. Raises `UnknownName` when the story is gone."""
        sequence = self._last.sequence if self._last else self._settled
        found = await self._ledger.entries(self._session, after=max(sequence - 1, 0), limit=2)
        if not found or not self._known(found[0], sequence):
            raise gone(self._session)
        self.told(found[0])
        return len(found) > 1

    def _known(self, entry: Entry, sequence: int) -> bool:
        if self._last is None:
            return entry.sequence == max(sequence, 1)
        return (entry.sequence, entry.key, entry.timestamp) == (sequence, self._last.key, self._last.timestamp)
