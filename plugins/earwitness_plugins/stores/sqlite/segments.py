"""Segments: folding the tail into them, and rebuilding a container's index."""

from __future__ import annotations

import json
import sys
from array import array
from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping, Sequence
from typing import NamedTuple

import apsw
import numpy as np

from earwitness.words import plain, terms
from earwitness_plugins.ranking import Integers
from earwitness_plugins.sqlite.blobs import deflated

from . import layers
from .containers import ContainerRow, find_container, rid, select, sequence
from .shared import Words, insert_words, read_lists

FOLD = 512
"""How many rows of the tail become one segment; ordinals in a segment fit 16 bits."""
_MOST_REPEATS = 0xFFFF
VECTORS = (
    "CASE typeof(vectors) WHEN 'integer' THEN (SELECT data FROM store_vectors WHERE number = vectors) ELSE vectors END"
)
"""The vectors of a segment, wherever they are kept."""


class Slot(NamedTuple):
    """What the index holds of one memory as it was written."""

    slot: int
    position: int
    id: str
    words: str
    vector: bytes
    metadata: str
    """As JSON, with empty lists in place of long ones."""
    lists: int | None
    """The number of those."""


def indexed_words(text: str) -> str:
    """What the tail keeps for finding a memory: the terms of its `plain` text with spaces between them."""
    return " ".join(terms(text))


def fold(connection: apsw.Connection, container: ContainerRow) -> ContainerRow:
    """Move the first 512 rows of the tail into a segment."""
    slots = tail_slots(connection, container.range, limit=FOLD)
    write_segment(connection, container.number, slots)
    folded = slots[-1].slot
    reach = (container.range[0], rid(container.number, folded))
    connection.execute("DELETE FROM store_tail WHERE rid BETWEEN ? AND ?", reach)
    connection.execute(
        "UPDATE store_container SET folded = ?, tail = tail - ? WHERE number = ?",
        (folded, len(slots), container.number),
    )
    return container._replace(folded=folded, tail=container.tail - len(slots))


def write_segment(connection: apsw.Connection, container: int, slots: Sequence[Slot]) -> None:
    """Write at most 512 slots, in ascending order, as one segment with its fields and postings."""
    if not slots:
        return
    first = slots[0].slot
    tallies = [Counter(slot.words.split()) for slot in slots]
    connection.execute(
        "INSERT INTO store_segment VALUES (?, ?, ?, ?, ?, ?)",
        (
            rid(container, first),
            _packed(slot.slot for slot in slots),
            _packed(slot.position for slot in slots),
            _packed(tally.total() for tally in tallies),
            json.dumps([slot.id for slot in slots]),
            b"".join(slot.vector for slot in slots),
        ),
    )
    _write_fields(connection, container, first, _metadata(connection, slots))
    _write_postings(connection, container, first, tallies)


def rebuild(connection: apsw.Connection, name: str) -> None:
    """Make a container's index again from its memories and vectors. Deleted rows vanish, and words are cut again."""
    container = find_container(connection, name)
    if container is None:
        return
    for reader in layers.readers(connection, container.number) if container.is_read else ():
        rebuild(connection, reader)  # it gets rows of its own
    vectors = _vectors_by_slot(connection, container)
    if container.reads:
        layers.materialise(connection, container)
        layers.part(connection, container.number)
    slots = _live_slots(connection, container, vectors)
    clear_index(connection, container)
    whole = len(slots) // FOLD * FOLD
    for start in range(0, whole, FOLD):
        write_segment(connection, container.number, slots[start : start + FOLD])
    _write_tail(connection, container.number, slots[whole:])
    connection.execute(
        "UPDATE store_container SET version = version + 1, generation = generation + 1, folded = ?, tail = ?, dead = 0 "
        "WHERE number = ?",
        (slots[whole - 1].slot if whole else 0, len(slots) - whole, container.number),
    )


def _write_tail(connection: apsw.Connection, container: int, slots: Sequence[Slot]) -> None:
    """What is in no segment yet."""
    words = insert_words(connection, (Words(slot.words, slot.vector) for slot in slots))
    connection.executemany(
        "INSERT INTO store_tail (rid, position, words) VALUES (?, ?, ?)",
        [(rid(container, slot.slot), slot.position, words[Words(slot.words, slot.vector)]) for slot in slots],
    )


def tail_slots(connection: apsw.Connection, reach: tuple[int, int], *, limit: int = -1) -> list[Slot]:
    """What the tail holds from one rid to another, in the order of slots."""
    rows = select(
        connection,
        "SELECT tail.rid, tail.position, memory.id, words.words, words.vector, text.metadata, text.lists"
        " FROM store_tail AS tail"
        " CROSS JOIN store_memory AS memory ON memory.rid = (tail.rid >> 32 << 32) | tail.position"
        " CROSS JOIN store_words AS words ON words.number = tail.words"
        " CROSS JOIN store_text AS text ON text.number = memory.text"
        " WHERE tail.rid BETWEEN ? AND ? ORDER BY tail.rid LIMIT ?",
        (*reach, limit),
    )
    return [Slot(sequence(row[0]), *row[1:]) for row in rows]


def clear_index(connection: apsw.Connection, container: ContainerRow) -> None:
    """Remove everything of a container but its memories."""
    connection.execute("DELETE FROM store_tail WHERE rid BETWEEN ? AND ?", container.range)
    connection.execute("DELETE FROM store_segment WHERE rid BETWEEN ? AND ?", container.range)
    connection.execute("DELETE FROM store_field WHERE container = ?", (container.number,))
    connection.execute("DELETE FROM store_posting WHERE container = ?", (container.number,))
    connection.execute("DELETE FROM store_gone WHERE container = ?", (container.number,))


def _metadata(connection: apsw.Connection, slots: Sequence[Slot]) -> list[dict[str, object]]:
    """The metadata of slots; a long list is named by its number, as in `{"list": 7}`."""
    rows: list[dict[str, object]] = json.loads(f"[{','.join(slot.metadata for slot in slots)}]")
    fields = {number: list(lists) for number, lists in read_lists(connection, (slot.lists for slot in slots)).items()}
    for row, slot in zip(rows, slots, strict=True):
        row.update({field: {"list": slot.lists} for field in fields.get(slot.lists or 0, ())})
    return rows


def _write_fields(connection: apsw.Connection, container: int, first: int, rows: Sequence[dict[str, object]]) -> None:
    fields = sorted({field for row in rows for field in row})
    connection.executemany(
        "INSERT INTO store_field VALUES (?, ?, ?, ?)",
        [(container, field, first, deflated(json.dumps([row.get(field) for row in rows]))) for field in fields],
    )


def _write_postings(connection: apsw.Connection, container: int, first: int, tallies: Sequence[Counter[str]]) -> None:
    postings: dict[str, list[int]] = defaultdict(list)
    for ordinal, tally in enumerate(tallies):
        for term, count in tally.items():
            postings[term] += (ordinal, min(count, _MOST_REPEATS))
    connection.executemany(
        "INSERT INTO store_posting VALUES (?, ?, ?, ?)",
        [(container, term, first, _packed_pairs(postings[term])) for term in sorted(postings)],
    )


def _live_slots(connection: apsw.Connection, container: ContainerRow, vectors: Mapping[int, bytes]) -> list[Slot]:
    rows = select(
        connection,
        "SELECT slot, rid, id, content, metadata, lists FROM store_memory CROSS JOIN store_text ON number = text"
        " WHERE rid BETWEEN ? AND ? ORDER BY slot",
        container.range,
    )
    return [
        Slot(slot, sequence(key), id, indexed_words(plain(content)), vectors[slot], metadata, lists)
        for slot, key, id, content, metadata, lists in rows
    ]


def _vectors_by_slot(connection: apsw.Connection, container: ContainerRow) -> dict[int, bytes]:
    found: dict[int, bytes] = {}
    segment = f"SELECT slots, {VECTORS} FROM store_segment WHERE rid = ?"  # noqa: S608 - our own words
    for key in layers.segment_keys(connection, container):
        packed, vectors = select(connection, segment, (key,))[0]
        slots = unpacked(packed).tolist()
        width = len(vectors) // len(slots)
        found.update((slot, vectors[place * width : (place + 1) * width]) for place, slot in enumerate(slots))
    tail = (
        "SELECT rid, vector FROM store_tail AS tail CROSS JOIN store_words ON number = tail.words"
        " WHERE rid BETWEEN ? AND ?"
    )
    found.update((sequence(key), vector) for key, vector in select(connection, tail, container.range))
    return found


def _packed(numbers: Iterable[int]) -> bytes:
    return np.fromiter(numbers, "<u4").tobytes()


def _packed_pairs(pairs: Sequence[int]) -> bytes:
    packed = array("H", pairs)
    if sys.byteorder == "big":
        packed.byteswap()
    return packed.tobytes()


def unpacked(data: bytes) -> Integers:
    """The numbers in a column of a segment."""
    return np.frombuffer(data, "<u4").astype(np.int64)
