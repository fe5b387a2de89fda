"""Memories out of the table, without any ranking."""

from __future__ import annotations

import json
from collections.abc import Sequence

import apsw

from earwitness.records.memory import Memory

from .schema import ContainerRow, find_container, rid


def memories_at(connection: apsw.Connection, name: str, number: int, positions: Sequence[int]) -> list[Memory]:
    """The memories at these positions, in this order; all must exist."""
    found = {
        key: _memory(id, name, content, metadata)
        for key, id, content, metadata in connection.execute(
            "SELECT rid, id, content, metadata FROM store_memory WHERE rid IN (SELECT value FROM json_each(?))",
            (_keys(number, positions),),
        )
    }
    return [found[rid(number, position)] for position in positions]


def content_at(connection: apsw.Connection, number: int, positions: Sequence[int]) -> list[str]:
    """The contents at these positions, in this order; all must exist."""
    if not positions:
        return []
    found: dict[int, str] = dict(
        connection.execute(
            "SELECT rid, content FROM store_memory WHERE rid IN (SELECT value FROM json_each(?))",
            (_keys(number, positions),),
        )
    )
    return [found[rid(number, position)] for position in positions]


def get(connection: apsw.Connection, name: str, ids: Sequence[str]) -> list[Memory]:
    """Those of the ids that exist, in the order asked."""
    container = find_container(connection, name)
    if container is None:
        return []
    found = (_find(connection, name, container, id) for id in ids)
    return [memory for memory in found if memory is not None]


def page(connection: apsw.Connection, name: str, limit: int | None, offset: int) -> list[Memory]:
    """Memories in the order they were first written."""
    container = find_container(connection, name)
    if container is None:
        return []
    rows = connection.execute(
        "SELECT id, content, metadata FROM store_memory WHERE rid BETWEEN ? AND ? ORDER BY rid LIMIT ? OFFSET ?",
        (*container.range, -1 if limit is None else max(limit, 0), max(offset, 0)),
    )
    return [_memory(id, name, content, metadata) for id, content, metadata in rows]


def count(connection: apsw.Connection, name: str) -> int:
    """How many memories the container holds."""
    container = find_container(connection, name)
    return container.live if container else 0


def _find(connection: apsw.Connection, name: str, container: ContainerRow, id: str) -> Memory | None:
    found = connection.execute(
        "SELECT content, metadata FROM store_memory WHERE rid >> 32 = ? AND id = ?", (container.number, id)
    ).fetchone()
    return _memory(id, name, *found) if found else None


def _memory(id: str, container: str, content: str, metadata: str) -> Memory:
    """A memory as it was put; it was checked then, and is not again."""
    return Memory.model_construct(id=id, container=container, content=content, metadata=json.loads(metadata))


def _keys(number: int, positions: Sequence[int]) -> str:
    return json.dumps([rid(number, position) for position in positions])
