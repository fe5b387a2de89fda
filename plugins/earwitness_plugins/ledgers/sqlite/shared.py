"""What the deliveries of one plan have in common, stored once and deflated: their bodies, fields and long lists.

`earwitness.copies.parts` takes deliveries apart. What is different in the fields of a copy of a message stands in the
copy's own row.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping

import apsw

from earwitness.copies.parts import PartsReader
from earwitness.records.plan import Delivery

from ...sqlite.blobs import inflated

Fields = int | str
"""The column `fields`: the number of a shared text, or `number:{…}`, the text and what is different in it."""
Part = tuple[str, str, str, int, Fields, int | None]
"""memory_id, container and owner of a delivery, the number of its body, its fields, and the number of its lists."""
_NAMED = " UNION ALL ".join(
    f"SELECT CAST({part} AS INTEGER) FROM {table} WHERE {part} IS NOT NULL"  # noqa: S608 - our own words
    for table in ("ledger_deliveries", "ledger_repeats", "ledger_crowds")
    for part in ("body", "fields", "lists")  # `fields` may be `number:{…}`, which CAST cuts off
)
"""Numbers of the shared texts that rows still name."""
FORGET_UNNAMED = f"DELETE FROM ledger_shared WHERE number NOT IN ({_NAMED})"  # noqa: S608 - our own words
"""Where there are branches, rows of one session may name a text that another one brought."""
_READ = "SELECT number, data FROM ledger_shared WHERE number IN (SELECT value FROM json_each(?))"


def insert(connection: apsw.Connection, session: int, sequence: int, blobs: Mapping[str, bytes]) -> dict[str, int]:
    """Write the deflated texts of one plan; returns their numbers by text."""
    first = int(connection.execute("SELECT coalesce(max(number), 0) + 1 FROM ledger_shared").get)
    numbers = {text: number for number, text in enumerate(blobs, first)}
    connection.executemany(
        "INSERT INTO ledger_shared (number, session, sequence, data) VALUES (?, ?, ?, ?)",
        [(numbers[text], session, sequence, blob) for text, blob in blobs.items()],
    )
    return numbers


def whole(connection: apsw.Connection, session: str, parts: Iterable[Part]) -> list[Delivery]:
    """The deliveries of these parts. Those with the same fields share one metadata and one support."""
    apart = [(own, body, *taken_apart(fields), lists) for *own, body, fields, lists in parts]
    numbers = {number for _, body, fields, _, lists in apart for number in (body, fields, lists)} - {None}
    rows = connection.execute(_READ, (json.dumps(list(numbers)),))
    reader = PartsReader(session, {int(number): inflated(bytes(data)) for number, data in rows})
    return [reader.delivery(own, body, fields, lists, difference) for own, body, fields, difference, lists in apart]


def number_of(fields: Fields) -> int:
    """The number of the shared text."""
    return taken_apart(fields)[0]


def taken_apart(fields: Fields) -> tuple[int, str | None]:
    """The number of the shared text, and what is different in it."""
    if isinstance(fields, int):
        return fields, None
    number, _, text = fields.partition(":")
    return int(number), text
