"""What the index was made with: vectors of two embedders, or words cut in two ways, must never be in one file."""

from __future__ import annotations

import apsw

from earwitness_plugins.embedders.fingerprint import Fingerprint, mismatch

from .containers import select
from .segments import rebuild

_EMBEDDER = "embedder"
_WORDS = "words"


def stored(connection: apsw.Connection) -> Fingerprint | None:
    """The fingerprint of the file's index; `None` for a new file."""
    found = dict(connection.execute("SELECT name, value FROM store_fact"))
    return Fingerprint(found[_EMBEDDER], found[_WORDS]) if _EMBEDDER in found else None


def check(connection: apsw.Connection, path: str, ours: Fingerprint) -> None:
    """Raises `EmbedderMismatch` when another process has changed the index's embedder or words since `open`."""
    found = stored(connection)
    if found is not None and found != ours:
        raise mismatch(path, str(found), str(ours))


def claim(connection: apsw.Connection, path: str, ours: Fingerprint) -> None:
    """Write our fingerprint. Raises `EmbedderMismatch` when the file holds vectors of another embedder.

    Where an older version cut the words in another way, the words of all memories are cut again.
    """
    found = stored(connection)
    if found is not None and found.embedder != ours.embedder and _any_memory(connection):
        raise mismatch(path, str(found), str(ours))
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


def _any_memory(connection: apsw.Connection) -> bool:
    return bool(connection.execute("SELECT EXISTS (SELECT 1 FROM store_memory)").get)
