"""Finding deliveries: one statement with the conditions that are asked for."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import get_args

from earwitness.errors import unknown
from earwitness.records.plan import Delivery, Status

from ...postgres import Connection
from ..delivery_conditions import DeliveryQuery
from .deliveries import COLUMNS, DeliveryReader

_AMONG = {
    "memory_ids": "d.memory_id = ANY(%s)",
    "sources": "d.source = ANY(%s)",
    "via": "d.via = ANY(%s)",
    "rests_on": "d.rests_on && %s::text[] AND d.rests_on <> '{}'",
    "types": "d.type = ANY(%s)",
}
"""Conditions of a query that are lists: its field, and what it means in SQL."""
_EQUAL = {"container": "d.container = %s", "due_by": "d.due <= %s"}
CITING = (
    "SELECT memory_id FROM earwitness.delivery WHERE session = %s AND cites && %s::text[] AND cites <> '{}'"
    " AND status IN ('pending', 'applied') GROUP BY memory_id ORDER BY min(number)"
)
BoundCondition = tuple[str, tuple[object, ...]]


async def find(connection: Connection, session: str, query: DeliveryQuery) -> list[Delivery]:
    """The deliveries that meet all conditions, as they stand now, in (due, sequence, position) order.

    Raises `UnknownName` for a status that there is not.
    """
    conditions = [("d.session = %s", (session,)), *_conditions(query)]
    where = " AND ".join(text for text, _ in conditions)
    statement = (
        f"SELECT {COLUMNS}, d.status, d.reason FROM earwitness.delivery AS d WHERE {where}"  # noqa: S608 - our own words; every value is bound
        " ORDER BY d.due, d.sequence, d.position LIMIT %s"
    )
    bound = [*(value for _, values in conditions for value in values), query.limit]
    rows = await (await connection.execute(statement.encode(), bound)).fetchall()
    if not rows:
        return []
    reader = await DeliveryReader.of(connection, session, {row[0] for row in rows})
    return [reader.delivery(row[:-2], (row[-2], row[-1])) for row in rows]


def _conditions(query: DeliveryQuery) -> Iterator[BoundCondition]:
    for field, condition in _AMONG.items():
        if (values := getattr(query, field)) is not None:
            yield condition, (_listed(values),)
    for field, condition in _EQUAL.items():
        if (value := getattr(query, field)) is not None:
            yield condition, (value,)
    if query.after > 0:
        yield "d.sequence > %s", (query.after,)
    for condition in _spelled_out(query):
        yield condition, ()


def _spelled_out(query: DeliveryQuery) -> Iterator[str]:
    """Conditions without a value: in the words of partial indexes, which are not used for a bound parameter."""
    if query.derived:
        yield "d.derived"
    if query.types is not None and "message" not in query.types:
        yield "d.type <> 'message'"
    if query.status is not None:
        yield _status(query.status)


def _status(status: Status) -> str:
    if status not in get_args(Status):
        raise unknown("delivery status", status, get_args(Status))
    return f"d.status = '{status}'"


def _listed(values: Sequence[str]) -> list[str]:
    return list(values)
