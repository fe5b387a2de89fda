"""Memories of which nobody knows what the store still does to them.

A request that was given up may be carried out later, when what it says is no longer so. A process that does not know
yet what was taken back may still be writing it, and be killed before it removes it again. So the store is compared with
the ledger once more after a while, and a second time after a longer one.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Sequence
from time import monotonic

from pydantic import JsonValue

from ..engine import SPOOL
from ..protocols import Ledger

LOOKS = (5.0, 60.0)
"""Seconds after which the store is compared with the ledger."""
KEY = "doubtful"
"""The name of what the ledger keeps of it, for the next start."""


class DoubtfulWrites:
    """The ids of such memories of one session."""

    def __init__(self, ledger: Ledger, session: str) -> None:
        self._ledger, self._session = ledger, session
        self._due: dict[str, list[float]] = {}
        """Memory id → when to look at it, the next time first."""
        self._kept: Collection[str] | None = None
        """The ids that the ledger knows of; `None` until it is asked."""
        self._left = set[str]()
        """The ids that an earlier start has left, and nobody has looked at since."""

    async def take_up(self) -> None:
        """Read what an earlier start has left, once. Raises `StorageError`."""
        if self._kept is None:
            kept = (await self._ledger.data(self._session, SPOOL)).get(KEY)
            self._kept = [str(each) for each in kept] if isinstance(kept, list) else []
            self.note(self._kept)
            self._left = set(self._kept)

    def note(self, ids: Iterable[str]) -> None:
        """Nobody knows what the store does to these memories from now on."""
        now = monotonic()
        self._due |= {id: [now + each for each in LOOKS] for id in ids}

    async def keep(self) -> None:
        """Let the ledger know of them. Raises `StorageError`."""
        if self._due.keys() != set(self._kept or ()):
            ids: list[JsonValue] = [*sorted(self._due)]
            await self._ledger.write_data(self._session, SPOOL, {KEY: ids or None})
            self._kept = [*self._due]

    def hasten(self) -> None:
        """Have those that an earlier start has left looked at now."""
        now = monotonic()
        self._due |= {id: [now, *self._due[id][1:]] for id in self._left & self._due.keys()}

    def clear(self) -> None:
        """Nothing is known any more: the story is forgotten."""
        self._due = {}

    @property
    def wait(self) -> float | None:
        """Seconds until the next ones are to be looked at; `None` if there are none."""
        return max(0.0, min(later[0] for later in self._due.values()) - monotonic()) if self._due else None

    @property
    def are_due(self) -> bool:
        """Whether some of them are to be looked at."""
        return self.wait == 0.0

    def due(self) -> Sequence[str]:
        """Those that are to be looked at now."""
        now = monotonic()
        return [id for id, later in self._due.items() if later[0] <= now]

    def looked_at(self, ids: Sequence[str]) -> None:
        """The store agreed with the ledger about these memories, or does so now."""
        self._left.difference_update(ids)
        for id in ids:
            if len(later := self._due.get(id, [])) > 1:
                self._due[id] = later[1:]
            else:
                self._due.pop(id, None)
