"""With what the index was made: vectors of two embedders, or words cut in two ways, must never meet in one file."""

from __future__ import annotations

from typing import NamedTuple

import apsw

from earwitness.errors import EmbedderMismatch
from earwitness.protocols import EmbedderIdentity
from earwitness.words import VERSION

from .schema import select
from .segments import rebuild

_EMBEDDER = "embedder"
_WORDS = "words"


class Making(NamedTuple):
    """With what an index was made."""

    embedder: str
    """`EmbedderIdentity` as JSON."""
    words: str
    """`earwitness.words.VERSION`."""


def making(identity: EmbedderIdentity) -> Making:
    """What this embedder would make here and now."""
    return Making(identity.model_dump_json(), str(VERSION))


def made_with(connection: apsw.Connection) -> Making | None:
    """What the file's index was made with; `None` when nothing was said yet."""
    found = dict(connection.execute("SELECT name, value FROM store_fact"))
    return Making(found[_EMBEDDER], found[_WORDS]) if _EMBEDDER in found else None


def check(connection: apsw.Connection, path: str, ours: Making) -> None:
    """Refuse to read or write an index that another process has made with something else since it was opened."""
    found = made_with(connection)
    if found is not None and found != ours:
        raise mismatch(path, found, ours)


def claim(connection: apsw.Connection, path: str, ours: Making) -> None:
    """Say with what the index is made. Raises `EmbedderMismatch` when there are vectors of another embedder.

    When words were cut in another way, the words of all memories are cut anew.
    """
    found = made_with(connection)
    if found is not None and found.embedder != ours.embedder and _any_memory(connection):
        raise mismatch(path, found, ours)
    if found is not None and found.words != ours.words:
        for (name,) in select(connection, "SELECT name FROM store_container"):
            rebuild(connection, name)
    write(connection, ours)


def write(connection: apsw.Connection, ours: Making) -> None:
    """Say with what the index is made, whatever was said before."""
    connection.executemany(
        "INSERT INTO store_fact VALUES (?, ?) ON CONFLICT (name) DO UPDATE SET value = excluded.value",
        [(_EMBEDDER, ours.embedder), (_WORDS, ours.words)],
    )


def mismatch(path: str, found: Making, ours: Making) -> EmbedderMismatch:
    """The one message for vectors, or words, that do not belong together."""
    return EmbedderMismatch(
        f"the vectors in {path!r} were made by the embedder {_described(found)}, this store was opened with "
        f"{_described(ours)}. Open it with the first, or make all vectors anew with the second (`store.reembed()`)."
    )


def _any_memory(connection: apsw.Connection) -> bool:
    return bool(connection.execute("SELECT EXISTS (SELECT 1 FROM store_memory)").get)


def _described(made: Making) -> str:
    identity = EmbedderIdentity.model_validate_json(made.embedder)
    return f"{identity.name!r} ({identity.dimension} dimensions, digest {identity.digest}, words {made.words})"
