"""Finding deliveries. Every query uses an index that is chosen here, not by SQLite's guesses about the data."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import cast, get_args

import apsw

from earwitness.errors import unknown
from earwitness.records.plan import Delivery, Status

from . import sessions
from .shared import Part, whole
from .text import as_list

SqlCondition = tuple[str, str | int | float]
_DERIVED = "number IN (SELECT delivery FROM ledger_grounds WHERE session = ?1 AND ground = '')"
_LIST = "(SELECT value FROM json_each(?))"
_AMONG = {
    "memory_ids": f"memory_id IN {_LIST}",
    "sources": f"source IN {_LIST}",
    "via": f"via IN {_LIST}",
    "rests_on": f"number IN (SELECT delivery FROM ledger_grounds WHERE session = ?1 AND ground IN {_LIST})",  # noqa: S608 - our own words
    "types": f"type IN {_LIST}",
}
"""Conditions of a query that are lists: its field, and what it means in SQL."""


@dataclass(frozen=True, slots=True)
class DeliveryQuery:
    """The conditions of `Ledger.deliveries`; `None` leaves one out."""

    memory_ids: Sequence[str] | None
    sources: Sequence[str] | None
    container: str | None
    via: Sequence[str] | None
    rests_on: Sequence[str] | None
    derived: bool
    status: Status | None
    due_by: float | None
    after: int
    types: Sequence[str] | None
    limit: int | None


def find(connection: apsw.Connection, session: int, query: DeliveryQuery) -> list[Delivery]:
    """The deliveries that meet all conditions, in (due, sequence, position) order."""
    conditions = list(_conditions(query))
    where = " AND ".join(["d.session = ?1", *_fixed(query), *(text for text, _ in conditions)])
    rows = connection.execute(
        "SELECT memory_id, container, owner, body, fields, lists, status, reason"  # noqa: S608 - our own words; every value is bound
        f" FROM ledger_deliveries AS d {_index(query)} WHERE {where}"
        " ORDER BY due, d.sequence, position LIMIT ?",
        (session, *(value for _, value in conditions), -1 if query.limit is None else query.limit),
    ).fetchall()
    found = (
        whole(connection, sessions.name(connection, session), [cast("Part", row[:6]) for row in rows]) if rows else []
    )
    return [_current(each, *cast("tuple[Status, str | None]", row[6:])) for each, row in zip(found, rows, strict=True)]


def _conditions(query: DeliveryQuery) -> Iterator[SqlCondition]:
    for field, condition in _AMONG.items():
        if (values := getattr(query, field)) is not None:
            yield condition, as_list(values)
    if query.container is not None:
        yield "container = ?", query.container
    if query.due_by is not None:
        yield "due <= ?", query.due_by
    if query.after > 0:
        yield "d.sequence > ?", query.after


def _fixed(query: DeliveryQuery) -> Iterator[str]:
    """Conditions spelled out as in the partial indexes, which SQLite does not use for a bound parameter."""
    if query.status is not None:
        if query.status not in get_args(Status):
            raise unknown("delivery status", query.status, get_args(Status))
        yield f"status = '{query.status}'"
    if query.derived:
        yield _DERIVED
    if _only_others(query):
        yield "type <> 'message'"


def _index(query: DeliveryQuery) -> str:
    name = _index_name(query)
    return "NOT INDEXED" if name is None else f"INDEXED BY ledger_deliveries_{name}"


def _index_name(query: DeliveryQuery) -> str | None:
    """`None` where the rows are found by their numbers."""
    if query.memory_ids is not None:
        return "memory"
    if query.via is not None:
        return "via"
    if query.rests_on is not None or query.derived:
        return None
    if query.sources is not None:
        return "source"
    if query.status == "pending":
        return "pending"
    return "type" if _only_others(query) and query.container is not None else "plan"


def _only_others(query: DeliveryQuery) -> bool:
    """Whether the query leaves out messages: updates, and what was there before the story, are few."""
    return query.types is not None and "message" not in query.types


def _current(recorded: Delivery, status: Status, reason: str | None) -> Delivery:
    """The delivery as recorded, with its present status."""
    if (recorded.status, recorded.reason) == (status, reason):
        return recorded
    return recorded.model_copy(update={"status": status, "reason": reason})
