"""Moving the log into the file on a thread of its own, while the writing thread goes on."""

from __future__ import annotations

from contextlib import suppress
from queue import SimpleQueue
from threading import Thread

import apsw

from .one_connection import Connect, OneConnection


class Checkpoints(OneConnection):
    """A thread that moves the log into the file whenever it is woken: a write that begins meanwhile does not wait."""

    def __init__(self, connect: Connect) -> None:
        super().__init__(connect)
        self._queue: SimpleQueue[bool] = SimpleQueue()
        self._thread: Thread | None = None

    def wake(self) -> None:
        """Begin as soon as possible. The thread and its connection are made when they are first needed."""
        if self._thread is None:
            self._thread = Thread(target=self._serve, name="earwitness-checkpoints", daemon=True)
            self._thread.start()
        self._queue.put(True)

    def stop(self) -> None:
        """Finish, and close the connection. Blocks."""
        if self._thread is not None:
            self._queue.put(False)
            self._thread.join()
        with self.disconnected():
            self._thread = None

    def _serve(self) -> None:
        while self._queue.get():
            with self._lock, suppress(Exception):  # the log keeps everything, and the next one tries again
                self._connection = self._connection or self._connected()
                self._connection.wal_checkpoint(mode=apsw.SQLITE_CHECKPOINT_PASSIVE)

    def _connected(self) -> apsw.Connection:
        return self._connect()
