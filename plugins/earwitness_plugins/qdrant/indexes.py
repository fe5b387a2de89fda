"""Containers in memory: those used last, up to so many bytes."""

from __future__ import annotations

import asyncio
from collections import OrderedDict
from collections.abc import Iterable, Sequence
from typing import NamedTuple

import numpy as np

from earwitness.long_texts import aside
from earwitness.slices import Pace, in_slices
from earwitness.words import plain, terms
from earwitness_plugins.ranking import Floats, MemoryRanker
from earwitness_plugins.ranking.memory_index import IndexedMemory, MemoryIndex
from earwitness_plugins.ranking.vectors import work_on

from .points import StoredMemory, point_id


class Indexable(NamedTuple):
    """A memory on its way into an index."""

    point: str
    """The id of its point."""
    stored: StoredMemory
    terms: Sequence[str]
    """Of its `plain` content."""
    vector: Floats
    """Shape (dimension,)."""


async def indexable(stored: Sequence[StoredMemory], vectors: Floats) -> list[Indexable]:
    """Memories with their vectors, shape (n, dimension), cut into words: on a thread if that takes long."""
    contents = list(dict.fromkeys(each.memory.content for each in stored))
    cut = await aside(work_on(contents), lambda: {content: terms(plain(content)) for content in contents})
    rounded = vectors.astype(np.float16).astype(np.float32)  # as the embedded store keeps them
    return await in_slices(
        Indexable(point_id(each.memory.container, each.memory.id), each, cut[each.memory.content], vector)
        for each, vector in zip(stored, rounded, strict=True)
    )


class _IndexedPoint(NamedTuple):
    """What an index knows of a point."""

    id: str
    """Of its memory."""
    written: int


class IndexedContainer:
    """The index of one container, and which writes it has seen. `memories` is an empty one."""

    def __init__(self, memories: MemoryIndex) -> None:
        self.memories = memories
        """What it holds."""
        self.is_loaded = False
        """Whether it holds all that the container held once."""
        self.latest = 0
        """The latest `StoredMemory.written`."""
        self.refreshing = asyncio.Lock()
        """Held by who brings it up to date."""
        self._known: dict[str, _IndexedPoint] = {}

    def knows(self, point: str, written: int) -> bool:
        """Whether this write of a point is in it, or a later one."""
        known = self._known.get(point)
        return known is not None and known.written >= written

    @property
    def points(self) -> set[str]:
        """The ids of all points in it."""
        return set(self._known)

    def take(self, given: Iterable[Indexable]) -> None:
        """Take in memories, unless it has a later write of them."""
        new = [each for each in given if not self.knows(each.point, each.stored.written)]
        for each in new:
            self._known[each.point] = _IndexedPoint(each.stored.memory.id, each.stored.written)
            self.latest = max(self.latest, each.stored.written)
        if new:
            self.memories.put(
                IndexedMemory(each.stored.memory, each.stored.sequence, each.terms, each.vector) for each in new
            )

    async def take_in_slices(self, given: Iterable[Indexable]) -> None:
        """As `take`, in slices, between which other tasks run; they may take in later writes."""
        pace = Pace()
        for each in given:
            self.take([each])
            await pace.kept()

    def leave(self, points: Iterable[str]) -> None:
        """Take points out."""
        gone = [known.id for point in points if (known := self._known.pop(point, None))]
        if gone:
            self.memories.remove(gone)


class IndexedContainers:
    """The indexes of the containers that were used last."""

    def __init__(self, ranker: MemoryRanker, most_bytes: int) -> None:
        self._ranker = ranker
        self._most_bytes = most_bytes
        self._by_name: OrderedDict[str, IndexedContainer] = OrderedDict()

    def get(self, container: str) -> IndexedContainer | None:
        """The index of a container, if it is kept and loaded."""
        found = self._by_name.get(container)
        return found if found is not None and found.is_loaded else None

    def being_made(self, container: str) -> IndexedContainer | None:
        """As `get`; also one that is being loaded."""
        return self._by_name.get(container)

    def at(self, container: str) -> IndexedContainer:
        """The index of a container; a new one where none is kept."""
        found = self._by_name.get(container)
        if found is None:
            found = self._by_name[container] = IndexedContainer(self._ranker.new_index())
        self._by_name.move_to_end(container)
        return found

    def drop(self, container: str) -> None:
        """Forget a container."""
        self._by_name.pop(container, None)

    def trim(self) -> None:
        """Forget the containers that were not used for longest, while there are too many bytes."""
        sizes = {name: each.memories.nbytes for name, each in self._by_name.items()}
        total = sum(sizes.values())
        for name in [*self._by_name][:-1]:
            if total <= self._most_bytes:
                return
            total -= sizes[name]
            del self._by_name[name]
