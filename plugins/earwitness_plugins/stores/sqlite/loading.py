"""From the tables into a snapshot: only what is new since it was last looked at."""

from __future__ import annotations

import json
from collections.abc import Iterable, Sequence

import apsw
import numpy as np

from .columns import Column
from .schema import ContainerRow, rid, select, sequence
from .segments import tail_slots, unpacked
from .snapshot import Block, Postings, Snapshot, TailRow


def refresh(connection: apsw.Connection, snapshot: Snapshot, container: ContainerRow) -> None:
    """Bring a snapshot of this generation to the container's version."""
    if snapshot.version == container.version:
        return
    if not snapshot.size:
        snapshot.reserve(container.live + container.dead)
    _load_segments(connection, snapshot, container)
    _load_tail(connection, snapshot, container)
    _load_gone(connection, snapshot)
    snapshot.version = container.version


def column(connection: apsw.Connection, snapshot: Snapshot, field: str) -> Column:
    """A metadata field of all rows; kept in the snapshot."""
    found = snapshot.columns.get(field)
    if found is not None:
        return found
    made = Column()
    stored = "SELECT segment, data FROM store_field WHERE container = ? AND field = ?"
    for segment, data in select(connection, stored, (snapshot.number, field)):
        made.put(snapshot.segments[segment], json.loads(data))
    made.put(*snapshot.tail_values(field))
    snapshot.columns[field] = made
    return made


def meet(connection: apsw.Connection, snapshot: Snapshot, terms: Iterable[str]) -> None:
    """Read where these terms stand in the segments, as far as the snapshot does not know it: all terms at once."""
    found: dict[str, list[tuple[int, bytes]]] = {term: [] for term in terms if not snapshot.knows(term)}
    if not found:
        return
    stored = (
        "SELECT term, segment, data FROM store_posting WHERE container = ? AND term IN (SELECT value FROM json_each(?))"
    )
    for term, segment, data in select(connection, stored, (snapshot.number, json.dumps(list(found)))):
        found[term].append((segment, data))
    for term, parts in found.items():
        snapshot.keep_postings(term, _joined(snapshot, parts))


def postings(connection: apsw.Connection, snapshot: Snapshot, term: str) -> Postings:
    """Where a term stands, gone rows included. The part that is in segments is kept in the snapshot."""
    meet(connection, snapshot, (term,))
    folded, tail = snapshot.folded_postings(term), snapshot.tail_postings(term)
    if not tail.rows.size:
        return folded
    return Postings(np.concatenate([folded.rows, tail.rows]), np.concatenate([folded.counts, tail.counts]))


def _joined(snapshot: Snapshot, parts: Sequence[tuple[int, bytes]]) -> Postings:
    """The postings of one term from (segment, pairs of ordinal and count)."""
    parts = sorted(parts)
    pairs = np.frombuffer(b"".join(data for _, data in parts), "<u2")
    begins, rows = snapshot.segment_rows
    begin = np.repeat([begins[segment] for segment, _ in parts], [len(data) // 4 for _, data in parts])
    return Postings(rows[pairs[0::2] + begin.astype(np.int64)], pairs[1::2].astype(np.int64))


def _load_segments(connection: apsw.Connection, snapshot: Snapshot, container: ContainerRow) -> None:
    """Learn of new segments; take in those of their slots that were not met in the tail."""
    reach = (rid(snapshot.number, snapshot.last_segment) + 1, container.range[1])
    known = len(snapshot.segments)
    stored = "SELECT rid, slots FROM store_segment WHERE rid BETWEEN ? AND ? ORDER BY rid"
    for key, packed in select(connection, stored, reach):
        slots = unpacked(packed)
        seen = int(np.searchsorted(slots, snapshot.last_slot, "right"))
        if seen < len(slots):
            _take_in(connection, snapshot, key, seen)
        snapshot.segments[sequence(key)] = snapshot.rows_of(slots)
    if len(snapshot.segments) > known:
        snapshot.folded_up_to(container.folded)


def _take_in(connection: apsw.Connection, snapshot: Snapshot, key: int, seen: int) -> None:
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
    rows = snapshot.append(block)
    stored = "SELECT data FROM store_field WHERE container = ? AND field = ? AND segment = ?"
    for field, column in snapshot.columns.items():
        for (data,) in select(connection, stored, (snapshot.number, field, sequence(key))):
            column.put(rows, json.loads(data)[seen:])


def _load_tail(connection: apsw.Connection, snapshot: Snapshot, container: ContainerRow) -> None:
    reach = (rid(snapshot.number, snapshot.last_slot) + 1, container.range[1])
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
    snapshot.append_tail(block, [TailRow(slot.words, slot.metadata) for slot in slots])


def _load_gone(connection: apsw.Connection, snapshot: Snapshot) -> None:
    stored = "SELECT slot FROM store_gone WHERE container = ? AND version > ?"
    gone = select(connection, stored, (snapshot.number, snapshot.version))
    if gone:
        snapshot.leave_behind(np.array([slot for (slot,) in gone], np.int64))
