"""Deliveries: written once by a plan, applied once, and shown with their plan."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

import apsw

from earwitness.records.plan import Delivery, Withdrawal

from .text import as_json, as_list, value_as_json

_INSERT = (
    "INSERT INTO ledger_deliveries (session, sequence, position, id, memory_id, container, owner, source, via, type,"
    " due, status, reason, delivery, body) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)"
)
_CITE = (
    "INSERT INTO ledger_citations SELECT ?1, ?2, number FROM ledger_deliveries INDEXED BY ledger_deliveries_plan"
    " WHERE session = ?1 AND sequence = ?3 AND position = ?4"
)
_EXISTING = (
    "SELECT id FROM ledger_deliveries INDEXED BY ledger_deliveries_memory"
    " WHERE session = ? AND memory_id IN (SELECT value FROM json_each(?))"
    " AND NOT (status = 'struck' AND reason IS 'forgotten')"  # to whoever joins under that id later, it is news again
)
_APPLY = (
    "UPDATE ledger_deliveries INDEXED BY ledger_deliveries_pending_id SET status = 'applied'"
    " WHERE session = ? AND id = ? AND status = 'pending'"
)
_RECORDED = (
    "SELECT position, delivery, b.body FROM ledger_deliveries AS d INDEXED BY ledger_deliveries_plan"
    " CROSS JOIN ledger_bodies AS b ON b.number = d.body WHERE d.session = ?1 AND d.sequence = ?2 "
    "UNION ALL SELECT position, delivery, b.body FROM ledger_repeats AS r"
    " CROSS JOIN ledger_bodies AS b ON b.number = r.body WHERE r.session = ?1 AND r.sequence = ?2 ORDER BY position"
)
_CITING = (
    "SELECT d.memory_id FROM json_each(?2) AS asked"
    " CROSS JOIN ledger_citations AS c ON c.session = ?1 AND c.cited = asked.value"
    " CROSS JOIN ledger_deliveries AS d ON d.number = c.delivery"
    " WHERE d.status IN ('pending', 'applied') GROUP BY d.memory_id ORDER BY min(d.number)"
)


_WITHDRAW = (
    "UPDATE ledger_deliveries INDEXED BY ledger_deliveries_memory SET status = ?, reason = ?"
    " WHERE session = ? AND memory_id = ? AND id = ? AND status IN ('pending', 'applied')"
)


@dataclass(frozen=True, slots=True)
class DeliveryRow:
    """A delivery of a plan, ready to be written."""

    position: int
    delivery: Delivery
    id: str
    json: str
    """Without the body."""
    body: str
    """As JSON."""

    def columns(self) -> tuple[str | int | float | None, ...]:
        """Values for `_INSERT`, after session and sequence and before the body's number."""
        delivery = self.delivery
        type = delivery.metadata.get("type")
        return (
            self.position,
            self.id,
            delivery.memory_id,
            delivery.container,
            delivery.owner,
            delivery.source,
            delivery.support.via,
            type if isinstance(type, str) else None,
            delivery.due,
            delivery.status,
            delivery.reason,
            self.json,
        )


def row(position: int, delivery: Delivery) -> DeliveryRow:
    """The row of a plan's delivery. Raises `InputError` for what JSON cannot hold."""
    body = value_as_json(delivery.body, "the text of a delivery")
    return DeliveryRow(position, delivery, delivery.id, as_json(delivery, exclude={"body"}), body)


def insert(connection: apsw.Connection, session: int, sequence: int, rows: Sequence[DeliveryRow]) -> None:
    """Add a plan's deliveries. One that exists stays as it is: pending, applied, struck or withdrawn."""
    there = _existing(connection, session, rows)
    bodies = _insert_bodies(connection, session, sequence, rows)
    new = {row.id: row for row in reversed(rows) if row.id not in there}
    connection.executemany(
        _INSERT, [(session, sequence, *row.columns(), bodies[row.body]) for row in rows if new.get(row.id) is row]
    )
    for row in rows:
        if new.get(row.id) is not row:
            _repeat(connection, session, sequence, row, bodies[row.body])
        elif row.delivery.knowledge:
            _cite(connection, session, sequence, row)


def apply(connection: apsw.Connection, session: int, ids: Iterable[str]) -> None:
    """What was pending is applied; what was struck or withdrawn meanwhile stays so."""
    connection.executemany(_APPLY, [(session, id) for id in ids])


def withdraw(connection: apsw.Connection, session: int, withdrawal: Withdrawal) -> None:
    """Withdraw, or strike, what is pending or applied of the deliveries that a withdrawal names."""
    connection.executemany(
        _WITHDRAW,
        [(withdrawal.status, withdrawal.reason, session, memory, id) for id, memory in withdrawal.removes.items()],
    )


def recorded(connection: apsw.Connection, session: int, sequence: int) -> list[str]:
    """A plan's deliveries as JSON, as they were when it was recorded."""
    rows = connection.execute(_RECORDED, (session, sequence))
    return [whole(str(delivery), str(body)) for _, delivery, body in rows]


def whole(delivery: str, body: str) -> str:
    """Put the body back into a delivery's JSON, as its last field."""
    return f'{delivery[:-1]},"body":{body}}}'


def citing(connection: apsw.Connection, session: int, memory_ids: Sequence[str]) -> list[str]:
    """Ids of memories with a pending or applied delivery whose knowledge cites one of these."""
    return [str(memory_id) for (memory_id,) in connection.execute(_CITING, (session, as_list(memory_ids)))]


def _existing(connection: apsw.Connection, session: int, rows: Sequence[DeliveryRow]) -> set[str]:
    """Ids of all deliveries to the memories of these rows: equal ids mean equal memories."""
    memory_ids = as_list({row.delivery.memory_id for row in rows})
    return {str(id) for (id,) in connection.execute(_EXISTING, (session, memory_ids))}


def _insert_bodies(
    connection: apsw.Connection, session: int, sequence: int, rows: Sequence[DeliveryRow]
) -> dict[str, int]:
    """Write each different text once; its number by text."""
    numbers = {}
    for body in dict.fromkeys(row.body for row in rows):
        connection.execute(
            "INSERT INTO ledger_bodies (session, sequence, body) VALUES (?, ?, ?)",
            (session, sequence, body),
        )
        numbers[body] = connection.last_insert_rowid()
    return numbers


def _repeat(connection: apsw.Connection, session: int, sequence: int, row: DeliveryRow, body: int) -> None:
    connection.execute(
        "INSERT INTO ledger_repeats VALUES (?, ?, ?, ?, ?, ?)",
        (session, sequence, row.position, row.delivery.owner, body, row.json),
    )


def _cite(connection: apsw.Connection, session: int, sequence: int, row: DeliveryRow) -> None:
    cited = {cited for line in row.delivery.knowledge for cited in line.cites}
    connection.executemany(_CITE, [(session, id, sequence, row.position) for id in sorted(cited)])
