"""Memories of a container that match a filter, in the order they were first written."""

from __future__ import annotations

from typing import NamedTuple

import apsw

from earwitness.filters import Filter
from earwitness.records.memory import Memory
from earwitness_plugins.sqlite import WouldBlock

from . import memories
from .container_index import ContainerIndex
from .containers import Source
from .index_cache import IndexCache
from .search import NO_CONNECTION, View

FEW = 16
"""No more memories than this are listed on the caller's own thread."""


class Page(NamedTuple):
    """What is asked of one container."""

    container: str
    filter: Filter
    limit: int | None
    offset: int

    def read(self, cache: IndexCache, connection: apsw.Connection) -> list[Memory]:
        """The memories."""
        with cache.using(connection, self.container) as index:
            return self._at(connection, index.source, self._positions(connection, index)) if index else []

    def read_few(self, cache: IndexCache, connection: apsw.Connection) -> list[Memory]:
        """The memories, if they are few and their index is at hand. Raises `WouldBlock` otherwise."""
        source, found = cache.peek(
            connection, self.container, lambda index: (index.source, self._positions(NO_CONNECTION, index))
        )
        if len(found) > FEW:
            raise WouldBlock
        return self._at(connection, source, found)

    def _at(self, connection: apsw.Connection, source: Source, positions: list[int]) -> list[Memory]:
        return memories.memories_at(connection, self.container, source, positions) if positions else []

    def _positions(self, connection: apsw.Connection, index: ContainerIndex) -> list[int]:
        rows = View(self.container, connection, index).rows(self.filter)
        end = None if self.limit is None else max(self.offset, 0) + max(self.limit, 0)
        found: list[int] = index.positions[rows][max(self.offset, 0) : end].tolist()
        return found
