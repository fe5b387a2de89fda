"""What copies of one memory share, stored once: texts with their metadata, long lists, and words with their vectors.

Triggers delete a row when no other row names it any more.
"""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterable, Mapping
from functools import lru_cache
from hashlib import blake2b
from typing import NamedTuple, TypeVar

import apsw

from earwitness.copies.long_lists import Lists, lists_in
from earwitness_plugins.sqlite.blobs import deflated, inflated

from .containers import select

T = TypeVar("T")


class Text(NamedTuple):
    """A row of `store_text`."""

    content: str
    """The memory's content."""
    metadata: str
    """Its metadata as JSON, with empty lists in place of long ones."""
    lists: str | None
    """Those by key, as JSON."""


class Words(NamedTuple):
    """A row of `store_words`."""

    words: str
    """Terms with spaces between them."""
    vector: bytes
    """In float16, little-endian."""


def insert_texts(connection: apsw.Connection, texts: Iterable[Text]) -> dict[Text, int]:
    """Write each text once, with how often it comes as its uses; returns their numbers."""
    uses = Counter(texts)
    lists = insert_lists(connection, Counter(text.lists for text in uses if text.lists is not None))
    numbers = _numbers(connection, "store_text", uses)
    connection.executemany(
        "INSERT INTO store_text (number, content, metadata, lists, uses) VALUES (?, ?, ?, ?, ?)",
        [
            (numbers[text], text.content, text.metadata, lists[text.lists] if text.lists else None, count)
            for text, count in uses.items()
        ],
    )
    return numbers


def insert_words(connection: apsw.Connection, words: Iterable[Words]) -> dict[Words, int]:
    """Write each once, with how often it comes as its uses; returns their numbers."""
    uses = Counter(words)
    numbers = _numbers(connection, "store_words", uses)
    connection.executemany(
        "INSERT INTO store_words (number, words, vector, uses) VALUES (?, ?, ?, ?)",
        [(numbers[each], *each, count) for each, count in uses.items()],
    )
    return numbers


def insert_lists(connection: apsw.Connection, uses: Mapping[str, int]) -> dict[str, int]:
    """Count the uses of long lists, and write those that are new; returns their numbers."""
    return {text: _insert_list(connection, text, count) for text, count in uses.items()}


def read_lists(connection: apsw.Connection, numbers: Iterable[int | None]) -> dict[int, Lists]:
    """The long lists of these numbers, each read once. `None`, and numbers that are gone, are left out."""
    wanted = [number for number in set(numbers) if number is not None]
    if not wanted:
        return {}
    stored = "SELECT number, data FROM store_list WHERE number IN (SELECT value FROM json_each(?))"
    return {number: lists_in(inflated(data)) for number, data in select(connection, stored, (json.dumps(wanted),))}


@lru_cache(maxsize=4)
def digest(lists: str) -> bytes:
    """By which long lists are told apart: 16 bytes of BLAKE2 (RFC 7693)."""
    return blake2b(lists.encode(), digest_size=16).digest()


def _insert_list(connection: apsw.Connection, text: str, uses: int) -> int:
    key = digest(text)
    found = connection.execute(
        "UPDATE store_list SET uses = uses + ? WHERE digest = ? RETURNING number", (uses, key)
    ).get
    if found is None:
        connection.execute("INSERT INTO store_list (digest, data, uses) VALUES (?, ?, ?)", (key, deflated(text), uses))
        return connection.last_insert_rowid()
    return int(found)


def _numbers(connection: apsw.Connection, table: str, rows: Iterable[T]) -> dict[T, int]:
    """Numbers for new rows of a table."""
    last = connection.execute(f"SELECT coalesce(max(number), 0) FROM {table}").get  # noqa: S608 - our own words
    return {row: number for number, row in enumerate(rows, int(last) + 1)}
