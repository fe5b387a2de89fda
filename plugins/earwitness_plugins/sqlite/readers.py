"""Reading threads, each with a connection of its own."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from queue import SimpleQueue
from threading import Lock, Thread
from typing import Any

import apsw

from .job import Job, answer_all
from .one_connection import Connect
from .writer import Translate

READERS = 2


class _Seat:
    """The connection of one thread, and the lock that is held while it is used."""

    def __init__(self) -> None:
        self.lock = Lock()
        self.connection: apsw.Connection | None = None

    def close(self) -> None:
        if self.connection is not None:
            self.connection.close()
        self.connection = None


class Readers:
    """Threads that take jobs from one queue. Each job runs in a read transaction and so sees one state of the file."""

    def __init__(self, connect: Connect, translate: Translate) -> None:
        self._connect = connect
        self._translate = translate
        self._queue: SimpleQueue[Job[Any] | None] = SimpleQueue()
        self._seats = [_Seat() for _ in range(READERS)]
        self._threads = [
            Thread(target=self._serve, args=(seat,), name=f"earwitness-reader-{number}", daemon=True)
            for number, seat in enumerate(self._seats)
        ]
        for thread in self._threads:
            thread.start()

    def submit(self, job: Job[Any]) -> None:
        """Queue a job."""
        self._queue.put(job)

    def stop(self) -> None:
        """Finish the queued jobs and close the connections. Blocks."""
        for _ in self._threads:
            self._queue.put(None)
        for thread in self._threads:
            thread.join()

    @contextmanager
    def disconnected(self) -> Iterator[None]:
        """No connection is open while the block lasts; what is asked meanwhile waits."""
        with ExitStack() as held:
            for seat in self._seats:
                held.enter_context(seat.lock)
                seat.close()
            yield

    def _serve(self, seat: _Seat) -> None:
        while (job := self._queue.get()) is not None:
            with seat.lock:
                self._run(seat, job)
            answer_all([job])
            del job  # this thread must not keep the result alive while it waits
        with seat.lock:
            seat.close()

    def _run(self, seat: _Seat, job: Job[Any]) -> None:
        try:
            seat.connection = connection = seat.connection or self._connect()
            connection.execute("BEGIN")
            job.run(connection)
            connection.execute("ROLLBACK")
        except BaseException as error:  # noqa: BLE001 - the caller gets it; the thread goes on
            job.error = job.error or error
            seat.connection = None
        if job.error is not None:
            job.error = self._translate(job.error)
