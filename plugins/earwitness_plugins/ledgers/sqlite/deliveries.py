"""Deliveries: written once by a plan, asked for in many ways."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

import apsw

from earwitness.records.plan import Delivery

from .text import as_json, as_list


@dataclass(frozen=True, slots=True)
class Row:
    """A delivery of a plan as it is stored: what is asked by in columns, and all of it as JSON."""

    position: int
    delivery: Delivery
    id: str
    json: str

    def columns(self) -> tuple[str | int | float | None, ...]:
        """Values for `_INSERT`, after session and sequence."""
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


_INSERT = (
    "INSERT INTO ledger_deliveries (session, sequence, position, id, memory_id, container, owner, source, via, type,"
    " due, status, reason, delivery) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)"
)


def row(position: int, delivery: Delivery) -> Row:
    """The row of a plan's delivery. Raises `InputError` for what JSON cannot hold."""
    return Row(position, delivery, delivery.id, as_json(delivery))


def insert(connection: apsw.Connection, session: int, sequence: int, rows: Sequence[Row]) -> None:
    """Add a plan's deliveries. One that exists stays as it is: pending, applied, struck or withdrawn."""
    there = _existing(connection, session, rows)
    for row in rows:
        if row.id in there:
            _repeat(connection, session, sequence, row)
            continue
        there.add(row.id)
        connection.execute(_INSERT, (session, sequence, *row.columns()))
        if row.delivery.knowledge:
            _cite(connection, session, connection.last_insert_rowid(), row.delivery)


def apply(connection: apsw.Connection, session: int, ids: Iterable[str]) -> None:
    """What was pending is applied; what was struck or withdrawn meanwhile stays so."""
    connection.executemany(
        "UPDATE ledger_deliveries SET status = 'applied' WHERE session = ? AND id = ? AND status = 'pending'",
        [(session, id) for id in ids],
    )


def recorded(connection: apsw.Connection, session: int, sequence: int) -> list[str]:
    """A plan's deliveries as JSON, as they were when it was recorded."""
    rows = connection.execute(
        "SELECT position, delivery FROM ledger_deliveries WHERE session = ?1 AND sequence = ?2 UNION ALL "
        "SELECT position, delivery FROM ledger_repeats WHERE session = ?1 AND sequence = ?2 ORDER BY position",
        (session, sequence),
    )
    return [delivery for _, delivery in rows]


def citing(connection: apsw.Connection, session: int, memory_ids: Sequence[str]) -> list[str]:
    """Ids of memories with a pending or applied delivery whose knowledge cites one of these."""
    rows = connection.execute(
        "SELECT d.memory_id FROM json_each(?2) AS asked"
        " CROSS JOIN ledger_citations AS c ON c.session = ?1 AND c.cited = asked.value"
        " CROSS JOIN ledger_deliveries AS d ON d.number = c.delivery"
        " WHERE d.status IN ('pending', 'applied') GROUP BY d.memory_id ORDER BY min(d.number)",
        (session, as_list(memory_ids)),
    )
    return [memory_id for (memory_id,) in rows]


def _existing(connection: apsw.Connection, session: int, rows: Sequence[Row]) -> set[str]:
    found = connection.execute(
        "SELECT id FROM ledger_deliveries WHERE session = ? AND id IN (SELECT value FROM json_each(?))",
        (session, as_list(row.id for row in rows)),
    )
    return {id for (id,) in found}


def _repeat(connection: apsw.Connection, session: int, sequence: int, row: Row) -> None:
    connection.execute(
        "INSERT INTO ledger_repeats VALUES (?, ?, ?, ?, ?)",
        (session, sequence, row.position, row.delivery.owner, row.json),
    )


def _cite(connection: apsw.Connection, session: int, delivery_number: int, delivery: Delivery) -> None:
    cited = {cited for line in delivery.knowledge for cited in line.cites}
    connection.executemany(
        "INSERT INTO ledger_citations VALUES (?, ?, ?)", [(session, id, delivery_number) for id in sorted(cited)]
    )
