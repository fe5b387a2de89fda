"""Notifications: what one process has recorded or released, told to the others at once.

They are sent after the commit, in a transaction of their own: in the writing one, PostgreSQL would let only one commit
at a time wait for the disk. Whoever listens must not rely on them: a notification is lost with its process.
"""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Iterator
from contextlib import contextmanager, suppress

from earwitness.errors import StorageError

from ...postgres import PostgresDatabase

CHANNEL = "earwitness_change"
"""The channel; what is sent is a session's id."""
PAUSE = 0.5
"""Seconds before a lost connection is made again."""
_TELL = "SELECT pg_notify(%s, session) FROM unnest(%s::text[]) AS session"


class ExpectedChange:
    """The next change of a session."""

    def __init__(self) -> None:
        self._happened = asyncio.Event()

    def happened(self) -> None:
        """Wake whoever waits for it."""
        self._happened.set()

    async def wait(self, seconds: float) -> None:
        """Wait for it, at most so long."""
        with suppress(TimeoutError):
            async with asyncio.timeout(seconds):
                await self._happened.wait()


class Changes:
    """Tells other processes of changes, and waits for theirs.

    It listens from the first time that somebody waits, on a connection of its own.
    """

    def __init__(self, database: PostgresDatabase) -> None:
        self._database = database
        self._expected: dict[str, list[ExpectedChange]] = {}
        self._changed: dict[str, None] = {}
        self._telling: asyncio.Task[None] | None = None
        self._listening: asyncio.Task[None] | None = None

    def tell(self, session: str) -> None:
        """Tell the other processes that a session has changed, soon."""
        self._changed[session] = None
        if self._telling is None or self._telling.done():
            self._telling = asyncio.ensure_future(self._tell())

    @contextmanager
    def expected(self, session: str) -> Iterator[ExpectedChange]:
        """The next change from now on, as far as this process listens already."""
        if self._listening is None:
            self._listening = asyncio.ensure_future(self._listen())
        change = ExpectedChange()
        self._expected.setdefault(session, []).append(change)
        try:
            yield change
        finally:
            self._expected[session].remove(change)
            if not self._expected[session]:
                del self._expected[session]

    async def close(self) -> None:
        """Send what is to be sent, and listen no more."""
        listening, self._listening = self._listening, None
        if listening is not None:
            listening.cancel()
            await asyncio.wait({listening})
        if self._telling is not None:
            await asyncio.wait({self._telling})

    async def _tell(self) -> None:
        while self._changed:
            sessions, self._changed = list(self._changed), {}
            with suppress(StorageError):
                await self._database.rows(_TELL, (CHANNEL, sessions))

    async def _listen(self) -> None:
        while True:
            with suppress(StorageError):
                async for session in self._notifications():
                    self._note(session)
            await asyncio.sleep(PAUSE)

    async def _notifications(self) -> AsyncIterator[str]:
        """Ids of sessions that have changed. Raises `StorageError` when the connection is lost."""
        from psycopg import Error

        async with self._database.connected() as connection:
            try:
                await connection.execute(f"LISTEN {CHANNEL}".encode())
                for waiting in [*self._expected]:
                    yield waiting  # it may have changed before
                async for notification in connection.notifies():
                    yield notification.payload
            except Error as error:
                raise StorageError(f"the connection that listened to {CHANNEL!r} was lost: {error}") from error

    def _note(self, session: str) -> None:
        for change in self._expected.get(session, ()):
            change.happened()
