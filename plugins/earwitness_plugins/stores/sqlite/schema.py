"""The store's tables, and how their keys are made.

A container is a number, and everything it holds lies in one contiguous range of keys: `container << 32 | sequence`.
A memory has a *position*, given when it is first written and kept when it is replaced, and a *slot*, new with every
writing: the index over slots is only ever added to, and a replaced or removed memory leaves its slot behind as *gone*.
New slots are rows of the *tail*; when it holds 512, these are folded into one *segment* and its postings.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import apsw

COMPONENT = "store"
FOLD = 512
"""How many rows of the tail become one segment; ordinals in a segment fit 16 bits."""

_TABLES = """
-- With which embedder and which version of `earwitness.words` the index was made.
CREATE TABLE store_fact (name TEXT PRIMARY KEY, value TEXT NOT NULL) WITHOUT ROWID;

-- `number` is never used twice. `version` counts changes, `generation` how often the index was made anew, `slots` how
-- many were given, `folded` is the last slot in a segment, and `tail`, `live` and `dead` count rows in store_tail,
-- memories and rows in store_gone.
CREATE TABLE store_container (
    number INTEGER PRIMARY KEY AUTOINCREMENT,
    name TEXT NOT NULL UNIQUE,
    version INTEGER NOT NULL DEFAULT 0,
    generation INTEGER NOT NULL DEFAULT 0,
    slots INTEGER NOT NULL DEFAULT 0,
    folded INTEGER NOT NULL DEFAULT 0,
    tail INTEGER NOT NULL DEFAULT 0,
    live INTEGER NOT NULL DEFAULT 0,
    dead INTEGER NOT NULL DEFAULT 0
);

-- rid = container << 32 | position
CREATE TABLE store_memory (
    rid INTEGER PRIMARY KEY, id TEXT NOT NULL, slot INTEGER NOT NULL, content TEXT NOT NULL, metadata TEXT NOT NULL
);
CREATE UNIQUE INDEX store_memory_by_id ON store_memory (rid >> 32, id);

-- rid = container << 32 | slot; words are terms with spaces between them, vectors are float16, little-endian.
CREATE TABLE store_tail (
    rid INTEGER PRIMARY KEY, position INTEGER NOT NULL, words TEXT NOT NULL, vector BLOB NOT NULL
);

-- Which slots were left behind by which version.
CREATE TABLE store_gone (
    container INTEGER, version INTEGER, slot INTEGER, PRIMARY KEY (container, version, slot)
) WITHOUT ROWID;

-- rid = container << 32 | its first slot. Columns of up to 512 slots: uint32, uint32, uint32, JSON, float16.
CREATE TABLE store_segment (
    rid INTEGER PRIMARY KEY, slots BLOB NOT NULL, positions BLOB NOT NULL, lengths BLOB NOT NULL, ids TEXT NOT NULL,
    vectors BLOB NOT NULL
);

-- The metadata of a segment by field: a JSON list, null where there is none.
CREATE TABLE store_field (
    container INTEGER, field TEXT, segment INTEGER, data TEXT NOT NULL, PRIMARY KEY (container, field, segment)
) WITHOUT ROWID;

-- Where a term stands in a segment: pairs of uint16, ordinal and count.
CREATE TABLE store_posting (
    container INTEGER, term TEXT, segment INTEGER, data BLOB NOT NULL, PRIMARY KEY (container, term, segment)
) WITHOUT ROWID;

-- Vectors of another embedder that wait until there is one for every memory; rid as in store_memory.
CREATE TABLE store_reembedded (rid INTEGER PRIMARY KEY, slot INTEGER NOT NULL, vector BLOB NOT NULL);
"""

MIGRATIONS = (_TABLES,)


class ContainerRow(NamedTuple):
    """A row of `store_container`, but for its name."""

    number: int
    version: int
    generation: int
    slots: int
    folded: int
    tail: int
    live: int
    dead: int

    @property
    def range(self) -> tuple[int, int]:
        """The first and the last rid it can have."""
        return rid(self.number, 0), rid(self.number + 1, 0) - 1


def rid(container: int, sequence: int) -> int:
    """The key of what this container holds at this position or slot."""
    return container << 32 | sequence


def sequence(rid: int) -> int:
    """The position or slot in a key."""
    return rid & 0xFFFFFFFF


def select(connection: apsw.Connection, sql: str, bindings: tuple[Any, ...] = ()) -> list[tuple[Any, ...]]:
    """All rows of a query, of the types that the tables above say."""
    return connection.execute(sql, bindings).fetchall()


def find_container(connection: apsw.Connection, name: str) -> ContainerRow | None:
    """The container of this name, if anything was ever written to it."""
    found = select(
        connection,
        "SELECT number, version, generation, slots, folded, tail, live, dead FROM store_container WHERE name = ?",
        (name,),
    )
    return ContainerRow(*found[0]) if found else None


def all_containers(connection: apsw.Connection) -> list[ContainerRow]:
    """Every container, oldest first."""
    rows = select(
        connection,
        "SELECT number, version, generation, slots, folded, tail, live, dead FROM store_container ORDER BY number",
    )
    return [ContainerRow(*row) for row in rows]
