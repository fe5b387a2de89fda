"""What the index was made with: vectors of two embedders, or words cut in two ways, must never be in one file."""

from __future__ import annotations

from typing import NamedTuple

import apsw

from earwitness.errors import EmbedderMismatch
from earwitness.records.backends import EmbedderIdentity
from earwitness.words import VERSION
from earwitness_plugins.embedders.none import NoEmbedder

from .containers import select
from .segments import rebuild

_EMBEDDER = "embedder"
_WORDS = "words"


class Fingerprint(NamedTuple):
    """What an index was made with."""

    embedder: str
    """`EmbedderIdentity` as JSON."""
    words: str
    """`earwitness.words.VERSION`."""


def fingerprint_of(identity: EmbedderIdentity) -> Fingerprint:
    """The fingerprint of an index made with this embedder and this version of `earwitness.words`."""
    return Fingerprint(identity.model_dump_json(), str(VERSION))


def stored(connection: apsw.Connection) -> Fingerprint | None:
    """The fingerprint of the file's index; `None` for a new file."""
    found = dict(connection.execute("SELECT name, value FROM store_fact"))
    return Fingerprint(found[_EMBEDDER], found[_WORDS]) if _EMBEDDER in found else None


def check(connection: apsw.Connection, path: str, ours: Fingerprint) -> None:
    """Raises `EmbedderMismatch` when another process has changed the index's embedder or words since `open`."""
    found = stored(connection)
    if found is not None and found != ours:
        raise mismatch(path, found, ours)


def claim(connection: apsw.Connection, path: str, ours: Fingerprint) -> None:
    """Write our fingerprint. Raises `EmbedderMismatch` when the file holds vectors of another embedder.

    Where an older version cut the words in another way, the words of all memories are cut again.
    """
    found = stored(connection)
    if found is not None and found.embedder != ours.embedder and _any_memory(connection):
        raise mismatch(path, found, ours)
    if found is not None and found.words != ours.words:
        for (name,) in select(connection, "SELECT name FROM store_container"):
            rebuild(connection, name)
    write(connection, ours)


def write(connection: apsw.Connection, ours: Fingerprint) -> None:
    """Write our fingerprint over any other."""
    connection.executemany(
        "INSERT INTO store_fact VALUES (?, ?) ON CONFLICT (name) DO UPDATE SET value = excluded.value",
        [(_EMBEDDER, ours.embedder), (_WORDS, ours.words)],
    )


def mismatch(path: str, found: Fingerprint, ours: Fingerprint) -> EmbedderMismatch:
    """The error for a file whose vectors, or words, are not this store's."""
    return EmbedderMismatch(
        f"the vectors in {path!r} were made by {_described(found)}, but this store was opened with "
        f"{_described(ours)}. Open it with the first, or make all vectors again with the second: `earwitness reembed`."
    )


def _any_memory(connection: apsw.Connection) -> bool:
    return bool(connection.execute("SELECT EXISTS (SELECT 1 FROM store_memory)").get)


def _described(made: Fingerprint) -> str:
    identity = EmbedderIdentity.model_validate_json(made.embedder)
    if identity == NoEmbedder.identity:
        return f"the embedder 'none' (no vectors, words {made.words})"
    numbers = f"{identity.dimension} dimensions, digest {identity.digest}, words {made.words}"
    return f"the embedder {identity.name!r} ({numbers})"
