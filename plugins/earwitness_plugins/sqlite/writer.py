"""The one writing thread. All jobs that wait are committed together."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from contextlib import suppress
from queue import Empty, SimpleQueue
from threading import Thread
from typing import Any

import apsw

from .job import Job, answer_all

BATCH = 256
CHECKPOINT_PAGES = 1000
Connect = Callable[[], apsw.Connection]
Translate = Callable[[BaseException], BaseException]


class Writer:
    """Takes jobs from a queue, runs those that wait in one transaction, each in its own savepoint, and commits once.

    A job that fails rolls back only itself. When the commit fails, every job of the batch has failed. A job may run
    twice: when SQLite gives up the whole transaction, the jobs that had not failed run again, each on its own.
    """

    def __init__(self, connect: Connect, translate: Translate) -> None:
        self._connect = connect
        self._translate = translate
        self._queue: SimpleQueue[Job[Any] | None] = SimpleQueue()
        self._connection: apsw.Connection | None = None
        self._synchronous = ""
        self._undurable = False
        self._wal_pages = 0
        self._thread = Thread(target=self._serve, name="earwitness-writer", daemon=True)
        self._thread.start()

    def submit(self, job: Job[Any]) -> None:
        """Queue a job."""
        self._queue.put(job)

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
        if self._connection is not None:
            self._connection.close()

    def _next_batch(self) -> list[Job[Any]] | None:
        first = self._queue.get()
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
        connection = self._connected()
        wanted = "FULL" if durable else "NORMAL"
        if wanted != self._synchronous:
            connection.execute(f"PRAGMA synchronous = {wanted}")
            self._synchronous = wanted
        connection.execute("BEGIN IMMEDIATE")
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
        if self._connection is None or self._wal_pages < CHECKPOINT_PAGES:
            return
        self._wal_pages = 0
        with suppress(apsw.Error):  # the log keeps everything, and the next commit tries again
            self._connection.wal_checkpoint(mode=apsw.SQLITE_CHECKPOINT_PASSIVE)


def _touch(connection: apsw.Connection) -> None:
    """Change one page: SQLite syncs neither an empty commit nor the commits before it."""
    number = int(connection.pragma("user_version"))
    connection.execute(f"PRAGMA user_version = {(number + 1) % 2**31}")


def _roll_back(connection: apsw.Connection) -> None:
    if connection.in_transaction:
        connection.execute("ROLLBACK")
