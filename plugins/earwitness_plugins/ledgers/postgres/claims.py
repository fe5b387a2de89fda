"""Claims: one process at a time decides a session's entries, or does a job of it, so that nobody is asked twice.

A claim is a row that expires by the server's clock unless its process renews it. A process that waits for one is
notified of what others record and release (`changes`), and looks again when the claim would expire.
"""

from __future__ import annotations

import asyncio
import os
import platform
import sys
from contextlib import suppress
from time import monotonic
from typing import NamedTuple
from uuid import uuid4

from earwitness.errors import StorageError

from ...postgres import Connection, PostgresDatabase, PostgresWork
from .changes import Changes
from .sessions import unknown_session

NEVER = sys.maxsize
"""The number of an entry that is never decided."""
LOOK_AGAIN = 1.0
"""The most seconds to wait for a notification, which a lost connection may have lost."""
SHARE = 3
"""A claim is renewed after this part of its time, and holds for all but this part of it, whatever the server does."""
_CLAIM = (
    "INSERT INTO earwitness.claim (session, job, holder, until)"
    " SELECT id, %(job)s, %(holder)s, clock_timestamp() + %(seconds)s * interval '1 second'"
    " FROM earwitness.session WHERE id = %(session)s"
    " ON CONFLICT (session, job) DO UPDATE SET holder = excluded.holder, until = excluded.until"
    " WHERE claim.holder = excluded.holder OR claim.until < clock_timestamp()"
)
_FOUND = (
    "SELECT s.decided, c.holder, extract(epoch FROM c.until - clock_timestamp())::float8"
    " FROM earwitness.session AS s LEFT JOIN earwitness.claim AS c ON c.session = s.id AND c.job = %(job)s"
    " WHERE s.id = %(session)s"
)
IS_CLAIMED = "SELECT 1 FROM earwitness.claim WHERE session = %s AND job = %s AND until > clock_timestamp()"
_RENEW = (
    "UPDATE earwitness.claim SET until = clock_timestamp() + %(seconds)s * interval '1 second'"
    " WHERE holder = %(holder)s AND session = ANY(%(sessions)s) RETURNING session"
)
_RELEASE = (
    "DELETE FROM earwitness.claim WHERE session = ANY(%(sessions)s) AND (holder = %(holder)s"
    " OR job <> '' AND until < clock_timestamp() - interval '1 hour')"
)
"""Also what processes have left that were killed long ago."""
_RELEASE_ALL = "DELETE FROM earwitness.claim WHERE holder = %(holder)s RETURNING session"


class ClaimFound(NamedTuple):
    """What came of asking for a claim."""

    decided: int
    """Number of the last entry whose plan is recorded."""
    holder: str | None
    """Who has the claim now."""
    left: float | None
    """Seconds until it expires."""


class _HeldClaim(NamedTuple):
    until: float
    """When it may have expired, in seconds of this process's clock."""
    decided: int
    """Number of the last entry that was decided when it began."""


class Claims:
    """The claims of one process.

    Args:
        database: where they are kept.
        changes: what others record and release.
        seconds: how long a claim holds after it was last renewed.
        job: what is claimed of a session; empty = to decide its entries.
    """

    def __init__(self, database: PostgresDatabase, changes: Changes, seconds: float, job: str = "") -> None:
        self._job = job
        self._database = database
        self._changes = changes
        self._seconds = seconds
        self._holder = f"{platform.node()}:{os.getpid()}:{uuid4().hex[:8]}"
        self._held: dict[str, _HeldClaim] = {}
        self._releasing: dict[str, asyncio.Task[None]] = {}
        self._renewing: asyncio.Task[None] | None = None
        self._asking = False
        """Whether a claim was ever asked for."""

    async def claim(self, session: str, sequence: int) -> bool:
        """Wait until this process may decide an entry, or another one has decided it. Raises `UnknownName`."""
        if (held := self._held.get(session)) and monotonic() < held.until:
            return held.decided < sequence
        if (releasing := self._releasing.get(session)) is not None:
            await asyncio.wait({releasing})
        found = await self._ask(session)
        while found.decided < sequence and found.holder != self._holder:
            with self._changes.expected(session) as change:
                found = await self._ask(session)  # it may have changed before this process listened
                if found.decided < sequence and found.holder != self._holder:
                    await change.wait(min(found.left or 0.0, LOOK_AGAIN))
        return found.decided < sequence

    def release(self, session: str) -> None:
        """Give the claim up, in the background."""
        if self._held.pop(session, None) is not None:
            task = self._releasing[session] = asyncio.ensure_future(self._give_up([session]))
            task.add_done_callback(lambda done: self._released(session, done))

    async def close(self) -> None:
        """Give all claims up."""
        if self._renewing is not None:
            self._renewing.cancel()
            self._renewing = None
        self._held.clear()
        if self._releasing:
            await asyncio.wait(set(self._releasing.values()))
        if self._asking:
            await self._give_up_all()

    async def _ask(self, session: str) -> ClaimFound:
        began, self._asking = monotonic(), True
        found = await self._database.write(self._asked(session), repeatable=True)
        if found.holder == self._holder:
            self._held[session] = _HeldClaim(began + self._valid, found.decided)
            if self._renewing is None or self._renewing.done():
                self._renewing = asyncio.ensure_future(self._renew())
        return found

    @property
    def _valid(self) -> float:
        """Seconds for which this process relies on a claim after it has asked for it."""
        return self._seconds * (1 - 1 / SHARE)

    def _asked(self, session: str) -> PostgresWork[ClaimFound]:
        chosen = {"session": session, "job": self._job, "holder": self._holder, "seconds": self._seconds}

        async def ask(connection: Connection) -> ClaimFound:
            async with connection.pipeline():  # the second statement sees what the last holder has recorded
                await connection.execute(_CLAIM, chosen)
                cursor = await connection.execute(_FOUND, chosen)
            row = await cursor.fetchone()
            if row is None:
                raise await unknown_session(connection, session)
            return ClaimFound(*row)

        return ask

    async def _renew(self) -> None:
        """Renew what is held, as long as something is."""
        while self._held:
            await asyncio.sleep(self._seconds / SHARE)
            began, sessions = monotonic(), list(self._held)
            with suppress(StorageError):  # a claim that cannot be renewed expires
                for session in await self._renewed(sessions):
                    if session in self._held:
                        self._held[session] = self._held[session]._replace(until=began + self._valid)

    async def _renewed(self, sessions: list[str]) -> list[str]:
        chosen = {"holder": self._holder, "seconds": self._seconds, "sessions": sessions}

        async def renew(connection: Connection) -> list[str]:
            rows = await (await connection.execute(_RENEW, chosen)).fetchall()
            return [str(session) for (session,) in rows]

        return await self._database.write(renew, repeatable=True) if sessions else []

    async def _give_up(self, sessions: list[str]) -> None:
        chosen = {"holder": self._holder, "sessions": sessions}

        async def give_up(connection: Connection) -> None:
            await connection.execute(_RELEASE, chosen)

        with suppress(StorageError):  # it expires
            await self._database.write(give_up, durable=False, repeatable=True)
        for session in sessions:
            self._changes.tell(session)

    async def _give_up_all(self) -> None:
        """What was asked for when its caller was cancelled may be held, too."""

        async def give_up(connection: Connection) -> list[str]:
            rows = await (await connection.execute(_RELEASE_ALL, {"holder": self._holder})).fetchall()
            return [str(session) for (session,) in rows]

        with suppress(StorageError):
            for session in await self._database.write(give_up, durable=False, repeatable=True):
                self._changes.tell(session)

    def _released(self, session: str, done: asyncio.Task[None]) -> None:
        if self._releasing.get(session) is done:
            del self._releasing[session]


class JobClaims:
    """The claims of one process on jobs: each job has claims of its own. The arguments are those of `Claims`."""

    def __init__(self, database: PostgresDatabase, changes: Changes, seconds: float) -> None:
        self._given = database, changes, seconds
        self._of_job: dict[str, Claims] = {}

    async def claim(self, session: str, job: str) -> None:
        """Wait until this process may do a job. Raises `UnknownName`."""
        await self._of_job.setdefault(job, Claims(*self._given, job)).claim(session, NEVER)

    def release(self, session: str, job: str) -> None:
        """Give the claim up, in the background."""
        if job in self._of_job:
            self._of_job[job].release(session)

    async def close(self) -> None:
        """Give all claims up."""
        for each in self._of_job.values():
            await each.close()
