"""Messages as last settled."""

from __future__ import annotations

from collections.abc import Sequence

import apsw

from earwitness.records.message import SettledMessage

from ...sqlite.blobs import deflated, inflated
from .text import as_json, as_list

LAST = 2**62
MessageRow = tuple[str, int, bytes]
_NEWEST = (
    "SELECT message FROM ledger_messages INDEXED BY ledger_messages_sequence"
    " WHERE session = ? AND sequence < ? ORDER BY sequence DESC LIMIT ?"
)
_NEWEST_OF = (
    "SELECT message FROM ledger_messages INDEXED BY ledger_messages_key"
    " WHERE session = ? AND sequence < ? AND key IN (SELECT value FROM json_each(?)) ORDER BY sequence DESC LIMIT ?"
)


def row(settled: SettledMessage) -> MessageRow:
    """Key, sequence number and deflated JSON."""
    return settled.message.key, settled.message.sequence, deflated(as_json(settled))


def put(connection: apsw.Connection, session: int, message: MessageRow) -> None:
    """Write, or replace what was settled before under this key."""
    connection.execute(
        "INSERT INTO ledger_messages (session, key, sequence, message) VALUES (?, ?, ?, ?) ON CONFLICT (session, key)"
        " DO UPDATE SET sequence = excluded.sequence, message = excluded.message",
        (session, *message),
    )


def several(
    connection: apsw.Connection, session: int, before: int | None, keys: Sequence[str] | None, limit: int | None
) -> list[SettledMessage]:
    """Oldest first; with a limit, the newest of them."""
    last, most = LAST if before is None else before, -1 if limit is None else limit
    if keys is None:
        rows = connection.execute(_NEWEST, (session, last, most)).fetchall()
    else:
        rows = connection.execute(_NEWEST_OF, (session, last, as_list(keys), most)).fetchall()
    return [SettledMessage.model_validate_json(inflated(bytes(message))) for (message,) in reversed(rows)]
