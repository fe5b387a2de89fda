"""What the deliveries of one plan have in common, stored once and deflated: their bodies, fields and long lists.

`fields` are all fields of a delivery except those that its row has a column for, its body, and the long lists of its
metadata. What is different in those of a copy of a message stands in the copy's own row (`differences.py`).
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping

import apsw

from earwitness.records.plan import Delivery

from ...sqlite.blobs import inflated
from ...sqlite.long_lists import Lists, lists_in
from .differences import Fields, differing, number_of, taken_apart

OWN = ("memory_id", "container", "owner")
"""The fields that a row has columns for, and that differ from copy to copy."""
Part = tuple[str, str, str, int, Fields, int | None]
"""memory_id, container and owner of a delivery, the number of its body, its fields, and the number of its lists."""
_READ = "SELECT number, data FROM ledger_shared WHERE number IN (SELECT value FROM json_each(?))"
_BLANK = "".join(f',"{name}":""' for name in (*OWN, "body")) + "}"
"""The end of a JSON object, in which the fields that each delivery has for itself are still empty."""


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
    parts = list(parts)
    numbers = {each for _, _, _, body, fields, lists in parts for each in (body, number_of(fields), lists)} - {None}
    reader = _SharedTexts(connection, session, numbers)
    return [reader.delivery(*part) for part in parts]


class _SharedTexts:
    """The shared texts that some rows name, each read once."""

    def __init__(self, connection: apsw.Connection, session: str, numbers: Iterable[int | None]) -> None:
        self._session = session
        rows = connection.execute(_READ, (json.dumps(list(numbers)),))
        self._texts = {int(number): inflated(bytes(data)) for number, data in rows}
        self._bodies: dict[int, str] = {}
        self._lists: dict[int, Lists] = {}
        self._deliveries: dict[tuple[Fields, int | None], Delivery] = {}

    def delivery(
        self, memory_id: str, container: str, owner: str, body: int, fields: Fields, lists: int | None
    ) -> Delivery:
        own = {"memory_id": memory_id, "container": container, "owner": owner, "body": self._body(body)}
        return Delivery.unchecked({**self._shared(fields, lists).__dict__, **own})

    def _shared(self, fields: Fields, lists: int | None) -> Delivery:
        if (fields, lists) not in self._deliveries:
            number, difference = taken_apart(fields)
            whole = self._made(number, lists) if difference is None else self._shared(number, lists)
            self._deliveries[fields, lists] = whole if difference is None else differing(whole, difference)
        return self._deliveries[fields, lists]

    def _made(self, fields: int, lists: int | None) -> Delivery:
        made = Delivery.model_validate_json(self._texts[fields].removesuffix("}") + _BLANK)
        made.metadata.update({} if lists is None else self._long_lists(lists))
        made.__dict__["session"] = self._session  # a branch has the texts of its parent
        return made

    def _body(self, number: int) -> str:
        if number not in self._bodies:
            self._bodies[number] = json.loads(self._texts[number])
        return self._bodies[number]

    def _long_lists(self, number: int) -> Lists:
        if number not in self._lists:
            self._lists[number] = lists_in(self._texts[number])
        return self._lists[number]
