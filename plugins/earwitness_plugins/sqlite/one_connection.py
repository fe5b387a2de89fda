"""A connection that is opened when it is first needed, and may be closed for a while."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from threading import Lock

import apsw

Connect = Callable[[], apsw.Connection]


class OneConnection:
    """Base of what has one connection, used under its lock."""

    def __init__(self, connect: Connect) -> None:
        self._connect = connect
        self._connection: apsw.Connection | None = None
        self._lock = Lock()

    @contextmanager
    def disconnected(self) -> Iterator[None]:
        """No connection is open while the block lasts; whoever asks meanwhile waits, or would have to."""
        with self._lock:
            if self._connection is not None:
                self._connection.close()
            self._connection = None
            yield
