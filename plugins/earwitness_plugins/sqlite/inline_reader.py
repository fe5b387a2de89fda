"""Short reads on the caller's own thread, where the way to another thread and back would take longer."""

from __future__ import annotations

from typing import TypeVar

import apsw

from .blobs import DamagedBlob
from .job import Transaction
from .one_connection import Connect, OneConnection

T = TypeVar("T")


class WouldBlock(Exception):
    """The read would take long, or would have to wait. Not a failure: the caller hands it to a reading thread."""


class InlineReader(OneConnection):
    """One connection for short reads. It never waits for a lock, another process or another thread."""

    def __init__(self, connect: Connect) -> None:
        super().__init__(connect)
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

    def stop(self) -> None:
        """Close the connection as soon as it is free. Blocks."""
        with self.disconnected():
            self._stopped = True
