"""Messages as last settled."""

from __future__ import annotations

from collections.abc import Sequence
from operator import itemgetter
from typing import cast

import apsw

from earwitness.copies.plan_text import message_of
from earwitness.records.message import SettledMessage

from ...sqlite.blobs import deflated, inflated
from ..text import as_list
from . import layers
from .layers import SessionView

LAST = 2**62
MessageRow = tuple[str, int, bytes]
_Found = tuple[int, bytes]
_NEWEST = (
    "SELECT sequence, message FROM ledger_messages INDEXED BY ledger_messages_sequence"
    " WHERE session = ? AND sequence < ? ORDER BY sequence DESC LIMIT ?"
)
_NEWEST_OF = (
    "SELECT sequence, message FROM ledger_messages INDEXED BY ledger_messages_key"
    " WHERE session = ? AND sequence < ? AND key IN (SELECT value FROM json_each(?)) ORDER BY sequence DESC LIMIT ?"
)
_NOT_ITS_OWN = (
    " WHERE m.session = ?1 AND m.sequence > ?2 AND m.sequence <= ?3"
    " AND NOT EXISTS (SELECT 1 FROM ledger_messages AS own INDEXED BY ledger_messages_key"
    " WHERE own.session = ?4 AND own.key = m.key)"
)
_SHARED = (
    "SELECT m.sequence, m.message FROM ledger_messages AS m INDEXED BY ledger_messages_sequence"  # noqa: S608 - our own words
    f"{_NOT_ITS_OWN} ORDER BY m.sequence DESC LIMIT ?5"
)
_SHARED_OF = (
    "SELECT m.sequence, m.message FROM ledger_messages AS m INDEXED BY ledger_messages_key"  # noqa: S608 - our own words
    f"{_NOT_ITS_OWN} AND m.key IN (SELECT value FROM json_each(?5)) ORDER BY m.sequence DESC LIMIT ?6"
)


def row(settled: SettledMessage, text: str) -> MessageRow:
    """Key, sequence number and deflated text."""
    return settled.message.key, settled.message.sequence, deflated(text)


def put(connection: apsw.Connection, seen: SessionView, message: MessageRow) -> None:
    """Write, or replace what was settled before under this key."""
    if seen.is_read:
        layers.keep_message(connection, seen, message[0])
    connection.execute(
        "INSERT INTO ledger_messages (session, key, sequence, message) VALUES (?, ?, ?, ?) ON CONFLICT (session, key)"
        " DO UPDATE SET sequence = excluded.sequence, message = excluded.message",
        (seen.number, *message),
    )


def several(
    connection: apsw.Connection, seen: SessionView, before: int | None, keys: Sequence[str] | None, limit: int | None
) -> list[SettledMessage]:
    """Oldest first; with a limit, the newest of them."""
    last, most = LAST if before is None else before, -1 if limit is None else limit
    rows = _in_layers(connection, seen, last, keys, most) if seen.reads else _own(connection, seen, last, keys, most)
    return [message_of(inflated(bytes(message))) for _, message in reversed(rows)]


def _own(
    connection: apsw.Connection, seen: SessionView, last: int, keys: Sequence[str] | None, most: int
) -> list[_Found]:
    """Sequence numbers and messages, newest first."""
    if keys is None:
        rows = connection.execute(_NEWEST, (seen.number, last, most))
    else:
        rows = connection.execute(_NEWEST_OF, (seen.number, last, as_list(keys), most))
    return cast("list[_Found]", rows.fetchall())


def _in_layers(
    connection: apsw.Connection, seen: SessionView, last: int, keys: Sequence[str] | None, most: int
) -> list[_Found]:
    """Its own, and those of other layers of which it has none of its own."""
    found = _own(connection, seen, last, keys, most)
    for layer in reversed(layers.of(connection, seen)):
        if layer.number != seen.number and layer.number >= 0:
            given = (layer.number, layer.after, min(layer.up_to, last - 1), seen.number)
            chosen = (*given, most) if keys is None else (*given, as_list(keys), most)
            found += connection.execute(_SHARED if keys is None else _SHARED_OF, chosen).fetchall()  # type: ignore[arg-type]
    found.sort(key=itemgetter(0), reverse=True)
    return found if most < 0 else found[:most]
