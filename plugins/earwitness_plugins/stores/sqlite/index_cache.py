"""The containers that are kept in memory: the ones used last, up to a number of bytes."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from threading import Lock
from typing import TypeVar

import apsw

from earwitness_plugins.sqlite import WouldBlock

from .container_index import ContainerIndex
from .containers import ContainerRow, find_container, select
from .loader import refresh

T = TypeVar("T")
SMALL = 10_000
"""A container of up to this many slots is searched in a millisecond or two, most of it under Python's lock."""
FEW_NEW = 64
"""This many new slots are loaded in no time."""


class _CacheEntry:
    """The index of one container, and the lock that its readers take in turn."""

    def __init__(self) -> None:
        self.lock = Lock()
        self.index: ContainerIndex | None = None
        self.nbytes = 0


class IndexCache:
    """Indexes by container name. Readers of one container take turns; readers of several do not wait for each other.

    Args:
        dimension: length of a vector.
        limit: how many bytes to keep. One index is kept whatever its size.
        check: raises when the file that a connection sees must not be loaded.
    """

    def __init__(self, dimension: int, limit: int, check: Callable[[apsw.Connection], None]) -> None:
        self._check = check
        self._dimension = dimension
        self._limit = limit
        self._lock = Lock()
        self._entries: OrderedDict[str, _CacheEntry] = OrderedDict()
        self._total = 0

    def is_quick(self, name: str) -> bool:
        """Whether the container is in memory, and small enough for a search on the caller's thread."""
        with self._lock:
            entry = self._entries.get(name)
        kept = entry.index if entry else None
        return kept is not None and kept.size <= SMALL

    def peek(self, connection: apsw.Connection, name: str, look: Callable[[ContainerIndex], T]) -> T:
        """What `look` finds in an index that is in memory and up to date, outside of a transaction.

        Raises `WouldBlock` where it is not, or another reader has it.
        """
        with self._lock:
            entry = self._entries.get(name)
        if entry is None or not entry.lock.acquire(blocking=False):
            raise WouldBlock
        try:
            if entry.index is None or not _is_current(connection, name, entry.index):
                raise WouldBlock
            return look(entry.index)
        finally:
            entry.lock.release()

    @contextmanager
    def using(self, connection: apsw.Connection, name: str, *, inline: bool = False) -> Iterator[ContainerIndex | None]:
        """The container as the connection sees it, for as long as the block lasts; `None` when there is none.

        The connection must not have read anything in its transaction yet: then it sees no older version than any
        reader before it, and an index never has to go back. With `inline`, raises `WouldBlock` where another reader
        has the index, or much is to be loaded first.
        """
        entry = self._entry(name)
        if not entry.lock.acquire(blocking=not inline):
            raise WouldBlock
        try:
            self._check(connection)
            container = find_container(connection, name)
            if inline and not _nearly(entry.index, container):
                raise WouldBlock
            kept, entry.index = entry.index, None  # a failure on the way must leave nothing half loaded
            current = self._current(connection, container, kept)
            yield current
            entry.index = current
            self._weigh(name, entry, current.nbytes if current else 0)
        finally:
            entry.lock.release()

    def _entry(self, name: str) -> _CacheEntry:
        with self._lock:
            entry = self._entries.setdefault(name, _CacheEntry())
            self._entries.move_to_end(name)
            return entry

    def _current(
        self, connection: apsw.Connection, container: ContainerRow | None, kept: ContainerIndex | None
    ) -> ContainerIndex | None:
        if container is None:
            return None
        if kept is None or not _same_index(kept, container):
            kept = ContainerIndex(container.number, container.generation, self._dimension, reads=container.reads)
        refresh(connection, kept, container)
        return kept

    def _weigh(self, name: str, entry: _CacheEntry, nbytes: int) -> None:
        """Note how large an index has become, and make room."""
        with self._lock:
            if self._entries.get(name) is not entry:
                return
            self._total += nbytes - entry.nbytes
            entry.nbytes = nbytes
            if not nbytes:
                del self._entries[name]
            while self._total > self._limit and len(self._entries) > 1:
                _, oldest = self._entries.popitem(last=False)
                self._total -= oldest.nbytes


def _is_current(connection: apsw.Connection, name: str, kept: ContainerIndex) -> bool:
    """Whether nothing has changed since: another embedder would also have given the container a new version."""
    stored = "SELECT number, generation, version FROM store_container WHERE name = ?"
    return select(connection, stored, (name,)) == [(kept.number, kept.generation, kept.version)]


def _same_index(kept: ContainerIndex, container: ContainerRow) -> bool:
    return (kept.number, kept.generation) == (container.number, container.generation)


def _nearly(kept: ContainerIndex | None, container: ContainerRow | None) -> bool:
    """Whether little is missing to bring the index to the container's version."""
    if kept is None or container is None or not _same_index(kept, container):
        return False
    return kept.size <= SMALL and container.slots - kept.slots_known <= FEW_NEW
