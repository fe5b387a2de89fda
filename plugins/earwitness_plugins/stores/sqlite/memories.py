"""Memories out of the table, without any ranking."""

from __future__ import annotations

import json
from collections.abc import Sequence

import apsw

from earwitness.records.memory import Memory

from .containers import find_container, rid, select
from .shared import read_lists

MemoryRow = tuple[str, str, str, int | None]
"""id, content, metadata as JSON, and the number of its long lists."""
_SELECT = "SELECT id, content, metadata, lists FROM store_memory CROSS JOIN store_text ON number = text"


def memories_at(connection: apsw.Connection, name: str, number: int, positions: Sequence[int]) -> list[Memory]:
    """The memories at these positions, in this order; all must exist."""
    stored = (
        "SELECT rid, id, content, metadata, lists FROM store_memory CROSS JOIN store_text ON number = text"
        " WHERE rid IN (SELECT value FROM json_each(?))"
    )
    found = {row[0]: row[1:] for row in select(connection, stored, (_keys(number, positions),))}
    return _memories(connection, name, [found[rid(number, position)] for position in positions])


def content_at(connection: apsw.Connection, number: int, positions: Sequence[int]) -> list[str]:
    """The contents at these positions, in this order; all must exist."""
    if not positions:
        return []
    stored = (
        "SELECT rid, content FROM store_memory CROSS JOIN store_text ON number = text"
        " WHERE rid IN (SELECT value FROM json_each(?))"
    )
    found: dict[int, str] = dict(select(connection, stored, (_keys(number, positions),)))
    return [found[rid(number, position)] for position in positions]


def get(connection: apsw.Connection, name: str, ids: Sequence[str]) -> list[Memory]:
    """Those of the ids that exist, in the order asked."""
    container = find_container(connection, name)
    if container is None:
        return []
    one = f"{_SELECT} WHERE rid >> 32 = ? AND id = ?"
    return _memories(connection, name, [row for id in ids for row in select(connection, one, (container.number, id))])


def page(connection: apsw.Connection, name: str, limit: int | None, offset: int) -> list[Memory]:
    """Memories in the order they were first written."""
    container = find_container(connection, name)
    if container is None:
        return []
    rows = select(
        connection,
        f"{_SELECT} WHERE rid BETWEEN ? AND ? ORDER BY rid LIMIT ? OFFSET ?",
        (*container.range, -1 if limit is None else max(limit, 0), max(offset, 0)),
    )
    return _memories(connection, name, rows)


def count(connection: apsw.Connection, name: str) -> int:
    """How many memories the container holds."""
    container = find_container(connection, name)
    return container.live if container else 0


def _memories(connection: apsw.Connection, container: str, rows: Sequence[MemoryRow]) -> list[Memory]:
    """Memories as they were put. They are not validated again; all metadata is parsed at once."""
    metadata = json.loads(f"[{','.join(row[2] for row in rows)}]")
    lists = read_lists(connection, (row[3] for row in rows))
    for its_own, row in zip(metadata, rows, strict=True):
        its_own.update(lists.get(row[3] or 0, {}))
    return [
        Memory.unchecked({"id": id, "container": container, "content": content, "metadata": its_own})
        for (id, content, *_), its_own in zip(rows, metadata, strict=True)
    ]


def _keys(number: int, positions: Sequence[int]) -> str:
    return json.dumps([rid(number, position) for position in positions])
