"""The store's tables, as the migrations that made them. Add them at the end; never change one that was released.

`containers` says how keys are made. New slots are rows of the *tail*; when it holds 512 of them, they are folded into
one *segment* and its postings.
"""

from __future__ import annotations

from earwitness_plugins.sqlite import Migration

from .sharing_migration import shared_texts

COMPONENT = "store"

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

_SHARED_VECTORS = """
-- The vectors of a segment that branches share; `store_segment.vectors` is then their number, an integer.
CREATE TABLE store_vectors (number INTEGER PRIMARY KEY, data BLOB NOT NULL, uses INTEGER NOT NULL);
CREATE TRIGGER store_segment_deleted AFTER DELETE ON store_segment WHEN typeof(OLD.vectors) = 'integer' BEGIN
    UPDATE store_vectors SET uses = uses - 1 WHERE number = OLD.vectors;
    DELETE FROM store_vectors WHERE number = OLD.vectors AND uses = 0;
END;
CREATE TRIGGER store_segment_replaced AFTER UPDATE OF vectors ON store_segment WHEN typeof(OLD.vectors) = 'integer'
BEGIN
    UPDATE store_vectors SET uses = uses - 1 WHERE number = OLD.vectors;
    DELETE FROM store_vectors WHERE number = OLD.vectors AND uses = 0;
END;
"""

_LAYERS = """
-- What a container reads of the rows of others, and of its own: segments that begin, and memories that were written,
-- above one slot and up to another.
CREATE TABLE store_layer (
    container INTEGER NOT NULL, layer INTEGER NOT NULL, above INTEGER NOT NULL, up_to INTEGER NOT NULL,
    PRIMARY KEY (container, layer)
) WITHOUT ROWID;
CREATE INDEX store_layer_by_layer ON store_layer (layer);
CREATE INDEX store_gone_by_slot ON store_gone (container, slot);

-- Bits: 1 = it reads rows of other containers, 2 = others may read its rows.
ALTER TABLE store_container ADD COLUMN layered INTEGER NOT NULL DEFAULT 0;
"""

_PLACES = """
-- Where memories stood that were removed: a branch from before that has them again, in their place.
CREATE TABLE store_place (
    container INTEGER NOT NULL, id TEXT NOT NULL, position INTEGER NOT NULL, PRIMARY KEY (container, id)
) WITHOUT ROWID;
"""

MIGRATIONS: tuple[Migration, ...] = (_TABLES, shared_texts, _SHARED_VECTORS, _LAYERS, _PLACES)
