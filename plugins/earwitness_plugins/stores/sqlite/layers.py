"""Layers: a branch's container reads the rows of its parent's up to a slot, and keeps only what differs.

What a container reads is its own rows and, of each of its *layers* (`store_layer`), the segments that begin, and the
memories that were written, above one slot and up to another. Slots that it no longer has are marked as gone in it, as
ever; so of one memory it never sees two rows. Before a row changes that others read, each of them gets it as a row of
its own. A layer outlives its container for as long as anybody reads it.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import apsw

from .containers import ContainerRow, rid, select, sequence

LAST = 2**32 - 1
READS = 1
"""Bit of `store_container.layered`: it reads rows of other containers."""
IS_READ = 2
"""Bit of `store_container.layered`: others may read its rows."""
_IS_GONE = (
    "EXISTS (SELECT 1 FROM store_gone AS g INDEXED BY store_gone_by_slot"
    " WHERE g.container = {by}.container AND g.slot = m.slot)"
)
VISIBLE = (
    "l.container = {container} AND m.slot > l.above AND m.slot <= l.up_to"
    f" AND (l.layer = l.container OR NOT {_IS_GONE.format(by='l')})"
)
"""Which memories `m` of its layers `l` a container sees."""
_READS_IT = (
    "r.layer = m.rid >> 32 AND r.container <> r.layer AND m.slot > r.above AND m.slot <= r.up_to"
    f" AND NOT {_IS_GONE.format(by='r')}"
)
"""Which readers `r` see a memory `m` of another container."""
_KEEP = (
    "INSERT INTO store_memory (rid, id, slot, text)"  # noqa: S608 - our own words
    " SELECT (r.container << 32) | (m.rid & 4294967295), m.id, m.slot, m.text"
    f" FROM store_memory AS m CROSS JOIN store_layer AS r ON {_READS_IT} WHERE m.rid = ?"
)
_UNSEEN = f"NOT EXISTS (SELECT 1 FROM store_layer AS r WHERE {_READS_IT})"  # noqa: S608 - our own words
_HAS_NO_CONTAINER = "NOT EXISTS (SELECT 1 FROM store_container WHERE number = {layer})"


def in_layers(columns: str, condition: str = "", container: str = "?1") -> str:
    """SQL for what a container with layers sees of memories `m` and their texts `t`; `?1` is its number."""
    return (
        f"SELECT {columns} FROM store_layer AS l CROSS JOIN store_memory AS m ON m.rid >> 32 = l.layer {condition}"  # noqa: S608
        f" CROSS JOIN store_text AS t ON t.number = m.text WHERE {VISIBLE.format(container=container)}"
    )


def begins(connection: apsw.Connection, container: ContainerRow) -> int:
    """Up to this slot, a container reads layers. The memories of such slots that are its own were kept from changes."""
    stored = "SELECT coalesce(max(up_to), 0) FROM store_layer WHERE container = ?1 AND layer <> ?1"
    found: Any = connection.execute(stored, (container.number,)).get
    return int(found)


def share(connection: apsw.Connection, parent: ContainerRow, new: int, up_to: int) -> None:
    """Let a new container read what another one reads, up to a slot."""
    read = select(connection, "SELECT layer, above, up_to FROM store_layer WHERE container = ?", (parent.number,))
    others = [(layer, above, min(reach, up_to)) for layer, above, reach in read if layer != parent.number]
    rows = [(new, *each) for each in (*others, (parent.number, begins(connection, parent), up_to))]
    insert = "INSERT INTO store_layer (container, layer, above, up_to) VALUES (?, ?, ?, ?)"
    connection.executemany(insert, [*rows, (new, new, 0, LAST)])
    flag = "UPDATE store_container SET layered = layered | ? WHERE number = ?"
    connection.executemany(flag, [(IS_READ, parent.number), (READS, new)])


def segment_keys(connection: apsw.Connection, container: ContainerRow, after: int = 0) -> list[int]:
    """The rids of the segments it reads that begin after a slot, in the order of slots."""
    if not container.reads:
        reach = (rid(container.number, after) + 1, container.range[1])
        own = "SELECT rid FROM store_segment WHERE rid BETWEEN ? AND ? ORDER BY rid"
        return [key for (key,) in select(connection, own, reach)]
    stored = (
        "SELECT s.rid FROM store_layer AS l CROSS JOIN store_segment AS s"
        " ON s.rid BETWEEN (l.layer << 32 | ?2) + 1 AND (l.layer << 32 | l.up_to) WHERE l.container = ?1"
    )
    return sorted((key for (key,) in select(connection, stored, (container.number, after))), key=sequence)


def keep(connection: apsw.Connection, key: int) -> None:
    """Before a memory changes: give it to those who read it as a row of their own."""
    before = connection.total_changes()
    connection.execute(_KEEP, (key,))
    if given := connection.total_changes() - before:
        text = "UPDATE store_text SET uses = uses + ? WHERE number = (SELECT text FROM store_memory WHERE rid = ?)"
        connection.execute(text, (given, key))


def leave(connection: apsw.Connection, key: int) -> None:
    """A container no longer sees a memory of a layer: delete it if nobody does, and its own container is gone."""
    no_container = _HAS_NO_CONTAINER.format(layer="m.rid >> 32")
    connection.execute(
        f"DELETE FROM store_memory AS m WHERE m.rid = ? AND {no_container} AND {_UNSEEN}",  # noqa: S608 - our own words
        (key,),
    )


def materialise(connection: apsw.Connection, container: ContainerRow) -> None:
    """Give a container rows of its own for all memories of its layers."""
    shared = in_layers("(?1 << 32) | (m.rid & 4294967295), m.id, m.slot, m.text") + " AND l.layer <> ?1"
    connection.execute(f"INSERT INTO store_memory (rid, id, slot, text) {shared}", (container.number,))
    connection.execute(
        "UPDATE store_text SET uses = uses + its.count FROM (SELECT text, count(*) AS count FROM ("  # noqa: S608
        f"{in_layers('m.text AS text')} AND l.layer <> ?1) GROUP BY text) AS its WHERE number = its.text",
        (container.number,),
    )


def readers(connection: apsw.Connection, number: int) -> list[str]:
    """The names of the containers that read one's rows."""
    stored = (
        "SELECT c.name FROM store_layer AS l CROSS JOIN store_container AS c ON c.number = l.container"
        " WHERE l.layer = ?1 AND l.container <> ?1"
    )
    return [name for (name,) in select(connection, stored, (number,))]


def part(connection: apsw.Connection, number: int) -> None:
    """A container reads no layers any more. What nobody reads of them is deleted."""
    read = [layer for (layer,) in select(connection, "SELECT layer FROM store_layer WHERE container = ?", (number,))]
    connection.execute("DELETE FROM store_layer WHERE container = ?", (number,))
    connection.execute("UPDATE store_container SET layered = layered & ~? WHERE number = ?", (READS, number))
    sweep(connection, [layer for layer in read if layer != number])


def sweep(connection: apsw.Connection, numbers: Iterable[int]) -> None:
    """Delete what nobody reads of those layers that have no container any more; note which others nobody reads."""
    for layer in numbers:
        furthest = "SELECT max(up_to) FROM store_layer WHERE layer = ?1 AND container <> ?1"
        reach: Any = connection.execute(furthest, (layer,)).get
        if connection.execute(f"SELECT {_HAS_NO_CONTAINER.format(layer='?')}", (layer,)).get:
            _trim(connection, layer, 0 if reach is None else int(reach))
        elif reach is None:
            connection.execute("UPDATE store_container SET layered = layered & ~? WHERE number = ?", (IS_READ, layer))


def _trim(connection: apsw.Connection, layer: int, reach: int) -> None:
    """Delete the segments that begin after a slot, and the memories that nobody sees."""
    last = rid(layer + 1, 0) - 1
    connection.execute("DELETE FROM store_segment WHERE rid BETWEEN ? AND ?", (rid(layer, reach) + 1, last))
    for table in ("store_field", "store_posting"):
        connection.execute(f"DELETE FROM {table} WHERE container = ? AND segment > ?", (layer, reach))  # noqa: S608
    connection.execute(
        f"DELETE FROM store_memory AS m WHERE m.rid BETWEEN ? AND ? AND {_UNSEEN}",  # noqa: S608 - our own words
        (rid(layer, 0), last),
    )
