"""The journal: entries get their numbers here."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from functools import lru_cache
from typing import cast

import apsw
from pydantic import TypeAdapter

from earwitness.ids import own_key
from earwitness.records.journal import Body, Entry, Said
from earwitness.records.read_only import sealed

from ...sqlite.blobs import inflated
from . import layers
from .layers import SEQUENCES, SessionView
from .sessions import known, rowid, rowids

_BODY: TypeAdapter[Body] = TypeAdapter(Body)
_INSERT = "INSERT INTO ledger_entries (place, key, body, timestamp, settled, session) VALUES (?, ?, ?, ?, ?, ?)"
_BY_KEY = "SELECT place, key, body, timestamp, settled FROM ledger_entries WHERE session = ? AND key = ?"
_BY_KEY_IN_LAYERS = (
    "SELECT place, key, body, timestamp, settled FROM ledger_layers AS l"
    " CROSS JOIN ledger_entries AS e INDEXED BY ledger_entries_key ON e.session = l.layer"
    " WHERE l.session = ? AND e.key = ? AND place % 4294967296 > l.after AND place % 4294967296 <= l.up_to"
)
_BY_PLACE = "SELECT place, key, body, timestamp, settled FROM ledger_entries WHERE place = ?"
_RANGE = (
    "SELECT place, key, body, timestamp, settled FROM ledger_entries WHERE place BETWEEN ? AND ? ORDER BY place LIMIT ?"
)
_UNSETTLED = (
    "SELECT place, key, body, timestamp, settled FROM ledger_entries INDEXED BY ledger_entries_unsettled"
    " WHERE settled = 0 AND place BETWEEN ? AND ? ORDER BY place LIMIT ?"
)
LONG = 4_096
"""Bytes of a body, as kept, from which on it is kept once read."""
EntryRow = tuple[int, str, bytes, str, int]


def append(
    connection: apsw.Connection, session: str, new: Iterable[tuple[bytes, str | None, str]]
) -> list[tuple[EntryRow, bool]]:
    """The entries' rows, and whether each is new, of (body, key, timestamp). Raises `UnknownName`."""
    seen = known(connection, session)
    sequence = _last(connection, seen.number)
    rows = []
    for body, key, timestamp in new:
        if key is not None and (existing := _by_key(connection, seen, key)):
            rows.append((existing, False))
            continue
        sequence += 1
        row = (rowid(seen.number, sequence), key or own_key(sequence), body, timestamp, 0)
        connection.execute(_INSERT, (*row, seen.number))
        rows.append((row, True))
    return rows


def one(connection: apsw.Connection, session: str, sequence: int | None, key: str | None) -> EntryRow | None:
    """An entry by what is given of sequence number and key; by both, if both are given."""
    seen = layers.view(connection, session)
    if seen is None:
        return None
    if key is None:
        return None if sequence is None else _by_sequence(connection, seen, sequence)
    found = _by_key(connection, seen, key)
    return found if found and sequence in {None, found[0] % SEQUENCES} else None


def several(
    connection: apsw.Connection, session: str, after: int, up_to: int | None, unapplied: bool, limit: int | None
) -> list[EntryRow]:
    """Entries in sequence order."""
    seen = layers.view(connection, session)
    if seen is None:
        return []
    if unapplied or not seen.reads:  # all that is shared is applied
        return _range(connection, seen.number, after, up_to, unapplied, limit)
    found: list[EntryRow] = []
    for layer in layers.ranges(connection, seen, after, up_to):
        left = None if limit is None else limit - len(found)
        found += _range(connection, layer.number, layer.after, layer.up_to, False, left)
    return found


def acknowledge(connection: apsw.Connection, session_number: int, sequences: Sequence[int]) -> None:
    """Mark entries as applied."""
    connection.executemany(
        "UPDATE ledger_entries SET settled = 1 WHERE place = ?",
        [(rowid(session_number, sequence),) for sequence in sequences],
    )


def as_entry(session: str, row: EntryRow, written: Body | None = None) -> Entry:
    """The record of a row. What a message says is not read again if it has just been `written`."""
    its_place, key, body, timestamp, settled = row
    known = isinstance(written, Said)
    values = {
        "session": session,
        "sequence": its_place % SEQUENCES,
        "key": key,
        "body": written if known else _long_body(body) if len(body) > LONG else _body(body),
        "timestamp": timestamp,
        "applied": bool(settled),
    }
    return Entry.unchecked(values)  # the columns have these types


def _body(kept: bytes) -> Body:
    return _BODY.validate_json(inflated(kept))


@lru_cache(maxsize=4)
def _long_body(kept: bytes) -> Body:
    """A body that takes long to read, such as that of a lorebook. The last entry is looked at again and again."""
    return sealed(_body(kept))


def _range(
    connection: apsw.Connection, layer: int, after: int, up_to: int | None, unapplied: bool, limit: int | None
) -> list[EntryRow]:
    bindings = (*rowids(layer, after, up_to), -1 if limit is None else limit)
    return cast("list[EntryRow]", connection.execute(_UNSETTLED if unapplied else _RANGE, bindings).fetchall())


def _by_key(connection: apsw.Connection, seen: SessionView, key: str) -> EntryRow | None:
    if not seen.reads:
        return cast("EntryRow | None", connection.execute(_BY_KEY, (seen.number, key)).fetchone())
    return cast("EntryRow | None", connection.execute(_BY_KEY_IN_LAYERS, (seen.number, key)).fetchone())


def _by_sequence(connection: apsw.Connection, seen: SessionView, sequence: int) -> EntryRow | None:
    for layer in layers.at(connection, seen, sequence):
        if found := connection.execute(_BY_PLACE, (rowid(layer, sequence),)).fetchone():
            return cast("EntryRow", found)
    return None


def _last(connection: apsw.Connection, session_number: int) -> int:
    last = connection.execute(
        "SELECT max(place) FROM ledger_entries WHERE place BETWEEN ? AND ?", rowids(session_number)
    ).get
    if last is not None:
        return int(last) % SEQUENCES
    return int(connection.execute("SELECT began FROM ledger_sessions WHERE number = ?", (session_number,)).get)
