"""Which containers are kept in memory: the ones used last, up to so many bytes."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from threading import Lock

import apsw

from earwitness_plugins.sqlite import NotNow

from .loading import refresh
from .schema import ContainerRow, find_container
from .snapshot import Snapshot

SMALL = 10_000
"""A container of up to so many slots is searched in a millisecond or two, most of it under Python's one lock."""
FEW_NEW = 64
"""So many new slots are soon taken in."""


class _Place:
    """Where one container's snapshot stands, and the lock of those who look at it."""

    def __init__(self) -> None:
        self.lock = Lock()
        self.snapshot: Snapshot | None = None
        self.nbytes = 0


class Snapshots:
    """Snapshots by container name. Readers of one container take turns, readers of several do not wait for each other.

    Args:
        dimension: length of a vector.
        limit: how many bytes to keep; one snapshot is kept whatever its size.
        check: raises when what a connection sees must not be loaded.
    """

    def __init__(self, dimension: int, limit: int, check: Callable[[apsw.Connection], None]) -> None:
        self._check = check
        self._dimension = dimension
        self._limit = limit
        self._lock = Lock()
        self._places: OrderedDict[str, _Place] = OrderedDict()
        self._total = 0

    def at_hand(self, name: str) -> bool:
        """Whether the container is in memory, and so small that a search of it is soon done."""
        with self._lock:
            place = self._places.get(name)
        kept = place.snapshot if place else None
        return kept is not None and kept.size <= SMALL

    @contextmanager
    def using(self, connection: apsw.Connection, name: str, *, at_hand: bool = False) -> Iterator[Snapshot | None]:
        """The container as the connection sees it, for as long as the block lasts; `None` when there is none.

        The connection must not have read anything in its transaction yet: it then sees no older version than any
        reader before it, and a snapshot never has to go back. `at_hand` raises `NotNow` where others look at it, or
        much is to be read first.
        """
        place = self._place(name)
        if not place.lock.acquire(blocking=not at_hand):
            raise NotNow
        try:
            self._check(connection)
            container = find_container(connection, name)
            if at_hand and not _nearly(place.snapshot, container):
                raise NotNow
            kept, place.snapshot = place.snapshot, None  # whatever fails on the way leaves nothing half loaded behind
            current = self._current(connection, container, kept)
            yield current
            place.snapshot = current
            self._weigh(name, place, current.nbytes if current else 0)
        finally:
            place.lock.release()

    def _place(self, name: str) -> _Place:
        with self._lock:
            place = self._places.setdefault(name, _Place())
            self._places.move_to_end(name)
            return place

    def _current(
        self, connection: apsw.Connection, container: ContainerRow | None, kept: Snapshot | None
    ) -> Snapshot | None:
        if container is None:
            return None
        if kept is None or not _same_index(kept, container):
            kept = Snapshot(container.number, container.generation, self._dimension)
        refresh(connection, kept, container)
        return kept

    def _weigh(self, name: str, place: _Place, nbytes: int) -> None:
        """Note how large a place has become, and make room."""
        with self._lock:
            if self._places.get(name) is not place:
                return
            self._total += nbytes - place.nbytes
            place.nbytes = nbytes
            if not nbytes:
                del self._places[name]
            while self._total > self._limit and len(self._places) > 1:
                _, oldest = self._places.popitem(last=False)
                self._total -= oldest.nbytes


def _same_index(kept: Snapshot, container: ContainerRow) -> bool:
    return (kept.number, kept.generation) == (container.number, container.generation)


def _nearly(kept: Snapshot | None, container: ContainerRow | None) -> bool:
    """Whether the snapshot is soon brought to the container's version."""
    if kept is None or container is None or not _same_index(kept, container):
        return False
    return kept.size <= SMALL and container.slots - kept.last_slot <= FEW_NEW
