"""Writing into containers: each function is one part of one transaction."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import NamedTuple

import apsw

from .schema import FOLD, ContainerRow, find_container, rid, select, sequence
from .segments import clear_index, fold, rebuild

_INSERT = "INSERT INTO store_memory VALUES (?, ?, ?, ?, ?) ON CONFLICT DO NOTHING"
_INSERT_TAIL = "INSERT INTO store_tail VALUES (?, ?, ?, ?)"
_SAVE = "UPDATE store_container SET version = version + 1, slots = ?, tail = ?, live = ?, dead = ? WHERE number = ?"


class PreparedMemory(NamedTuple):
    """A memory with everything that can be worked out outside the transaction."""

    container: str
    id: str
    content: str
    metadata: str
    words: str
    vector: bytes


class _Rows(NamedTuple):
    """What is kept of a new memory."""

    memory: tuple[int, str, int, str, str]
    tail: tuple[int, int, str, bytes]


def put(connection: apsw.Connection, memories: Sequence[PreparedMemory]) -> None:
    """Write or replace by (container, id); a memory that is there already as it is stays as it is."""
    groups: dict[str, list[PreparedMemory]] = {}
    for memory in memories:
        groups.setdefault(memory.container, []).append(memory)
    containers = {name: find_container(connection, name) or _begun(connection, name) for name in groups}
    touched = _put_new(connection, containers, groups)
    if touched is None:
        touched = {name: _put_into(connection, containers[name], group) for name, group in groups.items()}
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


def _put_new(
    connection: apsw.Connection, containers: Mapping[str, ContainerRow], groups: Mapping[str, Sequence[PreparedMemory]]
) -> dict[str, ContainerRow] | None:
    """Write all at once, as most turns can; nothing, and `None`, when one of the memories is there already."""
    kept = [row for name, group in groups.items() for row in _new_rows(containers[name], group)]
    before = connection.total_changes()
    connection.execute("SAVEPOINT new")
    connection.executemany(_INSERT, [row.memory for row in kept])
    all_new = connection.total_changes() - before == len(kept)
    connection.execute("RELEASE new" if all_new else "ROLLBACK TO new; RELEASE new")
    if not all_new:
        return None
    connection.executemany(_INSERT_TAIL, [row.tail for row in kept])
    grown = {name: _grown(containers[name], len(group)) for name, group in groups.items()}
    connection.executemany(_SAVE, [_numbers(container) for container in grown.values()])
    return grown


def _new_rows(container: ContainerRow, memories: Iterable[PreparedMemory]) -> Iterator[_Rows]:
    for slot, memory in enumerate(memories, container.slots + 1):
        key = rid(container.number, slot)
        yield _Rows((key, memory.id, slot, memory.content, memory.metadata), (key, slot, memory.words, memory.vector))


def _grown(container: ContainerRow, count: int) -> ContainerRow:
    return container._replace(
        version=container.version + 1, slots=container.slots + count, tail=container.tail + count,
        live=container.live + count,
    )  # fmt: skip


def _put_into(connection: apsw.Connection, container: ContainerRow, memories: Iterable[PreparedMemory]) -> ContainerRow:
    changed = container
    tail: list[tuple[int, int, str, bytes]] = []
    for memory in memories:
        changed = _put_one(connection, changed, memory, tail)
    if changed is container:
        return container
    connection.executemany(_INSERT_TAIL, tail)
    return _saved(connection, changed)


def _begun(connection: apsw.Connection, name: str) -> ContainerRow:
    connection.execute("INSERT INTO store_container (name) VALUES (?)", (name,))
    container = find_container(connection, name)
    assert container is not None  # noqa: S101 - inserted above
    return container


def _put_one(
    connection: apsw.Connection,
    container: ContainerRow,
    memory: PreparedMemory,
    tail: list[tuple[int, int, str, bytes]],
) -> ContainerRow:
    slot = container.slots + 1
    key = rid(container.number, slot)
    connection.execute(_INSERT, (key, memory.id, slot, memory.content, memory.metadata))
    if connection.changes():
        tail.append((key, slot, memory.words, memory.vector))
        return container._replace(slots=slot, tail=container.tail + 1, live=container.live + 1)
    return _replace_one(connection, container, memory, tail)


def _replace_one(
    connection: apsw.Connection,
    container: ContainerRow,
    memory: PreparedMemory,
    tail: list[tuple[int, int, str, bytes]],
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
    connection.execute(_SAVE, _numbers(container))
    return container._replace(version=container.version + 1)


def _numbers(container: ContainerRow) -> tuple[int, ...]:
    return container.slots, container.tail, container.live, container.dead, container.number


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
