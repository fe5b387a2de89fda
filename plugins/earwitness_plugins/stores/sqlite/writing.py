"""Writing into containers: each function is one part of one transaction."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from itertools import groupby
from operator import attrgetter
from typing import NamedTuple

import apsw

from .schema import FOLD, ContainerRow, find_container, rid, select, sequence
from .segments import clear_index, fold, rebuild


class Prepared(NamedTuple):
    """A memory with everything that can be worked out outside the transaction."""

    container: str
    id: str
    content: str
    metadata: str
    words: str
    vector: bytes


def put(connection: apsw.Connection, memories: Sequence[Prepared]) -> None:
    """Write or replace by (container, id); a memory that is there already as it is stays as it is."""
    by_container = attrgetter("container")
    groups = groupby(sorted(memories, key=by_container), key=by_container)
    touched = {name: _put_into(connection, name, group) for name, group in groups}
    _tidy(connection, touched, budget=FOLD + len(memories))


def remove(connection: apsw.Connection, ids: Mapping[str, Sequence[str]]) -> None:
    """Remove by container name → ids."""
    touched = {}
    for name, unwanted in ids.items():
        container = find_container(connection, name)
        if container is None:
            continue
        changed = container
        for id in unwanted:
            changed = _remove_one(connection, changed, id)
        touched[name] = changed if changed is container else _saved(connection, changed)
    _tidy(connection, touched, budget=FOLD)


def drop(connection: apsw.Connection, name: str) -> None:
    """Remove a container and everything in it; its number is not used again."""
    container = find_container(connection, name)
    if container is None:
        return
    clear_index(connection, container)
    connection.execute("DELETE FROM store_memory WHERE rid BETWEEN ? AND ?", container.range)
    connection.execute("DELETE FROM store_container WHERE number = ?", (container.number,))


def _put_into(connection: apsw.Connection, name: str, memories: Iterable[Prepared]) -> ContainerRow:
    container = find_container(connection, name) or _begun(connection, name)
    changed = container
    tail: list[tuple[int, int, str, bytes]] = []
    for memory in memories:
        changed = _put_one(connection, changed, memory, tail)
    if changed is container:
        return container
    connection.executemany("INSERT INTO store_tail VALUES (?, ?, ?, ?)", tail)
    return _saved(connection, changed)


def _begun(connection: apsw.Connection, name: str) -> ContainerRow:
    connection.execute("INSERT INTO store_container (name) VALUES (?)", (name,))
    container = find_container(connection, name)
    assert container is not None  # noqa: S101 - inserted above
    return container


def _put_one(
    connection: apsw.Connection, container: ContainerRow, memory: Prepared, tail: list[tuple[int, int, str, bytes]]
) -> ContainerRow:
    slot = container.slots + 1
    key = rid(container.number, slot)
    connection.execute(
        "INSERT INTO store_memory VALUES (?, ?, ?, ?, ?) ON CONFLICT DO NOTHING",
        (key, memory.id, slot, memory.content, memory.metadata),
    )
    if connection.changes():
        tail.append((key, slot, memory.words, memory.vector))
        return container._replace(slots=slot, tail=container.tail + 1, live=container.live + 1)
    return _replace_one(connection, container, memory, tail)


def _replace_one(
    connection: apsw.Connection, container: ContainerRow, memory: Prepared, tail: list[tuple[int, int, str, bytes]]
) -> ContainerRow:
    """Give a memory that is there a new slot and leave the old one behind, unless it is there just as it is."""
    [(key, old, *kept)] = select(
        connection,
        "SELECT rid, slot, content, metadata FROM store_memory WHERE rid >> 32 = ? AND id = ?",
        (container.number, memory.id),
    )
    if kept == [memory.content, memory.metadata]:
        return container
    slot = container.slots + 1
    container = _leave_behind(connection, container._replace(slots=slot, tail=container.tail + 1), old)
    connection.execute(
        "UPDATE store_memory SET slot = ?, content = ?, metadata = ? WHERE rid = ?",
        (slot, memory.content, memory.metadata, key),
    )
    tail.append((rid(container.number, slot), sequence(key), memory.words, memory.vector))
    return container


def _remove_one(connection: apsw.Connection, container: ContainerRow, id: str) -> ContainerRow:
    found = connection.execute(
        "DELETE FROM store_memory WHERE rid >> 32 = ? AND id = ? RETURNING slot", (container.number, id)
    ).fetchone()
    if not found:
        return container
    return _leave_behind(connection, container, found[0])._replace(live=container.live - 1)


def _leave_behind(connection: apsw.Connection, container: ContainerRow, slot: int) -> ContainerRow:
    """Take a slot out of the tail, and note it for those who have it in memory or in a segment."""
    connection.execute("DELETE FROM store_tail WHERE rid = ?", (rid(container.number, slot),))
    was_in_tail = connection.changes()
    connection.execute("INSERT INTO store_gone VALUES (?, ?, ?)", (container.number, container.version + 1, slot))
    return container._replace(dead=container.dead + 1, tail=container.tail - was_in_tail)


def _saved(connection: apsw.Connection, container: ContainerRow) -> ContainerRow:
    connection.execute(
        "UPDATE store_container SET version = version + 1, slots = ?, tail = ?, live = ?, dead = ? WHERE number = ?",
        (container.slots, container.tail, container.live, container.dead, container.number),
    )
    return container._replace(version=container.version + 1)


def _tidy(connection: apsw.Connection, touched: Mapping[str, ContainerRow], *, budget: int) -> None:
    """Fold long tails and make indexes anew that are mostly gone: about as many slots as were written, so that no turn
    pays for all of its containers at once. What is left over waits for the next write."""
    for name, row in touched.items():
        container = row
        if container.dead > container.live + FOLD and budget >= FOLD:
            rebuild(connection, name)
            budget -= container.live + FOLD
            continue
        while container.tail >= FOLD and budget >= FOLD:
            container = fold(connection, container)
            budget -= FOLD
