"""The third migration: what the deliveries of a plan have in common is stored once, and JSON is deflated.

Before it, each delivery was stored as JSON without its body, and everything else as plain JSON.
"""

from __future__ import annotations

import json
from collections.abc import Iterator

import apsw

from earwitness.copies.long_lists import ListTexts

from ...sqlite.blobs import deflated

_PREPARE = """
-- What deliveries of one plan share, each text once, deflated: bodies as JSON strings; `fields`, all other fields of a
-- delivery that have no column, as a JSON object; `lists`, the long lists of its metadata by key, as a JSON object.
ALTER TABLE ledger_bodies RENAME TO ledger_shared;
ALTER TABLE ledger_shared RENAME COLUMN body TO data;
DROP INDEX ledger_bodies_plan;
CREATE INDEX ledger_shared_plan ON ledger_shared (session, sequence);
ALTER TABLE ledger_deliveries ADD COLUMN fields INTEGER NOT NULL DEFAULT 0;
ALTER TABLE ledger_deliveries ADD COLUMN lists INTEGER;
ALTER TABLE ledger_repeats ADD COLUMN memory_id TEXT NOT NULL DEFAULT '';
ALTER TABLE ledger_repeats ADD COLUMN container TEXT NOT NULL DEFAULT '';
ALTER TABLE ledger_repeats ADD COLUMN fields INTEGER NOT NULL DEFAULT 0;
ALTER TABLE ledger_repeats ADD COLUMN lists INTEGER;
UPDATE ledger_repeats
    SET memory_id = json_extract(delivery, '$.memory_id'), container = json_extract(delivery, '$.container');
"""
_FINISH = """
ALTER TABLE ledger_deliveries DROP COLUMN delivery;
ALTER TABLE ledger_repeats DROP COLUMN delivery;
"""
_DEFLATED = (
    ("ledger_shared", "number", "data"),
    ("ledger_plans", "place", "plan"),
    ("ledger_messages", "number", "message"),
    ("ledger_entries", "place", "body"),
)
_OWN = ("memory_id", "container", "owner")
"""Fields that have columns."""
_BATCH = 500


def shared_parts(connection: apsw.Connection) -> bool:
    """Take deliveries apart, and deflate JSON. Answers whether there was anything to rewrite."""
    connection.execute(_PREPARE)
    for table in ("ledger_deliveries", "ledger_repeats"):
        plans = f"SELECT DISTINCT session, sequence FROM {table}"  # noqa: S608 - our own words
        for session, sequence in connection.execute(plans).fetchall():
            _take_apart(connection, table, session, sequence)
    for table, key, column in _DEFLATED:
        update = f"UPDATE {table} SET {column} = ? WHERE {key} = ?"  # noqa: S608 - our own words
        for batch in _batches(connection, table, key, column):
            connection.executemany(update, [(deflated(text), number) for number, text in batch])
    connection.execute(_FINISH)
    return bool(connection.execute("SELECT EXISTS (SELECT 1 FROM ledger_entries)").get)


def _batches(connection: apsw.Connection, table: str, key: str, column: str) -> Iterator[list[tuple[int, str]]]:
    after = -1
    select = f"SELECT {key}, {column} FROM {table} WHERE {key} > ? ORDER BY {key} LIMIT {_BATCH}"  # noqa: S608
    while batch := [(int(number), str(text)) for number, text in connection.execute(select, (after,))]:
        yield batch
        after = batch[-1][0]


def _take_apart(connection: apsw.Connection, table: str, session: object, sequence: object) -> None:
    """Store what the deliveries of one plan share, still as plain JSON, and let their rows name it."""
    numbers: dict[str, int] = {}
    lists = ListTexts()

    def number(text: str | None) -> int | None:
        if text is not None and text not in numbers:
            insert = "INSERT INTO ledger_shared (session, sequence, data) VALUES (?, ?, ?)"
            connection.execute(insert, (session, sequence, text))
            numbers[text] = connection.last_insert_rowid()
        return None if text is None else numbers[text]

    select = f"SELECT rowid, delivery FROM {table} WHERE session = ? AND sequence = ?"  # noqa: S608 - our own words
    update = f"UPDATE {table} SET fields = ?, lists = ? WHERE rowid = ?"  # noqa: S608 - our own words
    for row, delivery in connection.execute(select, (session, sequence)).fetchall():
        fields = {key: value for key, value in json.loads(str(delivery)).items() if key not in _OWN}
        fields["metadata"], its_lists = lists.taken(fields.get("metadata", {}))
        text = json.dumps(fields, ensure_ascii=False, separators=(",", ":"))
        connection.execute(update, (number(text), number(its_lists), row))
