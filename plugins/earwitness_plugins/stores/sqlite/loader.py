"""Loading a container's index from the tables: only what is new since it was last used."""

from __future__ import annotations

import json
from collections.abc import Iterable, Sequence
from typing import Any

import apsw
import numpy as np

from earwitness_plugins.ranking.columns import Column
from earwitness_plugins.sqlite.blobs import inflated

from .container_index import Block, ContainerIndex, Postings, TailRow
from .containers import ContainerRow, rid, select, sequence
from .layers import segment_keys
from .segments import VECTORS, tail_slots, unpacked
from .shared import read_lists


def refresh(connection: apsw.Connection, index: ContainerIndex, container: ContainerRow) -> None:
    """Bring a index of this generation to the container's version."""
    if index.version == container.version:
        return
    if not index.size:
        index.reserve(container.live + container.dead)
    _load_segments(connection, index, container)
    _load_tail(connection, index, container)
    _load_gone(connection, index)
    index.version, index.slots_known = container.version, container.slots


def column(connection: apsw.Connection, index: ContainerIndex, field: str) -> Column:
    """A metadata field of all rows; kept in the index."""
    found = index.columns.get(field)
    if found is not None:
        return found
    made = Column()
    stored = f"SELECT segment, data FROM {_source(index, 'store_field')} AND field = ?2"  # noqa: S608 - our own words
    for segment, data in select(connection, stored, (index.number, field)):
        made.put(index.segments[segment], _field(connection, field, data))
    tail = metadata(connection, index.tail.values())
    made.put(np.array(list(index.tail), np.int64), [its_own.get(field) for its_own in tail])
    index.columns[field] = made
    return made


def metadata(connection: apsw.Connection, rows: Iterable[TailRow]) -> list[dict[str, Any]]:
    """The metadata of rows of the tail, parsed at once. Rows that share a long list get the same object."""
    rows = list(rows)
    found: list[dict[str, Any]] = json.loads(f"[{','.join(row.metadata for row in rows)}]")
    lists = read_lists(connection, (row.lists for row in rows))
    for its_own, row in zip(found, rows, strict=True):
        its_own.update(lists.get(row.lists or 0, {}))
    return found


def _field(connection: apsw.Connection, field: str, data: str | bytes) -> list[Any]:
    """The values of a field in one segment. Earlier versions did not deflate them."""
    values: list[Any] = json.loads(data if isinstance(data, str) else inflated(data))
    lists = read_lists(connection, (value["list"] for value in values if isinstance(value, dict)))
    return [lists.get(each["list"], {}).get(field) if isinstance(each, dict) else each for each in values]


def load_postings(connection: apsw.Connection, index: ContainerIndex, terms: Iterable[str]) -> None:
    """Load the postings of these terms that the index does not have yet, all at once."""
    found: dict[str, list[tuple[int, bytes]]] = {term: [] for term in terms if not index.knows(term)}
    if not found or not index.segments:
        return
    stored = (
        f"SELECT term, segment, data FROM {_source(index, 'store_posting')}"  # noqa: S608 - our own words
        " AND term IN (SELECT value FROM json_each(?2))"
    )
    for term, segment, data in select(connection, stored, (index.number, json.dumps(list(found)))):
        found[term].append((segment, data))
    for term, parts in found.items():
        index.keep_postings(term, _joined(index, parts))


def _source(index: ContainerIndex, table: str) -> str:
    """SQL after FROM for what a container reads of a table by segment; `?1` is its number."""
    if not index.reads:
        return f"{table} WHERE container = ?1"
    return (
        f"store_layer AS l CROSS JOIN {table} AS its ON its.container = l.layer AND its.segment <= l.up_to"
        " WHERE l.container = ?1"
    )


def _joined(index: ContainerIndex, parts: Sequence[tuple[int, bytes]]) -> Postings:
    """The postings of one term from (segment, pairs of ordinal and count)."""
    parts = sorted(parts)
    pairs = np.frombuffer(b"".join(data for _, data in parts), "<u2")
    begins, rows = index.segment_rows
    begin = np.repeat([begins[segment] for segment, _ in parts], [len(data) // 4 for _, data in parts])
    return Postings(rows[pairs[0::2] + begin.astype(np.int64)], pairs[1::2].astype(np.int64))


def _load_segments(connection: apsw.Connection, index: ContainerIndex, container: ContainerRow) -> None:
    """Load new segments, and those of their slots that were not in the tail before."""
    known = len(index.segments)
    for key in segment_keys(connection, container, index.last_segment):
        slots = unpacked(select(connection, "SELECT slots FROM store_segment WHERE rid = ?", (key,))[0][0])
        seen = int(np.searchsorted(slots, index.last_slot, "right"))
        if seen < len(slots):
            _take_in(connection, index, key, seen)
        index.segments[sequence(key)] = index.rows_of(slots)
    if len(index.segments) > known:
        index.folded_up_to(container.folded)


def _take_in(connection: apsw.Connection, index: ContainerIndex, key: int, seen: int) -> None:
    stored = f"SELECT slots, positions, lengths, ids, {VECTORS} FROM store_segment WHERE rid = ?"  # noqa: S608
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
        for (data,) in select(connection, stored, (key >> 32, field, sequence(key))):
            column.put(rows, _field(connection, field, data)[seen:])


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
    rows = [TailRow(slot.words, slot.metadata, slot.lists) for slot in slots]
    new = index.append_tail(block, rows)
    its_metadata = metadata(connection, rows) if index.columns else []
    for field, its_column in index.columns.items():
        its_column.put(new, [its_own.get(field) for its_own in its_metadata])


def _load_gone(connection: apsw.Connection, index: ContainerIndex) -> None:
    stored = "SELECT slot FROM store_gone WHERE container = ? AND version > ?"
    gone = select(connection, stored, (index.number, index.version))
    if gone:
        index.mark_deleted(np.array([slot for (slot,) in gone], np.int64))
