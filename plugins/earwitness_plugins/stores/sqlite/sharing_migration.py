"""The second migration: what copies of one memory have in common is stored once.

Before it, every row of `store_memory` held its own content and metadata, and every row of `store_tail` its own words
and vector.
"""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from hashlib import blake2b
from typing import Any, TypeVar

import apsw

from earwitness.copies.long_lists import LONG, ListTexts

from .containers import select
from .shared import Text, Words, insert_texts, insert_words

T = TypeVar("T")

_BEFORE = """
-- What copies of one memory share: the content, and the metadata as JSON with empty lists in place of long ones.
-- `uses` counts the rows of store_memory that name it.
CREATE TABLE store_text (
    number INTEGER PRIMARY KEY, content TEXT NOT NULL, metadata TEXT NOT NULL, lists INTEGER, uses INTEGER NOT NULL
);

-- The long lists of a metadata by key, as deflated JSON. `uses` counts the rows of store_text that name it.
CREATE TABLE store_list (
    number INTEGER PRIMARY KEY, digest BLOB NOT NULL UNIQUE, data BLOB NOT NULL, uses INTEGER NOT NULL
);

-- What the tail finds a memory by: terms with spaces between them, and a vector in float16, little-endian.
-- `uses` counts the rows of store_tail that name it.
CREATE TABLE store_words (
    number INTEGER PRIMARY KEY, words TEXT NOT NULL, vector BLOB NOT NULL, uses INTEGER NOT NULL
);

ALTER TABLE store_memory RENAME TO old_memory;
DROP INDEX store_memory_by_id;
ALTER TABLE store_tail RENAME TO old_tail;
DROP TABLE store_reembedded;

-- rid = container << 32 | position
CREATE TABLE store_memory (
    rid INTEGER PRIMARY KEY, id TEXT NOT NULL, slot INTEGER NOT NULL, text INTEGER NOT NULL
);

-- rid = container << 32 | slot
CREATE TABLE store_tail (rid INTEGER PRIMARY KEY, position INTEGER NOT NULL, words INTEGER NOT NULL);

-- Vectors of another embedder that wait until every text has one; `text` as in store_memory.
CREATE TABLE store_reembedded (text INTEGER PRIMARY KEY, vector BLOB NOT NULL);

CREATE TEMP TABLE seen (digest BLOB PRIMARY KEY, number INTEGER NOT NULL) WITHOUT ROWID;
"""
_AFTER = """
DROP TABLE temp.seen;
DROP TABLE old_memory;
DROP TABLE old_tail;
CREATE UNIQUE INDEX store_memory_by_id ON store_memory (rid >> 32, id);

CREATE TRIGGER store_memory_deleted AFTER DELETE ON store_memory BEGIN
    UPDATE store_text SET uses = uses - 1 WHERE number = OLD.text;
    DELETE FROM store_text WHERE number = OLD.text AND uses = 0;
END;
CREATE TRIGGER store_memory_replaced AFTER UPDATE OF text ON store_memory BEGIN
    UPDATE store_text SET uses = uses - 1 WHERE number = OLD.text;
    DELETE FROM store_text WHERE number = OLD.text AND uses = 0;
END;
CREATE TRIGGER store_text_deleted AFTER DELETE ON store_text BEGIN
    DELETE FROM store_reembedded WHERE text = OLD.number;
    UPDATE store_list SET uses = uses - 1 WHERE number = OLD.lists;
    DELETE FROM store_list WHERE number = OLD.lists AND uses = 0;
END;
CREATE TRIGGER store_tail_deleted AFTER DELETE ON store_tail BEGIN
    UPDATE store_words SET uses = uses - 1 WHERE number = OLD.words;
    DELETE FROM store_words WHERE number = OLD.words AND uses = 0;
END;
"""
_BATCH = 500


def shared_texts(connection: apsw.Connection) -> bool:
    """Move all memories and tails over. Answers whether there were any."""
    connection.execute(_BEFORE)
    for batch in _batches(connection, "SELECT rid, id, slot, content, metadata FROM old_memory"):
        numbers = _counted(connection, "store_text", [_text(*row[3:]) for row in batch], insert_texts)
        connection.executemany("INSERT INTO store_memory VALUES (?, ?, ?, ?)", _rows(batch, 3, numbers))
    connection.execute("DELETE FROM temp.seen")
    for batch in _batches(connection, "SELECT rid, position, words, vector FROM old_tail"):
        numbers = _counted(connection, "store_words", [Words(*row[2:]) for row in batch], insert_words)
        connection.executemany("INSERT INTO store_tail VALUES (?, ?, ?)", _rows(batch, 2, numbers))
    connection.execute(_AFTER)
    return bool(connection.execute("SELECT EXISTS (SELECT 1 FROM store_memory)").get)


def _batches(connection: apsw.Connection, query: str) -> Iterator[list[tuple[Any, ...]]]:
    after = -1
    while batch := select(connection, f"{query} WHERE rid > ? ORDER BY rid LIMIT {_BATCH}", (after,)):
        yield batch
        after = batch[-1][0]


def _text(content: str, metadata: str) -> Text:
    if metadata.count(",") < LONG:
        return Text(content, metadata, None)
    short, lists = ListTexts().taken(json.loads(metadata))
    return Text(content, json.dumps(short, ensure_ascii=False, separators=(",", ":")), lists)


def _rows(batch: Sequence[tuple[Any, ...]], kept: int, numbers: Iterable[int]) -> list[tuple[Any, ...]]:
    """Rows with the first columns of the old ones, and what they share."""
    return [(*row[:kept], number) for row, number in zip(batch, numbers, strict=True)]


def _counted(
    connection: apsw.Connection,
    table: str,
    shared: Sequence[T],
    insert: Callable[[apsw.Connection, list[T]], dict[T, int]],
) -> list[int]:
    """The number of each: of one that was seen before, counted once more, or a new one."""
    keys = [blake2b(repr(each).encode(), digest_size=16).digest() for each in shared]
    seen = {key: connection.execute("SELECT number FROM temp.seen WHERE digest = ?", (key,)).get for key in keys}
    again = Counter(int(seen[key]) for key in keys if seen[key] is not None)
    connection.executemany(
        f"UPDATE {table} SET uses = uses + ? WHERE number = ?",  # noqa: S608 - our own words
        [(count, number) for number, count in again.items()],
    )
    new = insert(connection, [each for each, key in zip(shared, keys, strict=True) if seen[key] is None])
    found = {key: int(seen[key] or new[each]) for each, key in zip(shared, keys, strict=True)}
    connection.executemany("INSERT OR IGNORE INTO temp.seen VALUES (?, ?)", list(found.items()))
    return [found[key] for key in keys]
