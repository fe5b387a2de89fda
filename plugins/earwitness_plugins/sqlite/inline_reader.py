"""Short reads on the caller's own thread, where the way to another thread and back would take longer."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from threading import Lock
from typing import TypeVar

import apsw

from .blobs import DamagedBlob
from .job import Transaction
from .writer import Connect

T = TypeVar("T")


class WouldBlock(Exception):
    """The read would take long, or would have to wait. Not a failure: the caller hands it to a reading thread."""


class InlineReader:
    """One connection for short reads. It never waits for a lock, another process or another thread."""

    def __init__(self, connect: Connect) -> None:
        self._connect = connect
        self._connection: apsw.Connection | None = None
        self._lock = Lock()
        self._stopped = False

    def read(self, operation: Transaction[T]) -> T:
        """Run an operation in a read transaction. Raises what that raises, and `WouldBlock` if it cannot run now."""

        def transaction(connection: apsw.Connection) -> T:
            connection.execute("BEGIN")
            try:
                return operation(connection)
            finally:
                connection.execute("ROLLBACK")

        return self.peek(transaction)

    def peek(self, operation: Transaction[T]) -> T:
        """As `read`, without a transaction: for an operation of one statement, which is one by itself."""
        if not self._lock.acquire(blocking=False):
            raise WouldBlock
        try:
            if self._stopped:
                raise WouldBlock
            self._connection = self._connection or self._connect()
            return operation(self._connection)
        except (apsw.Error, DamagedBlob) as error:
            self._connection = None
            raise WouldBlock from error
        finally:
            self._lock.release()

    @contextmanager
    def disconnected(self) -> Iterator[None]:
        """No connection is open while the block lasts; what is asked meanwhile would block."""
        with self._lock:
            if self._connection is not None:
                self._connection.close()
            self._connection = None
            yield

    def stop(self) -> None:
        """Close the connection as soon as it is free. Blocks."""
        with self.disconnected():
            self._stopped = True
