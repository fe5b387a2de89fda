"""Changing the embedder of a database: new vectors are made beside the old ones, then replace them all at once."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from hashlib import sha256

from earwitness.protocols import Embedder
from earwitness.words import plain
from earwitness_plugins.embedders.fingerprint import Fingerprint, fingerprint_of
from earwitness_plugins.postgres import Connection, PostgresDatabase
from earwitness_plugins.ranking.vectors import embedded

from . import fingerprint
from .text import given
from .vectors import as_text

_BATCH = 512
_WHOSE = "reembedding"
_MISSING = """
SELECT DISTINCT m.content FROM earwitness.memory m
WHERE NOT EXISTS (SELECT FROM earwitness.memory_vector v WHERE v.digest = sha256(convert_to(m.content, 'UTF8')))
LIMIT %s
"""
_KEEP = (
    "INSERT INTO earwitness.memory_vector (digest, embedding)"
    " SELECT * FROM unnest(%s::bytea[], %s::halfvec[]) ON CONFLICT DO NOTHING"
)
_EXCHANGE = """
UPDATE earwitness.memory m SET embedding = v.embedding FROM earwitness.memory_vector v
WHERE v.digest = sha256(convert_to(m.content, 'UTF8'))
"""


async def reembed(database: PostgresDatabase, embedder: Embedder) -> int:
    """Make every vector again; returns how many memories there are. An interrupted run goes on where it stopped.

    Other processes may read and write with the old embedder until the end; from then on they are refused.
    """
    await database.write(partial(_begin, whose=embedder.identity.model_dump_json()), repeatable=True)
    while True:
        while contents := await database.read(_missing):
            vectors = await embedded(embedder, [plain(given(content)) for content in contents])
            rows = [(_digest(content), as_text(vector)) for content, vector in zip(contents, vectors, strict=True)]
            await database.write(partial(_keep, rows=rows), durable=False, repeatable=True)
        ours = fingerprint_of(embedder.identity)
        if (count := await database.write(partial(_exchange, ours=ours))) is not None:
            return count


def _digest(content: str) -> bytes:
    return sha256(content.encode()).digest()


async def _begin(connection: Connection, *, whose: str) -> None:
    """Discard vectors that an interrupted run made for another embedder."""
    asked = b"SELECT value FROM earwitness.memory_fact WHERE name = %s"
    found = await (await connection.execute(asked, (_WHOSE,))).fetchone()
    if found is None or found[0] != whose:
        await connection.execute(b"DELETE FROM earwitness.memory_vector")
        await connection.execute(
            b"INSERT INTO earwitness.memory_fact (name, value) VALUES (%s, %s)"
            b" ON CONFLICT (name) DO UPDATE SET value = excluded.value",
            (_WHOSE, whose),
        )


async def _missing(connection: Connection) -> list[str]:
    """Contents that have no new vector."""
    return [content for (content,) in await (await connection.execute(_MISSING.encode(), (_BATCH,))).fetchall()]


async def _keep(connection: Connection, *, rows: Sequence[tuple[bytes, str | None]]) -> None:
    await connection.execute(_KEEP.encode(), ([digest for digest, _ in rows], [vector for _, vector in rows]))


async def _exchange(connection: Connection, *, ours: Fingerprint) -> int | None:
    """Replace the old vectors by the new; `None` when a text was written meanwhile that has no new one."""
    await fingerprint.lock(connection)
    if await _missing(connection):
        return None
    made = await fingerprint.stored(connection)
    await connection.execute(b"DROP INDEX IF EXISTS earwitness.memory_embedding")
    exchanged = await connection.execute(_EXCHANGE.encode())
    await fingerprint.write(connection, ours._replace(words=made.words) if made else ours)
    await connection.execute(b"DELETE FROM earwitness.memory_vector")
    await connection.execute(b"DELETE FROM earwitness.memory_fact WHERE name = %s", (_WHOSE,))
    return exchanged.rowcount
