"""What vectors and words were made with: those of two embedders must never be in one database."""

from __future__ import annotations

from collections.abc import Mapping

from earwitness.records.backends import EmbedderIdentity
from earwitness_plugins.embedders.fingerprint import Fingerprint, mismatch
from earwitness_plugins.postgres import Connection

_MOST_DIMENSIONS = 4_000
"""What an HNSW index of pgvector's can hold. Longer vectors are all compared."""
_SAVE = (
    "INSERT INTO earwitness.memory_fact (name, value) VALUES (%s, %s)"
    " ON CONFLICT (name) DO UPDATE SET value = excluded.value"
)
_LOCK = b"SELECT pg_advisory_xact_lock(hashtext('earwitness.embedder'))"
SHARE = b"SELECT pg_advisory_xact_lock_shared(hashtext('earwitness.embedder'))"
"""Lets nobody change the embedder until the transaction ends. What a later statement reads stays so."""
FACTS = "(SELECT json_object_agg(name, value) FROM earwitness.memory_fact)"
"""A column that `of` understands."""


async def stored(connection: Connection) -> Fingerprint | None:
    """The fingerprint in the database; `None` for a new one."""
    row = await (await connection.execute(f"SELECT {FACTS}".encode())).fetchone()
    return of(row[0] if row else None)


def of(facts: Mapping[str, str] | None) -> Fingerprint | None:
    """The fingerprint among all facts."""
    return Fingerprint(facts["embedder"], facts["words"]) if facts and "embedder" in facts else None


async def lock(connection: Connection) -> None:
    """Wait for those who write, and let nobody else write until this transaction ends."""
    await connection.execute(_LOCK)


async def check(connection: Connection, label: str, ours: Fingerprint) -> None:
    """Raises `EmbedderMismatch` when somebody has changed the embedder since `open`. Nobody can, until this ends."""
    await connection.execute(SHARE)
    require(await stored(connection), label, ours)


def require(found: Fingerprint | None, label: str, ours: Fingerprint) -> None:
    """Raises `EmbedderMismatch` when what was found is not ours."""
    if found is not None and found != ours:
        raise mismatch(label, str(found), str(ours))


async def claim(connection: Connection, label: str, ours: Fingerprint) -> None:
    """Write our fingerprint. Raises `EmbedderMismatch` when the database holds vectors or words of another one."""
    await lock(connection)
    found = await stored(connection)
    if found == ours:
        return
    held = await (await connection.execute(b"SELECT EXISTS (SELECT FROM earwitness.memory)")).fetchone()
    if found is not None and held is not None and held[0]:
        raise mismatch(label, str(found), str(ours))
    await write(connection, ours)


async def write(connection: Connection, ours: Fingerprint) -> None:
    """Write our fingerprint over any other, and make the index for vectors of its dimension."""
    await connection.execute(_SAVE.encode(), ("embedder", ours.embedder))
    await connection.execute(_SAVE.encode(), ("words", ours.words))
    await connection.execute(b"DROP INDEX IF EXISTS earwitness.memory_embedding")
    dimension = EmbedderIdentity.model_validate_json(ours.embedder).dimension
    if dimension <= _MOST_DIMENSIONS:
        await connection.execute(
            f"CREATE INDEX memory_embedding ON earwitness.memory USING hnsw"
            f" ((embedding::halfvec({int(dimension)})) halfvec_ip_ops) WHERE indexed".encode()
        )
        said = "Vectors of what large containers hold beyond their first ten thousand"
        await connection.execute(f"COMMENT ON INDEX earwitness.memory_embedding IS '{said}'".encode())
