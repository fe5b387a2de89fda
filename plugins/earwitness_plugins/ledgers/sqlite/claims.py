"""Claims on jobs: one process at a time does a job of a session, so that no model is asked twice.

A claim is a row that expires unless its process renews it. All processes of a file are on one machine, and have its
clock; a claim that lasts longer than any can, as after the clock was set back, counts as expired.
"""

from __future__ import annotations

import asyncio
import time
from contextlib import suppress
from uuid import uuid4

import apsw

from earwitness.errors import StorageError

from ...sqlite import Database
from . import sessions

SECONDS = 5.0
"""How long a claim holds after it was last renewed."""
SHARE = 3
"""It is renewed after this part of that time."""
LOOK_AGAIN = 0.1
"""Seconds after which a process that waits for a claim looks again."""
_EXPIRE = "DELETE FROM ledger_claims WHERE until < :now OR until > :now + 2 * :seconds"
_CLAIM = (
    "INSERT INTO ledger_claims (session, job, holder, until) VALUES (:session, :job, :holder, :now + :seconds)"
    " ON CONFLICT (session, job) DO UPDATE SET until = excluded.until WHERE holder = excluded.holder"
)
_IS_CLAIMED = (
    "SELECT EXISTS (SELECT 1 FROM ledger_claims"
    " WHERE session = :session AND job = :job AND until BETWEEN :now AND :now + 2 * :seconds)"
)
_RENEW = "UPDATE ledger_claims SET until = :now + :seconds WHERE holder = :holder"
_RELEASE = "DELETE FROM ledger_claims WHERE session = :session AND job = :job AND holder = :holder"
_RELEASE_ALL = "DELETE FROM ledger_claims WHERE holder = :holder"


class SqliteJobClaims:
    """The claims of one open ledger."""

    def __init__(self, database: Database) -> None:
        self._database = database
        self._holder = uuid4().hex
        self._held: set[tuple[str, str]] = set()
        self._renewing: asyncio.Task[None] | None = None
        self._asking = False
        """Whether a claim was ever asked for."""

    async def claim(self, session: str, job: str) -> None:
        """Wait until this process may do a job. Raises `UnknownName`."""
        self._asking = True

        def take(connection: apsw.Connection) -> bool:
            return self._take(connection, session, job)

        while not await self._database.write(take, durable=False):  # noqa: ASYNC110 - another process has it
            await asyncio.sleep(LOOK_AGAIN)
        self._held.add((session, job))
        if self._renewing is None or self._renewing.done():
            self._renewing = asyncio.ensure_future(self._renew())

    async def release(self, session: str, job: str) -> None:
        """Give the claim up."""
        if (session, job) in self._held:
            self._held.remove((session, job))
            await self._run(_RELEASE, session, job)

    async def is_claimed(self, session: str, job: str) -> bool:
        """Whether any process has claimed the job."""
        chosen = self._chosen(session, job)
        return await self._database.read_inline(lambda connection: bool(connection.execute(_IS_CLAIMED, chosen).get))

    async def close(self) -> None:
        """Give all claims up."""
        if self._renewing is not None:
            self._renewing.cancel()
            self._renewing = None
        self._held.clear()
        if self._asking:
            await self._run(_RELEASE_ALL)

    async def _renew(self) -> None:
        """Renew what is held, as long as something is."""
        while self._held:
            await asyncio.sleep(SECONDS / SHARE)
            await self._run(_RENEW)

    async def _run(self, statement: str, session: str = "", job: str = "") -> None:
        def run(connection: apsw.Connection) -> None:
            connection.execute(statement, self._chosen(session, job))

        with suppress(StorageError):  # what cannot be renewed or released expires
            await self._database.write(run, durable=False)

    def _take(self, connection: apsw.Connection, session: str, job: str) -> bool:
        sessions.known(connection, session)
        chosen = self._chosen(session, job)
        connection.execute(_EXPIRE, chosen)
        connection.execute(_CLAIM, chosen)
        return bool(connection.changes())

    def _chosen(self, session: str, job: str) -> dict[str, str | float]:
        values = {"session": session, "job": job, "holder": self._holder}
        return {**values, "now": time.time(), "seconds": SECONDS}
