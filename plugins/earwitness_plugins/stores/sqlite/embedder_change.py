"""Changing the embedder of a file: the new vectors are made beside the old ones, then replace them all at once."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial

import apsw

from earwitness.protocols import Embedder
from earwitness.words import plain
from earwitness_plugins.ranking.vectors import embedded, packed
from earwitness_plugins.sqlite import Database

from . import fingerprint
from .fingerprint import Fingerprint
from .schema import ContainerRow, all_containers, select, sequence
from .segments import unpacked

_BATCH = 512
_WHOSE = "reembedding"
Waiting = list[tuple[int, int, str]]


async def reembed(database: Database, embedder: Embedder) -> int:
    """Make every vector again; returns how many memories there are. An interrupted run goes on where it stopped.

    Other processes may read and write with the old embedder until the end; from then on they are refused.
    """
    identity = embedder.identity
    await database.write(partial(_begin, identity.model_dump_json()))
    while True:
        while waiting := await database.read(_waiting):
            vectors = await embedded(embedder, [plain(content) for _, _, content in waiting])
            rows = [(key, slot, packed(vector)) for (key, slot, _), vector in zip(waiting, vectors, strict=True)]
            await database.write(partial(_keep, rows), durable=False)
        if (
            count := await database.write(partial(_exchange, fingerprint.fingerprint_of(identity), identity.dimension))
        ) is not None:
            return count


def _begin(whose: str, connection: apsw.Connection) -> None:
    """Discard vectors that an interrupted run made for another embedder."""
    found = connection.execute("SELECT value FROM store_fact WHERE name = ?", (_WHOSE,)).get
    if found != whose:
        connection.execute("DELETE FROM store_reembedded")
        connection.execute("INSERT OR REPLACE INTO store_fact VALUES (?, ?)", (_WHOSE, whose))


def _waiting(connection: apsw.Connection) -> Waiting:
    """(rid, slot, content) of memories that have no new vector, or were written after they got one."""
    found: Waiting = select(
        connection,
        "SELECT memory.rid, memory.slot, memory.content FROM store_memory AS memory "
        "LEFT JOIN store_reembedded AS made ON made.rid = memory.rid WHERE made.slot IS NOT memory.slot LIMIT ?",
        (_BATCH,),
    )
    return found


def _keep(rows: Sequence[tuple[int, int, bytes]], connection: apsw.Connection) -> None:
    connection.executemany("INSERT OR REPLACE INTO store_reembedded VALUES (?, ?, ?)", rows)


def _exchange(ours: Fingerprint, dimension: int, connection: apsw.Connection) -> int | None:
    """Replace the old vectors by the new; `None` when a memory was written meanwhile that has no new one."""
    if _waiting(connection):
        return None
    for container in all_containers(connection):
        _exchange_in(connection, container, bytes(2 * dimension))
    connection.execute("UPDATE store_container SET version = version + 1, generation = generation + 1")
    connection.execute("DELETE FROM store_reembedded")
    connection.execute("DELETE FROM store_fact WHERE name = ?", (_WHOSE,))
    made = fingerprint.stored(connection)
    fingerprint.write(connection, ours._replace(words=made.words) if made else ours)
    return sum(container.live for container in all_containers(connection))


def _exchange_in(connection: apsw.Connection, container: ContainerRow, nothing: bytes) -> None:
    made = "SELECT slot, vector FROM store_reembedded WHERE rid BETWEEN ? AND ?"
    vectors: dict[int, bytes] = dict(select(connection, made, container.range))
    segments = "SELECT rid, slots FROM store_segment WHERE rid BETWEEN ? AND ?"
    for key, slots in select(connection, segments, container.range):
        joined = b"".join(vectors.get(slot, nothing) for slot in unpacked(slots).tolist())
        connection.execute("UPDATE store_segment SET vectors = ? WHERE rid = ?", (joined, key))
    tail = select(connection, "SELECT rid FROM store_tail WHERE rid BETWEEN ? AND ?", container.range)
    connection.executemany(
        "UPDATE store_tail SET vector = ? WHERE rid = ?", [(vectors[sequence(key)], key) for (key,) in tail]
    )
