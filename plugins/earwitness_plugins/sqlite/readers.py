"""Reading threads, each with a connection of its own."""

from __future__ import annotations

from queue import SimpleQueue
from threading import Thread
from typing import Any

import apsw

from .job import Job, answer_all
from .writer import Connect, Translate

READERS = 2


class Readers:
    """Threads that take jobs from one queue. Each job runs in a read transaction and so sees one state of the file."""

    def __init__(self, connect: Connect, translate: Translate) -> None:
        self._connect = connect
        self._translate = translate
        self._queue: SimpleQueue[Job[Any] | None] = SimpleQueue()
        self._threads = [
            Thread(target=self._serve, name=f"earwitness-reader-{number}", daemon=True) for number in range(READERS)
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

    def _serve(self) -> None:
        connection: apsw.Connection | None = None
        while (job := self._queue.get()) is not None:
            try:
                connection = connection or self._connect()
                connection.execute("BEGIN")
                job.run(connection)
                connection.execute("ROLLBACK")
            except BaseException as error:  # noqa: BLE001 - the caller gets it; the thread goes on
                job.error = job.error or error
                connection = None
            if job.error is not None:
                job.error = self._translate(job.error)
            answer_all([job])
            del job  # this thread must not keep the result alive while it waits
        if connection is not None:
            connection.close()
