"""Changing the embedder of a file: the new vectors are made beside the old ones, then replace them all at once."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial

import apsw

from earwitness.protocols import Embedder
from earwitness.words import plain
from earwitness_plugins.embedders.fingerprint import Fingerprint, fingerprint_of
from earwitness_plugins.ranking.vectors import embedded, packed
from earwitness_plugins.sqlite import Database

from . import fingerprint
from .containers import all_containers, rid, select
from .layers import LAST
from .segments import unpacked

_BATCH = 512
_WHOSE = "reembedding"
Waiting = list[tuple[int, str]]
"""Numbers and contents of texts."""


async def reembed(database: Database, embedder: Embedder) -> int:
    """Make every vector again; returns how many memories there are. An interrupted run goes on where it stopped.

    Other processes may read and write with the old embedder until the end; from then on they are refused.
    """
    identity = embedder.identity
    await database.write(partial(_begin, identity.model_dump_json()))
    while True:
        while waiting := await database.read(_waiting):
            vectors = await embedded(embedder, [plain(content) for _, content in waiting])
            rows = [(packed(vector), *text) for vector, text in zip(vectors, waiting, strict=True)]
            await database.write(partial(_keep, rows), durable=False)
        exchange = partial(_exchange, fingerprint_of(identity), bytes(2 * identity.dimension))
        if (count := await database.write(exchange)) is not None:
            return count


def _begin(whose: str, connection: apsw.Connection) -> None:
    """Discard vectors that an interrupted run made for another embedder."""
    found = connection.execute("SELECT value FROM store_fact WHERE name = ?", (_WHOSE,)).get
    if found != whose:
        connection.execute("DELETE FROM store_reembedded")
        connection.execute("INSERT OR REPLACE INTO store_fact VALUES (?, ?)", (_WHOSE, whose))


def _waiting(connection: apsw.Connection) -> Waiting:
    """Texts that have no new vector."""
    found: Waiting = select(
        connection,
        "SELECT number, content FROM store_text WHERE number NOT IN (SELECT text FROM store_reembedded) LIMIT ?",
        (_BATCH,),
    )
    return found


def _keep(rows: Sequence[tuple[bytes, int, str]], connection: apsw.Connection) -> None:
    """Keep vectors of texts that are still there: a number may be another text's by now."""
    connection.executemany(
        "INSERT OR REPLACE INTO store_reembedded (text, vector)"
        " SELECT number, ? FROM store_text WHERE number = ? AND content = ?",
        rows,
    )


def _exchange(ours: Fingerprint, nothing: bytes, connection: apsw.Connection) -> int | None:
    """Replace the old vectors by the new; `None` when a text was written meanwhile that has no new one."""
    if _waiting(connection):
        return None
    for (number,) in select(connection, "SELECT DISTINCT rid >> 32 FROM store_segment"):
        _exchange_in_segments(connection, number, nothing)
    _exchange_in_tails(connection)
    connection.execute("UPDATE store_container SET version = version + 1, generation = generation + 1")
    connection.execute("DELETE FROM store_reembedded")
    connection.execute("DELETE FROM store_fact WHERE name = ?", (_WHOSE,))
    made = fingerprint.stored(connection)
    fingerprint.write(connection, ours._replace(words=made.words) if made else ours)
    return sum(container.live for container in all_containers(connection))


def _exchange_in_segments(connection: apsw.Connection, layer: int, nothing: bytes) -> None:
    """What a slot holds is known to its container, and to those who read its segments."""
    made = (
        "SELECT memory.slot, made.vector FROM store_memory AS memory"
        " CROSS JOIN store_reembedded AS made ON made.text = memory.text"
        " WHERE memory.rid BETWEEN ? AND ? AND memory.slot <= ?"
    )
    read = select(connection, "SELECT container, up_to FROM store_layer WHERE layer = ?", (layer,))
    vectors: dict[int, bytes] = {}
    for container, up_to in {(layer, LAST), *read}:
        vectors.update(select(connection, made, (rid(container, 0), rid(container, LAST), up_to)))
    own = (rid(layer, 0), rid(layer, LAST))
    for key, slots in select(connection, "SELECT rid, slots FROM store_segment WHERE rid BETWEEN ? AND ?", own):
        joined = b"".join(vectors.get(slot, nothing) for slot in unpacked(slots).tolist())
        connection.execute("UPDATE store_segment SET vectors = ? WHERE rid = ?", (joined, key))


def _exchange_in_tails(connection: apsw.Connection) -> None:
    """Texts that have the same words have the same vector, too."""
    connection.execute(
        "UPDATE store_words SET vector = made.vector FROM store_tail AS tail"
        " CROSS JOIN store_memory AS memory ON memory.rid = (tail.rid >> 32 << 32) | tail.position"
        " CROSS JOIN store_reembedded AS made ON made.text = memory.text WHERE tail.words = store_words.number"
    )
