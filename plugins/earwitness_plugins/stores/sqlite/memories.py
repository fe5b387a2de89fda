"""Memories out of the table, without any ranking."""

from __future__ import annotations

import json
from collections.abc import Sequence

import apsw

from earwitness.records.memory import Memory

from .schema import ContainerRow, find_container, rid, select

MemoryRow = tuple[str, str, str]
"""id, content, metadata as JSON."""
BLANK = Memory.model_construct(id="", container="", content="", metadata={})
"""To copy others from: half the time of `model_construct`."""


def memories_at(connection: apsw.Connection, name: str, number: int, positions: Sequence[int]) -> list[Memory]:
    """The memories at these positions, in this order; all must exist."""
    stored = "SELECT rid, id, content, metadata FROM store_memory WHERE rid IN (SELECT value FROM json_each(?))"
    found = {row[0]: row[1:] for row in select(connection, stored, (_keys(number, positions),))}
    return _memories(name, [found[rid(number, position)] for position in positions])


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
    found = (_find(connection, container, id) for id in ids)
    return _memories(name, [row for row in found if row is not None])


def page(connection: apsw.Connection, name: str, limit: int | None, offset: int) -> list[Memory]:
    """Memories in the order they were first written."""
    container = find_container(connection, name)
    if container is None:
        return []
    rows = select(
        connection,
        "SELECT id, content, metadata FROM store_memory WHERE rid BETWEEN ? AND ? ORDER BY rid LIMIT ? OFFSET ?",
        (*container.range, -1 if limit is None else max(limit, 0), max(offset, 0)),
    )
    return _memories(name, rows)


def count(connection: apsw.Connection, name: str) -> int:
    """How many memories the container holds."""
    container = find_container(connection, name)
    return container.live if container else 0


def _find(connection: apsw.Connection, container: ContainerRow, id: str) -> MemoryRow | None:
    found: MemoryRow | None = connection.execute(
        "SELECT id, content, metadata FROM store_memory WHERE rid >> 32 = ? AND id = ?", (container.number, id)
    ).fetchone()
    return found


def _memories(container: str, rows: Sequence[MemoryRow]) -> list[Memory]:
    """Memories as they were put: what was checked then is not checked again. All metadata is parsed at once."""
    metadata = json.loads(f"[{','.join(row[2] for row in rows)}]")
    return [
        BLANK.model_copy(update={"id": id, "container": container, "content": content, "metadata": its_own})
        for (id, content, _), its_own in zip(rows, metadata, strict=True)
    ]


def _keys(number: int, positions: Sequence[int]) -> str:
    return json.dumps([rid(number, position) for position in positions])
