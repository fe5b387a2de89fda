"""From the tables into a index: only what is new since it was last looked at."""

from __future__ import annotations

import json
from collections.abc import Iterable, Sequence

import apsw
import numpy as np

from .columns import Column
from .container_index import Block, ContainerIndex, Postings, TailRow
from .schema import ContainerRow, rid, select, sequence
from .segments import tail_slots, unpacked


def refresh(connection: apsw.Connection, index: ContainerIndex, container: ContainerRow) -> None:
    """Bring a index of this generation to the container's version."""
    if index.version == container.version:
        return
    if not index.size:
        index.reserve(container.live + container.dead)
    _load_segments(connection, index, container)
    _load_tail(connection, index, container)
    _load_gone(connection, index)
    index.version = container.version


def column(connection: apsw.Connection, index: ContainerIndex, field: str) -> Column:
    """A metadata field of all rows; kept in the index."""
    found = index.columns.get(field)
    if found is not None:
        return found
    made = Column()
    stored = "SELECT segment, data FROM store_field WHERE container = ? AND field = ?"
    for segment, data in select(connection, stored, (index.number, field)):
        made.put(index.segments[segment], json.loads(data))
    made.put(*index.tail_values(field))
    index.columns[field] = made
    return made


def load_postings(connection: apsw.Connection, index: ContainerIndex, terms: Iterable[str]) -> None:
    """Read where these terms stand in the segments, as far as the index does not know it: all terms at once."""
    found: dict[str, list[tuple[int, bytes]]] = {term: [] for term in terms if not index.knows(term)}
    if not found:
        return
    stored = (
        "SELECT term, segment, data FROM store_posting WHERE container = ? AND term IN (SELECT value FROM json_each(?))"
    )
    for term, segment, data in select(connection, stored, (index.number, json.dumps(list(found)))):
        found[term].append((segment, data))
    for term, parts in found.items():
        index.keep_postings(term, _joined(index, parts))


def postings(connection: apsw.Connection, index: ContainerIndex, term: str) -> Postings:
    """Where a term stands, gone rows included. The part that is in segments is kept in the index."""
    load_postings(connection, index, (term,))
    folded, tail = index.folded_postings(term), index.tail_postings(term)
    if not tail.rows.size:
        return folded
    return Postings(np.concatenate([folded.rows, tail.rows]), np.concatenate([folded.counts, tail.counts]))


def _joined(index: ContainerIndex, parts: Sequence[tuple[int, bytes]]) -> Postings:
    """The postings of one term from (segment, pairs of ordinal and count)."""
    parts = sorted(parts)
    pairs = np.frombuffer(b"".join(data for _, data in parts), "<u2")
    begins, rows = index.segment_rows
    begin = np.repeat([begins[segment] for segment, _ in parts], [len(data) // 4 for _, data in parts])
    return Postings(rows[pairs[0::2] + begin.astype(np.int64)], pairs[1::2].astype(np.int64))


def _load_segments(connection: apsw.Connection, index: ContainerIndex, container: ContainerRow) -> None:
    """Learn of new segments; take in those of their slots that were not met in the tail."""
    reach = (rid(index.number, index.last_segment) + 1, container.range[1])
    known = len(index.segments)
    stored = "SELECT rid, slots FROM store_segment WHERE rid BETWEEN ? AND ? ORDER BY rid"
    for key, packed in select(connection, stored, reach):
        slots = unpacked(packed)
        seen = int(np.searchsorted(slots, index.last_slot, "right"))
        if seen < len(slots):
            _take_in(connection, index, key, seen)
        index.segments[sequence(key)] = index.rows_of(slots)
    if len(index.segments) > known:
        index.folded_up_to(container.folded)


def _take_in(connection: apsw.Connection, index: ContainerIndex, key: int, seen: int) -> None:
    stored = "SELECT slots, positions, lengths, ids, vectors FROM store_segment WHERE rid = ?"
    slots, positions, lengths, ids, vectors = select(connection, stored, (key,))[0]
    names = json.loads(ids)
    block = Block(
        slots=unpacked(slots)[seen:],
        positions=unpacked(positions)[seen:],
        lengths=unpacked(lengths)[seen:],
        ids=names[seen:],
        vectors=np.frombuffer(vectors, "<f2").reshape(len(names), -1)[seen:],
    )
    rows = index.append(block)
    stored = "SELECT data FROM store_field WHERE container = ? AND field = ? AND segment = ?"
    for field, column in index.columns.items():
        for (data,) in select(connection, stored, (index.number, field, sequence(key))):
            column.put(rows, json.loads(data)[seen:])


def _load_tail(connection: apsw.Connection, index: ContainerIndex, container: ContainerRow) -> None:
    reach = (rid(index.number, index.last_slot) + 1, container.range[1])
    slots = tail_slots(connection, reach)
    if not slots:
        return
    block = Block(
        slots=np.array([slot.slot for slot in slots], np.int64),
        positions=np.array([slot.position for slot in slots], np.int64),
        lengths=np.array([len(slot.words.split()) for slot in slots], np.int64),
        ids=[slot.id for slot in slots],
        vectors=np.frombuffer(b"".join(slot.vector for slot in slots), "<f2").reshape(len(slots), -1),
    )
    index.append_tail(block, [TailRow(slot.words, slot.metadata) for slot in slots])


def _load_gone(connection: apsw.Connection, index: ContainerIndex) -> None:
    stored = "SELECT slot FROM store_gone WHERE container = ? AND version > ?"
    gone = select(connection, stored, (index.number, index.version))
    if gone:
        index.mark_deleted(np.array([slot for (slot,) in gone], np.int64))
