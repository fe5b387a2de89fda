"""What vectors and words were made with: those of two embedders must never be in one database."""

from __future__ import annotations

from collections.abc import Mapping
from typing import NamedTuple

from earwitness.errors import EmbedderMismatch
from earwitness.records.backends import EmbedderIdentity
from earwitness.words import VERSION
from earwitness_plugins.embedders.none import NoEmbedder
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


class PostgresFingerprint(NamedTuple):
    """What the tables were filled with."""

    embedder: str
    """`EmbedderIdentity` as JSON."""
    words: str
    """`earwitness.words.VERSION`."""


def fingerprint_of(identity: EmbedderIdentity) -> PostgresFingerprint:
    """The fingerprint of this embedder and this version of `earwitness.words`."""
    return PostgresFingerprint(identity.model_dump_json(), str(VERSION))


async def stored(connection: Connection) -> PostgresFingerprint | None:
    """The fingerprint in the database; `None` for a new one."""
    row = await (await connection.execute(f"SELECT {FACTS}".encode())).fetchone()
    return of(row[0] if row else None)


def of(facts: Mapping[str, str] | None) -> PostgresFingerprint | None:
    """The fingerprint among all facts."""
    return PostgresFingerprint(facts["embedder"], facts["words"]) if facts and "embedder" in facts else None


async def lock(connection: Connection) -> None:
    """Wait for those who write, and let nobody else write until this transaction ends."""
    await connection.execute(_LOCK)


async def check(connection: Connection, label: str, ours: PostgresFingerprint) -> None:
    """Raises `EmbedderMismatch` when somebody has changed the embedder since `open`. Nobody can, until this ends."""
    await connection.execute(SHARE)
    require(await stored(connection), label, ours)


def require(found: PostgresFingerprint | None, label: str, ours: PostgresFingerprint) -> None:
    """Raises `EmbedderMismatch` when what was found is not ours."""
    if found is not None and found != ours:
        raise mismatch(label, found, ours)


async def claim(connection: Connection, label: str, ours: PostgresFingerprint) -> None:
    """Write our fingerprint. Raises `EmbedderMismatch` when the database holds vectors or words of another one."""
    await lock(connection)
    found = await stored(connection)
    if found == ours:
        return
    held = await (await connection.execute(b"SELECT EXISTS (SELECT FROM earwitness.memory)")).fetchone()
    if found is not None and held is not None and held[0]:
        raise mismatch(label, found, ours)
    await write(connection, ours)


async def write(connection: Connection, ours: PostgresFingerprint) -> None:
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


def mismatch(label: str, found: PostgresFingerprint, ours: PostgresFingerprint) -> EmbedderMismatch:
    """The error for a database whose vectors, or words, are not this store's."""
    return EmbedderMismatch(
        f"the vectors in {label!r} were made by {_described(found)}, but this store was opened with "
        f"{_described(ours)}. Open it with the first, or make all vectors again with the second: `earwitness reembed`."
    )


def _described(made: PostgresFingerprint) -> str:
    identity = EmbedderIdentity.model_validate_json(made.embedder)
    if identity == NoEmbedder.identity:
        return f"the embedder 'none' (no vectors, words {made.words})"
    numbers = f"{identity.dimension} dimensions, digest {identity.digest}, words {made.words}"
    return f"the embedder {identity.name!r} ({numbers})"
