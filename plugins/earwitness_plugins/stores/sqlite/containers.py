"""Containers and how the keys of their rows are made.

A container is a number, and everything it holds lies in one contiguous range of keys: `container << 32 | sequence`.
A memory has a *position*, given when it is first written and kept when it is replaced, and a *slot*, new each time it
is written. The index over slots only ever grows: a replaced or removed memory leaves its slot behind as *gone*.
"""

from __future__ import annotations

import json
from collections.abc import Collection
from typing import Any, NamedTuple

import apsw

_SELECT = "SELECT number, version, generation, slots, folded, tail, live, dead, layered FROM store_container"
_SEVERAL = "WHERE name IN (SELECT value FROM json_each(?))"


class Source(NamedTuple):
    """Where a container's memories are read."""

    number: int
    """The container's."""
    reads: bool
    """Whether it reads rows of other containers, too: see `layers`."""


class ContainerRow(NamedTuple):
    """A row of `store_container`, but for its name."""

    number: int
    version: int
    generation: int
    slots: int
    folded: int
    tail: int
    live: int
    dead: int
    layered: int

    @property
    def reads(self) -> bool:
        """Whether it reads rows of other containers: see `layers`."""
        return bool(self.layered & 1)

    @property
    def is_read(self) -> bool:
        """Whether others may read its rows."""
        return bool(self.layered & 2)

    @property
    def range(self) -> tuple[int, int]:
        """The first and the last rid it can have."""
        return rid(self.number, 0), rid(self.number + 1, 0) - 1


def rid(container: int, sequence: int) -> int:
    """The key of what this container holds at this position or slot."""
    return container << 32 | sequence


def sequence(rid: int) -> int:
    """The position or slot in a key."""
    return rid & 0xFFFFFFFF


def select(connection: apsw.Connection, sql: str, bindings: tuple[Any, ...] = ()) -> list[tuple[Any, ...]]:
    """All rows of a query, of the types that the tables above say."""
    return connection.execute(sql, bindings).fetchall()


def find_container(connection: apsw.Connection, name: str) -> ContainerRow | None:
    """The container of this name, if anything was ever written to it."""
    found = select(
        connection,
        f"{_SELECT} WHERE name = ?",
        (name,),
    )
    return ContainerRow(*found[0]) if found else None


def find_containers(connection: apsw.Connection, names: Collection[str]) -> dict[str, ContainerRow]:
    """Those of the names to which anything was ever written, by name."""
    rows = select(connection, f"{_SELECT.replace('FROM', ', name FROM')} {_SEVERAL}", (json.dumps(list(names)),))
    return {row[-1]: ContainerRow(*row[:-1]) for row in rows}


def all_containers(connection: apsw.Connection) -> list[ContainerRow]:
    """Every container, oldest first."""
    rows = select(
        connection,
        f"{_SELECT} ORDER BY number",
    )
    return [ContainerRow(*row) for row in rows]
