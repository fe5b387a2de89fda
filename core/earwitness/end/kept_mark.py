"""A note in the ledger: up to which entry the store here has all plans, although the one elsewhere lacks them.

Without it, a process that starts again would bring all of them to the store here once more, however many they are.
The note is kept only where ledger and store here share one database, so that neither is replaced without the other.
"""

from __future__ import annotations

from contextlib import suppress

from pydantic import JsonValue

from ..background import Background
from ..engine import SPOOL, Engine
from ..errors import EarwitnessError, NotOpen
from ..live import Live
from ..staleness import StalenessCheck

EVERY = 16
"""Plans between two notes; after a crash, no more than so many are brought to the store here again."""
KEY = "kept"


class KeptMark:
    """The note of one session."""

    def __init__(self, engine: Engine, live: Live, background: Background, staleness: StalenessCheck) -> None:
        self._engine, self._live, self._background, self._staleness = engine, live, background, staleness
        self._noted = 0
        """The number of the last entry that was noted."""

    async def read(self) -> int:
        """Number of the last entry up to which the store here has everything; 0 if nothing says so."""
        ledger, session = self._engine.ledger, self._live.snapshot.id
        if self._engine.transaction is None:
            return 0
        match (await ledger.data(session, SPOOL)).get(KEY):
            case {"session": str(noted), "sequence": int(sequence), "timestamp": str(timestamp)} if noted == session:
                entry = await ledger.entry(session, sequence=sequence)
                self._noted = sequence if entry is not None and entry.timestamp == timestamp else 0
        return self._noted

    def advance(self) -> None:
        """Write the note in the background, if enough plans have come to the store here since the last one."""
        if self._engine.transaction is None or len(self._live.kept) < EVERY:
            return
        lacking = self._live.lacking
        reached = min(lacking) - 1 if lacking else max(self._live.kept)
        reached = min([reached, *(each - 1 for each in self._live.refused_here)])  # a new start tries these again
        if reached >= self._noted + EVERY:
            self._noted = reached
            with suppress(NotOpen):  # this instance closes
                self._background.start(lambda: self._write(reached), f"note {self._live.snapshot.id}")

    async def _write(self, sequence: int) -> None:
        """Session and timestamp tell the story from a branch of it, and from another one that gets its id later."""
        ledger, session = self._engine.ledger, self._live.snapshot.id
        with suppress(EarwitnessError):  # the next note says it, too
            if entry := await ledger.entry(session, sequence=sequence):
                await self._staleness.check()  # the entry may be another story's
                mark: JsonValue = {"session": session, "sequence": sequence, "timestamp": entry.timestamp}
                await ledger.write_data(session, SPOOL, {KEY: mark})
