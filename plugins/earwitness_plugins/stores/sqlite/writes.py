"""Writing into containers: each function is part of one transaction."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping, Sequence
from typing import NamedTuple

import apsw

from . import layers
from .containers import ContainerRow, find_container, find_containers, rid, select, sequence
from .segments import FOLD, clear_index, fold, rebuild
from .shared import Text, Words, digest, insert_texts, insert_words

_INSERT = "INSERT INTO store_memory (rid, id, slot, text) VALUES (?, ?, ?, ?) ON CONFLICT DO NOTHING"
_INSERT_TAIL = "INSERT INTO store_tail (rid, position, words) VALUES (?, ?, ?)"
_PLACE = "SELECT position FROM store_place WHERE container = ? AND id = ?"
_LEAVE_PLACE = "INSERT OR REPLACE INTO store_place (container, id, position) VALUES (?, ?, ?)"
_SAVE = "UPDATE store_container SET version = version + 1, slots = ?, tail = ?, live = ?, dead = ? WHERE number = ?"
_STORED = (
    "SELECT rid, slot, content, metadata, (SELECT digest FROM store_list WHERE number = lists)"
    " FROM store_memory CROSS JOIN store_text ON number = text WHERE rid >> 32 = ?1 AND id = ?2"
)
_STORED_IN_LAYERS = layers.in_layers(
    "m.rid, m.slot, t.content, t.metadata, (SELECT digest FROM store_list WHERE number = t.lists)", "AND m.id = ?2"
)
_ANY_IN_LAYERS = f"SELECT EXISTS ({layers.in_layers('1', 'AND m.id IN (SELECT value FROM json_each(?2))')})"  # noqa: S608


class PreparedMemory(NamedTuple):
    """A memory with all that can be worked out outside the transaction."""

    container: str
    id: str
    text: Text
    words: Words


class _Stored(NamedTuple):
    """A memory that is there already."""

    rid: int
    slot: int
    content: str
    metadata: str
    digest: bytes | None

    def is_same(self, text: Text) -> bool:
        """Whether it says what a new text says."""
        its_digest = None if text.lists is None else digest(text.lists)
        return (self.content, self.metadata, self.digest) == (text.content, text.metadata, its_digest)


class _Change(NamedTuple):
    """A memory to write, and the one it replaces."""

    memory: PreparedMemory
    stored: _Stored | None


def put(connection: apsw.Connection, memories: Sequence[PreparedMemory]) -> None:
    """Write or replace by (container, id). A memory that is there with the same text stays as it is."""
    groups: dict[str, list[PreparedMemory]] = {}
    for memory in memories:
        groups.setdefault(memory.container, []).append(memory)
    known = find_containers(connection, groups)
    containers = {name: known.get(name) or created(connection, name) for name in groups}
    touched = _put_new(connection, containers, groups)
    if touched is None:
        touched = _put_changed(connection, containers, groups)
    _tidy(connection, touched, budget=FOLD + len(memories))


def put_back(connection: apsw.Connection, memories: Sequence[PreparedMemory]) -> None:
    """As `put`; but what was removed, in a container or in the one it is a branch of, takes the place it had there."""
    for memory in memories:
        container = find_container(connection, memory.container) or created(connection, memory.container)
        place = select(connection, _PLACE, (container.number, memory.id))
        if place and _stored(connection, container, memory.id) is None:
            _saved(connection, _put_at(connection, container, memory, place[0][0]))
        else:
            put(connection, [memory])


def placed(connection: apsw.Connection, name: str, ids: Sequence[str]) -> list[str]:
    """Those of the ids whose place is known: they are there, or were removed."""
    container = find_container(connection, name)
    if container is None:
        return []
    return [
        id for id in ids if _stored(connection, container, id) or select(connection, _PLACE, (container.number, id))
    ]


def _put_at(
    connection: apsw.Connection, container: ContainerRow, memory: PreparedMemory, position: int
) -> ContainerRow:
    """Write a memory that is not there at a position where another container, or this one, had it."""
    slot = container.slots + 1
    text, words = insert_texts(connection, [memory.text]), insert_words(connection, [memory.words])
    connection.execute(_INSERT, (rid(container.number, position), memory.id, slot, text[memory.text]))
    connection.execute(_INSERT_TAIL, (rid(container.number, slot), position, words[memory.words]))
    return container._replace(slots=slot, tail=container.tail + 1, live=container.live + 1)


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
    """Remove a container and everything in it. Its number is not used again."""
    container = find_container(connection, name)
    if container is None:
        return
    for table, column in (("store_container", "number"), ("store_place", "container")):
        connection.execute(f"DELETE FROM {table} WHERE {column} = ?", (container.number,))  # noqa: S608 - our own words
    if container.is_read:  # others have their own tails
        connection.execute("DELETE FROM store_tail WHERE rid BETWEEN ? AND ?", container.range)
        connection.execute("DELETE FROM store_gone WHERE container = ?", (container.number,))
        layers.sweep(connection, [container.number])
    else:
        clear_index(connection, container)
        connection.execute("DELETE FROM store_memory WHERE rid BETWEEN ? AND ?", container.range)
    if container.reads:
        layers.part(connection, container.number)


def created(connection: apsw.Connection, name: str) -> ContainerRow:
    """A new container."""
    connection.execute("INSERT INTO store_container (name) VALUES (?)", (name,))
    container = find_container(connection, name)
    assert container is not None  # noqa: S101 - inserted above
    return container


def _put_new(
    connection: apsw.Connection,
    containers: Mapping[str, ContainerRow],
    groups: Mapping[str, Sequence[PreparedMemory]],
) -> dict[str, ContainerRow] | None:
    """Write all at once, as most turns can. Writes nothing, and answers `None`, when a memory is there already."""
    if any(_in_layers(connection, containers[name], group) for name, group in groups.items()):
        return None
    slots = [
        (rid(containers[name].number, slot), slot, memory)
        for name, group in groups.items()
        for slot, memory in enumerate(group, containers[name].slots + 1)
    ]
    connection.execute("SAVEPOINT new")
    texts = insert_texts(connection, (memory.text for _, _, memory in slots))
    before = connection.total_changes()
    connection.executemany(_INSERT, [(key, memory.id, slot, texts[memory.text]) for key, slot, memory in slots])
    all_new = connection.total_changes() - before == len(slots)
    connection.execute("RELEASE new" if all_new else "ROLLBACK TO new; RELEASE new")
    if not all_new:
        return None
    words = insert_words(connection, (memory.words for _, _, memory in slots))
    connection.executemany(_INSERT_TAIL, [(key, slot, words[memory.words]) for key, slot, memory in slots])
    grown = {name: _grown(containers[name], len(group)) for name, group in groups.items()}
    connection.executemany(_SAVE, [_numbers(container) for container in grown.values()])
    return grown


def _in_layers(connection: apsw.Connection, container: ContainerRow, memories: Iterable[PreparedMemory]) -> bool:
    """Whether the container reads one of the memories from a layer."""
    ids = json.dumps([memory.id for memory in memories]) if container.reads else ""
    return bool(ids and connection.execute(_ANY_IN_LAYERS, (container.number, ids)).get)


def _grown(container: ContainerRow, count: int) -> ContainerRow:
    return container._replace(
        version=container.version + 1,
        slots=container.slots + count,
        tail=container.tail + count,
        live=container.live + count,
    )


def _put_changed(
    connection: apsw.Connection,
    containers: Mapping[str, ContainerRow],
    groups: Mapping[str, Sequence[PreparedMemory]],
) -> dict[str, ContainerRow]:
    """Write what is new, and replace what has another text than before."""
    changes = {name: _changes(connection, containers[name], group) for name, group in groups.items()}
    written = [change.memory for group in changes.values() for change in group]
    texts = insert_texts(connection, (memory.text for memory in written))
    words = insert_words(connection, (memory.words for memory in written))
    touched = {}
    for name, group in changes.items():
        container = containers[name]
        for change in group:
            container = _put_one(connection, container, change, texts[change.memory.text], words[change.memory.words])
        touched[name] = _saved(connection, container) if group else container
    return touched


def _changes(connection: apsw.Connection, container: ContainerRow, memories: Iterable[PreparedMemory]) -> list[_Change]:
    found = []
    for memory in memories:
        stored = _stored(connection, container, memory.id)
        if stored is None or not stored.is_same(memory.text):
            found.append(_Change(memory, stored))
    return found


def _stored(connection: apsw.Connection, container: ContainerRow, id: str) -> _Stored | None:
    asked = _STORED_IN_LAYERS if container.reads else _STORED
    row = connection.execute(asked, (container.number, id)).fetchone()
    return None if row is None else _Stored(*row)


def _put_one(
    connection: apsw.Connection, container: ContainerRow, change: _Change, text: int, words: int
) -> ContainerRow:
    """Give the memory a new slot. One that it replaces keeps its position, and leaves its slot behind."""
    slot = container.slots + 1
    stored = change.stored
    container = container._replace(slots=slot, tail=container.tail + 1)
    position = slot if stored is None else sequence(stored.rid)
    if stored is None:
        connection.execute(_INSERT, (rid(container.number, slot), change.memory.id, slot, text))
        container = container._replace(live=container.live + 1)
    else:
        container = _mark_deleted(connection, container, stored.slot)
        _replace(connection, container, stored.rid, change.memory.id, slot, text)
    connection.execute(_INSERT_TAIL, (rid(container.number, slot), position, words))
    return container


def _replace(connection: apsw.Connection, container: ContainerRow, key: int, id: str, slot: int, text: int) -> None:
    """Write over a row of its own; beside one of a layer."""
    if key >> 32 == container.number:
        if container.is_read:
            layers.keep(connection, key)
        connection.execute("UPDATE store_memory SET slot = ?, text = ? WHERE rid = ?", (slot, text, key))
    else:
        connection.execute(_INSERT, (rid(container.number, sequence(key)), id, slot, text))
        layers.leave(connection, key)


def _remove_one(connection: apsw.Connection, container: ContainerRow, id: str) -> ContainerRow:
    stored = _stored(connection, container, id)
    if stored is None:
        return container
    if container.is_read and stored.rid >> 32 == container.number:
        layers.keep(connection, stored.rid)
    container = _mark_deleted(connection, container, stored.slot)._replace(live=container.live - 1)
    connection.execute(_LEAVE_PLACE, (container.number, id, sequence(stored.rid)))
    if stored.rid >> 32 == container.number:
        connection.execute("DELETE FROM store_memory WHERE rid = ?", (stored.rid,))
    else:
        layers.leave(connection, stored.rid)
    return container


def _mark_deleted(connection: apsw.Connection, container: ContainerRow, slot: int) -> ContainerRow:
    """Take a slot out of the tail, and note it for those who have it in memory or in a segment."""
    was_in_tail = bool(
        select(connection, "DELETE FROM store_tail WHERE rid = ? RETURNING 1", (rid(container.number, slot),))
    )
    connection.execute("INSERT INTO store_gone VALUES (?, ?, ?)", (container.number, container.version + 1, slot))
    return container._replace(dead=container.dead + 1, tail=container.tail - was_in_tail)


def _saved(connection: apsw.Connection, container: ContainerRow) -> ContainerRow:
    connection.execute(_SAVE, _numbers(container))
    return container._replace(version=container.version + 1)


def _numbers(container: ContainerRow) -> tuple[int, ...]:
    return container.slots, container.tail, container.live, container.dead, container.number


def _tidy(connection: apsw.Connection, touched: Mapping[str, ContainerRow], *, budget: int) -> None:
    """Fold long tails, and rebuild indexes that are mostly deleted rows.

    That is limited to about as many slots as were written, so that no turn pays for all of its containers at once. The
    rest waits for the next write.
    """
    for name, row in touched.items():
        container = row
        if container.dead > container.live + FOLD and budget >= FOLD:
            rebuild(connection, name)
            budget -= container.live + FOLD
            continue
        while container.tail >= FOLD and budget >= FOLD:
            container = fold(connection, container)
            budget -= FOLD
