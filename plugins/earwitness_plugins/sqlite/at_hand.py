"""Reading here and now, on the caller's own thread, what takes less than the way to another thread and back."""

from __future__ import annotations

from threading import Lock
from typing import TypeVar

import apsw

from .handoff import Operation
from .writer import Connect

T = TypeVar("T")


class NotNow(Exception):
    """It would take long, or have to wait: no failure, it is done on a thread then."""


class AtHand:
    """One connection for short reads. It never waits: for a lock, for another process, or for a thread that uses it."""

    def __init__(self, connect: Connect) -> None:
        self._connect = connect
        self._connection: apsw.Connection | None = None
        self._lock = Lock()
        self._stopped = False

    def read(self, operation: Operation[T]) -> T:
        """Run an operation in a read transaction. Raises what it raises; `NotNow` for what stands in the way."""
        if not self._lock.acquire(blocking=False):
            raise NotNow
        try:
            if self._stopped:
                raise NotNow
            connection = self._connection = self._connection or self._connect()
            connection.execute("BEGIN")
            try:
                return operation(connection)
            finally:
                connection.execute("ROLLBACK")
        except apsw.Error as error:
            self._connection = None
            raise NotNow from error
        finally:
            self._lock.release()

    def stop(self) -> None:
        """Close the connection, once nobody uses it. Blocks."""
        with self._lock:
            self._stopped = True
            if self._connection is not None:
                self._connection.close()
            self._connection = None
