"""Finding deliveries. Every query uses an index that is chosen here, not by SQLite's guesses about the data."""

from __future__ import annotations

from collections.abc import Iterator
from typing import cast, get_args

import apsw

from earwitness.errors import unknown
from earwitness.records.plan import Delivery, Status

from ..delivery_conditions import DeliveryQuery
from ..text import as_list
from . import layers
from .layers import SessionView
from .shared import Part, whole

_LAYERS = "{layers}"
"""Where the numbers of the layers that a session reads are filled in."""
SqlCondition = tuple[str, str | int | float]
_DERIVED = "d.number IN (SELECT delivery FROM ledger_grounds WHERE session {layers} AND ground = '')"
_LIST = "(SELECT value FROM json_each(?))"
_AMONG = {
    "memory_ids": f"memory_id IN {_LIST}",
    "sources": f"source IN {_LIST}",
    "via": f"via IN {_LIST}",
    "rests_on": f"d.number IN (SELECT delivery FROM ledger_grounds WHERE session {_LAYERS} AND ground IN {_LIST})",  # noqa: S608 - our own words
    "types": f"type IN {_LIST}",
}
"""Conditions of a query that are lists: its field, and what it means in SQL."""


def find(connection: apsw.Connection, seen: SessionView, query: DeliveryQuery) -> list[Delivery]:
    """The deliveries that meet all conditions, in (due, sequence, position) order."""
    conditions = list(_conditions(seen, query))
    where = "".join(f" AND {text}" for text in (*_fixed(query), *(text for text, _ in conditions)))
    columns = f"d.memory_id, {seen.container}, d.owner, d.body, d.fields, d.lists, {seen.status}, {seen.reason}"
    selects = [f"SELECT {columns}, due, d.sequence, position FROM {each}{where}" for each in _sources(seen, query)]  # noqa: S608 - our own words; every value is bound
    rows = connection.execute(
        f"{' UNION ALL '.join(selects).replace(_LAYERS, seen.layers)} ORDER BY due, 10, position LIMIT ?",
        (seen.number, *(value for _ in selects for _, value in conditions), -1 if query.limit is None else query.limit),
    ).fetchall()
    found = whole(connection, seen.id, [cast("Part", row[:6]) for row in rows]) if rows else []
    return [_current(each, *cast("tuple[Status, str | None]", row[6:8])) for each, row in zip(found, rows, strict=True)]


def _conditions(seen: SessionView, query: DeliveryQuery) -> Iterator[SqlCondition]:
    for field, condition in _AMONG.items():
        if (values := getattr(query, field)) is not None:
            yield condition, as_list(values)
    if query.container is not None:
        yield _container(seen, query.container)
    if query.due_by is not None:
        yield "due <= ?", query.due_by
    if query.after > 0:
        yield "d.sequence > ?", query.after


def _container(seen: SessionView, name: str) -> SqlCondition:
    """A container of a session is a name that begins with the session's id, in whatever layer."""
    if not seen.reads:
        return "container = ?", name
    if name.startswith(f"{seen.id}-"):
        return "d.container = l.name || ?", name.removeprefix(seen.id)
    return "d.session = ?1 AND d.container = ?", name


def _sources(seen: SessionView, query: DeliveryQuery) -> Iterator[str]:
    """What follows FROM, with the condition on the status: one or two selects."""
    index = _index_name(query)
    if query.status is not None and query.status not in get_args(Status):
        raise unknown("delivery status", query.status, get_args(Status))
    if index == "pending" and seen.reads:
        yield f"{seen.deliveries(index)} AND d.status = 'pending' AND o.status IS NULL"
        yield layers.pending()
    elif query.status is not None:  # spelled out as in the partial indexes, which are not used for a bound parameter
        yield f"{seen.deliveries(index)} AND {seen.status} = '{query.status}'"
    else:
        yield seen.deliveries(index)


def _fixed(query: DeliveryQuery) -> Iterator[str]:
    """Conditions without a value."""
    if query.derived:
        yield _DERIVED
    if _only_others(query):
        yield "type <> 'message'"


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
