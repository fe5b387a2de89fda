"""The one writing thread. All jobs that wait are committed together."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from contextlib import AbstractContextManager, suppress
from queue import Empty, SimpleQueue
from threading import Thread
from typing import Any

import apsw

from .checkpoints import Checkpoints
from .job import Job, answer_all
from .one_connection import Connect
from .watch import Lost, Watch

BATCH = 256
CHECKPOINT_PAGES = 1000
"""The log is moved into the file whenever it has so many pages more, …"""
LONGEST_LOG = 4 * CHECKPOINT_PAGES
"""… and begins anew once it has so many, which the writing thread itself must see to: it pauses for that."""
SECOND_LOOK = 0.1
"""Seconds after which the file is looked at again, if nothing is written meanwhile."""
Translate = Callable[[BaseException], BaseException]
Alone = Callable[[], AbstractContextManager[None]]
"""Closes all other connections to the file, and lets none be opened, while the block lasts."""


class Writer:
    """Takes jobs from a queue, runs those that wait in one transaction, each in its own savepoint, and commits once.

    A job that fails rolls back only itself. When the commit fails, every job of the batch has failed. A job may run
    twice: when SQLite gives up the whole transaction, the jobs that had not failed run again, each on its own.
    """

    def __init__(
        self, connect: Connect, translate: Translate, watch: Watch, alone: Alone, checkpoints: Checkpoints
    ) -> None:
        self._connect = connect
        self._translate = translate
        self._queue: SimpleQueue[Job[Any] | None] = SimpleQueue()
        self._connection: apsw.Connection | None = None
        self._synchronous = ""
        self._undurable = False
        self._wal_pages = 0
        self._moved_pages = 0
        """How many pages the log had when it was last moved into the file, or was about to be."""
        self._checkpoints = checkpoints
        self._watch = watch
        self._alone = alone
        self._look_again = False
        self._lost: Lost | None = None
        self._thread = Thread(target=self._serve, name="earwitness-writer", daemon=True)
        self._thread.start()

    def submit(self, job: Job[Any]) -> None:
        """Queue a job."""
        self._queue.put(job)

    def check(self) -> None:
        """Raise `StorageReplaced` once the file or its log was lost: nothing more is written."""
        if self._lost is not None:
            raise self._watch.error(self._lost)

    def stop(self) -> None:
        """Finish the queued jobs and close the connection. Blocks."""
        self._queue.put(None)
        self._thread.join()

    def _serve(self) -> None:
        while (jobs := self._next_batch()) is not None:
            self._batch(jobs)
            answer_all(jobs)
            jobs.clear()  # this thread must not keep the results alive while it waits
            self._checkpoint()
        self._checkpoints.stop()
        if self._connection is not None:
            with suppress(Exception):  # it is closed all the same
                self._look()
        if self._connection is not None:  # looking may have lost it
            self._close(self._connection)

    def _next_batch(self) -> list[Job[Any]] | None:
        first = self._first()
        if first is None:
            return None
        jobs = [first]
        with suppress(Empty):
            while len(jobs) < BATCH:
                job = self._queue.get_nowait()
                if job is None:
                    self._queue.put(None)
                    break
                jobs.append(job)
        return jobs

    def _first(self) -> Job[Any] | None:
        """The next job. Once after a batch, the file and its log are looked at again: somebody may be closing it."""
        with suppress(Empty):
            return self._queue.get(timeout=SECOND_LOOK if self._look_again else None)
        self._look_again = False
        with suppress(Exception):  # the next job receives the error
            self._look()
        return self._queue.get()

    def _batch(self, jobs: Sequence[Job[Any]]) -> None:
        """Run the jobs and commit. Afterwards each has its result or its error."""
        try:
            connection = self._begin(durable=any(job.durable for job in jobs))
            attempt = self._attempt_alone if len(jobs) == 1 else self._attempt
            for job in jobs:
                attempt(connection, job)
                if not connection.in_transaction:
                    return self._one_by_one([other for other in jobs if other is not job])
            self._commit(connection)
        except BaseException as error:  # noqa: BLE001 - nothing was committed: every job has failed
            self._fail(jobs, error)

    def _begin(self, *, durable: bool) -> apsw.Connection:
        self.check()
        connection = self._connected()
        wanted = "FULL" if durable else "NORMAL"
        if wanted != self._synchronous:
            connection.execute(f"PRAGMA synchronous = {wanted}")
            self._synchronous = wanted
        connection.execute("BEGIN IMMEDIATE")
        if not self._watch.is_set:
            self._watch.set()
        if durable and self._undurable:
            _touch(connection)
        return connection

    def _connected(self) -> apsw.Connection:
        if self._connection is None:
            connection = self._connect()
            connection.set_wal_hook(self._note_pages)  # in place of SQLite's own checkpoints, which callers wait for
            self._connection, self._synchronous = connection, ""
        return self._connection

    def _attempt_alone(self, connection: apsw.Connection, job: Job[Any]) -> None:
        job.run(connection)
        if job.error is not None:
            job.error = self._translate(job.error)
            _roll_back(connection)

    def _attempt(self, connection: apsw.Connection, job: Job[Any]) -> None:
        connection.execute("SAVEPOINT job")
        job.run(connection)
        if job.error is not None:
            job.error = self._translate(job.error)
            if not connection.in_transaction:
                return
            connection.execute("ROLLBACK TO job")
        connection.execute("RELEASE job")

    def _commit(self, connection: apsw.Connection) -> None:
        connection.execute("COMMIT")
        self._undurable = self._synchronous != "FULL"
        self._look_again = True
        self._look()

    def _look(self) -> None:
        """Raise `StorageReplaced` if what was committed is not in the file, and cannot be brought there."""
        lost = self._lost or self._watch.lost()
        if lost is None or (lost == "log" and self._lost is None and self._brought_back()):
            return
        if lost == "file":
            self._watch.discard_log()
        self._lost = lost
        self.check()

    def _brought_back(self) -> bool:
        """Bring what is in a log that was deleted into the file, and begin a new log.

        The last connection of a process that closes does that, unless another program has opened the file meanwhile.
        Whether it did is seen by a number, which is written last.
        """
        connection = self._connected()
        connection.execute("BEGIN IMMEDIATE")
        _touch(connection)
        expected = connection.pragma("user_version")
        connection.execute("COMMIT")
        with self._checkpoints.disconnected(), self._alone():
            connection.close()
            self._connection = None
            self._watch.unset()
            connection = self._connected()
            connection.execute("BEGIN IMMEDIATE")  # opens the log
            self._watch.set()
            found = connection.pragma("user_version")
            connection.execute("ROLLBACK")
        return bool(found == expected)

    def _close(self, connection: apsw.Connection) -> None:
        """Close. What was lost leaves the file and the log alone that are there in its place."""
        if self._lost is not None:
            connection.config(apsw.SQLITE_DBCONFIG_NO_CKPT_ON_CLOSE, 1)
        connection.close()
        self._watch.unset()

    def _one_by_one(self, jobs: Sequence[Job[Any]]) -> None:
        for job in jobs:
            job.result = job.error = None
            self._batch([job])

    def _fail(self, jobs: Sequence[Job[Any]], error: BaseException) -> None:
        if self._connection is not None:
            _roll_back(self._connection)
        for job in jobs:
            job.error = job.error or self._translate(error)

    def _note_pages(self, connection: apsw.Connection, name: str, pages: int) -> int:
        self._wal_pages = pages
        return apsw.SQLITE_OK

    def _checkpoint(self) -> None:
        """Move a long log into the file, after the callers were answered."""
        if self._connection is None or self._lost is not None:
            return
        pages = self._wal_pages
        if pages < self._moved_pages:  # it has begun anew
            self._moved_pages = 0
        if pages - self._moved_pages < CHECKPOINT_PAGES:
            return
        self._moved_pages = pages
        if pages < LONGEST_LOG:
            self._checkpoints.wake()
        else:
            with suppress(apsw.Error):  # the log keeps everything, and the next commit tries again
                self._connection.wal_checkpoint(mode=apsw.SQLITE_CHECKPOINT_PASSIVE)


def _touch(connection: apsw.Connection) -> None:
    """Change one page: SQLite syncs neither an empty commit nor the commits before it."""
    number = int(connection.pragma("user_version"))
    connection.execute(f"PRAGMA user_version = {(number + 1) % 2**31}")


def _roll_back(connection: apsw.Connection) -> None:
    if connection.in_transaction:
        connection.execute("ROLLBACK")
