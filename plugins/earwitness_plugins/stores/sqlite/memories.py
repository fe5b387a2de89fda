"""Memories out of the table, without any ranking."""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import Any

import apsw

from earwitness.records.memory import Memory

from .containers import Source, find_container, rid, select, sequence
from .layers import VISIBLE, in_layers
from .shared import read_lists

MemoryRow = tuple[str, str, str, int | None]
"""id, content, metadata as JSON, and the number of its long lists."""
_SELECT = "SELECT id, content, metadata, lists FROM store_memory CROSS JOIN store_text ON number = text"


def memories_at(connection: apsw.Connection, name: str, source: Source, positions: Sequence[int]) -> list[Memory]:
    """The memories at these positions, in this order; all must exist."""
    found = _rows_at(connection, source, "m.id, t.content, t.metadata, t.lists", positions)
    return _memories(connection, name, [found[position] for position in positions])


def content_at(connection: apsw.Connection, source: Source, positions: Sequence[int]) -> list[str]:
    """The contents at these positions, in this order; all must exist."""
    found = _rows_at(connection, source, "t.content", positions) if positions else {}
    return [found[position][0] for position in positions]


def get(connection: apsw.Connection, name: str, ids: Sequence[str]) -> list[Memory]:
    """Those of the ids that exist, in the order asked."""
    container = find_container(connection, name)
    if container is None:
        return []
    one = f"{_SELECT} WHERE rid >> 32 = ?1 AND id = ?2"
    if container.reads:
        one = in_layers("m.id, t.content, t.metadata, t.lists", "AND m.id = ?2")
    return _memories(connection, name, [row for id in ids for row in select(connection, one, (container.number, id))])


def page(connection: apsw.Connection, name: str, limit: int | None, offset: int) -> list[Memory]:
    """Memories in the order they were first written."""
    container = find_container(connection, name)
    if container is None:
        return []
    chosen = (-1 if limit is None else max(limit, 0), max(offset, 0))
    if container.reads:
        seen = in_layers("m.id, t.content, t.metadata, t.lists")
        seen = f"{seen} ORDER BY m.rid & 4294967295 LIMIT ?2 OFFSET ?3"
        return _memories(connection, name, select(connection, seen, (container.number, *chosen)))
    own = f"{_SELECT} WHERE rid BETWEEN ? AND ? ORDER BY rid LIMIT ? OFFSET ?"
    return _memories(connection, name, select(connection, own, (*container.range, *chosen)))


def count(connection: apsw.Connection, name: str) -> int:
    """How many memories the container holds."""
    container = find_container(connection, name)
    return container.live if container else 0


def _rows_at(connection: apsw.Connection, source: Source, columns: str, positions: Sequence[int]) -> dict[int, Any]:
    """Position → columns of the memory `m` and its text `t` there."""
    if source.reads:
        stored = (
            f"SELECT m.rid, {columns} FROM json_each(?2) AS asked CROSS JOIN store_layer AS l"  # noqa: S608 - our own words
            " CROSS JOIN store_memory AS m ON m.rid = (l.layer << 32 | asked.value)"
            f" CROSS JOIN store_text AS t ON t.number = m.text WHERE {VISIBLE.format(container='?1')}"
        )
        rows = select(connection, stored, (source.number, json.dumps(list(positions))))
    else:
        stored = (
            f"SELECT m.rid, {columns} FROM store_memory AS m CROSS JOIN store_text AS t ON t.number = m.text"  # noqa: S608
            " WHERE m.rid IN (SELECT value FROM json_each(?))"
        )
        rows = select(connection, stored, (_keys(source.number, positions),))
    return {sequence(row[0]): row[1:] for row in rows}


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
