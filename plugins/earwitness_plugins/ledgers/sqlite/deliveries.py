"""Deliveries: written once by a plan, applied once, and shown with their plan."""

from __future__ import annotations

import json
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import chain, groupby, islice
from operator import attrgetter, itemgetter
from typing import NamedTuple, Self, cast

import apsw

from earwitness.copies.parts import taken_apart
from earwitness.records.plan import Delivery, Restoration, Withdrawal
from earwitness.slices import in_slices

from ...sqlite.blobs import deflated
from ..text import as_list
from . import layers, shared
from .layers import SessionView
from .shared import Fields

_INSERT = (
    "INSERT INTO ledger_deliveries (session, sequence, position, id, memory_id, container, owner, source, via, type,"
    " due, status, reason, body, fields, lists) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)"
)
_INSERT_ALIKE = (
    "INSERT INTO ledger_deliveries (session, sequence, position, id, memory_id, container, owner, source, via, type,"
    " due, status, reason, body, fields, lists) SELECT ?1, ?2, value ->> 0, value ->> 1, value ->> 2, value ->> 3,"
    " value ->> 4, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11, ?12 FROM json_each(?3)"
)
_REPEAT = (
    "INSERT INTO ledger_repeats (session, sequence, position, memory_id, container, owner, body, fields, lists)"
    " VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)"
)
_CITE = (
    "INSERT INTO ledger_citations SELECT ?1, ?2, number FROM ledger_deliveries INDEXED BY ledger_deliveries_plan"
    " WHERE session = ?1 AND sequence = ?3 AND position = ?4"
)
_GROUND = _CITE.replace("ledger_citations", "ledger_grounds")
_APPLY = (
    "UPDATE ledger_deliveries INDEXED BY ledger_deliveries_pending_id SET status = 'applied'"
    " WHERE session = ? AND id = ? AND status = 'pending'"
)
_APPLY_MANY = (
    "UPDATE ledger_deliveries INDEXED BY ledger_deliveries_pending_id SET status = 'applied'"
    " WHERE session = ?1 AND status = 'pending' AND id IN (SELECT value FROM json_each(?2))"
)
_REPEATED = (
    "SELECT position, memory_id, container, owner, body, fields, lists FROM ledger_repeats"
    " WHERE session = ?1 AND sequence = ?2 ORDER BY position"
)
_WITHDRAW = (
    "UPDATE ledger_deliveries INDEXED BY ledger_deliveries_memory SET status = ?, reason = ?"
    " WHERE session = ? AND memory_id = ? AND id = ? AND status IN ('pending', 'applied', 'archived')"
)
_RESTORE = (
    "UPDATE ledger_deliveries INDEXED BY ledger_deliveries_memory SET status = 'pending', reason = NULL"
    " WHERE session = ? AND memory_id = ? AND id = ? AND status = 'archived'"
)


_ASKED = "SELECT value FROM json_each(?2)"
CROWD = 256
"""More rows than this that differ in their owners only are written by one statement for so many of them."""
MANY_IDS = 8
"""As many ids or more are looked for by one statement."""
RowValues = tuple[str | int | float | None, ...]
_OWNS = 5
"""So many of a row's columns are its own in a crowd: its position, ids, container and owner."""
_TEXTS = attrgetter("body", "fields", "lists")


class DeliveryRow(NamedTuple):
    """A delivery of a plan, ready to be written."""

    position: int
    """Its place in the plan."""
    delivery: Delivery
    """The delivery itself."""
    id: str
    """Its derived id."""
    body: str
    """Its body as JSON; this and the next two are stored as `shared` says."""
    fields: str
    """Its fields as JSON, or those of the world's copy."""
    lists: str | None
    """The long lists of its metadata as JSON."""
    difference: str | None
    """What is different in its own fields, as JSON."""

    def columns(self, applied: Collection[str]) -> RowValues:
        """Values for `_INSERT`, between the sequence number and the numbers of what it shares."""
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
            "applied" if self.id in applied else delivery.status,
            delivery.reason,
        )


@dataclass(frozen=True, slots=True)
class DeliveryRows:
    """The deliveries of a plan, ready to be written."""

    rows: Sequence[DeliveryRow]
    """In the order of the plan."""
    shared: Mapping[str, bytes]
    """Every different text of theirs, deflated."""

    @classmethod
    async def of(cls, deliveries: Sequence[Delivery]) -> Self:
        """Take deliveries apart. Raises `InputError` for what JSON cannot hold."""
        parts = await taken_apart(deliveries)
        rows = await in_slices(
            DeliveryRow(position, each, each.id, *its)
            for position, (each, its) in enumerate(zip(deliveries, parts, strict=True))
        )
        texts = dict.fromkeys(chain.from_iterable(map(_TEXTS, rows)))
        return cls(rows, {text: deflated(text) for text in texts if text is not None})


def insert(
    connection: apsw.Connection, seen: SessionView, sequence: int, new: DeliveryRows, applied: Collection[str]
) -> None:
    """Add a plan's deliveries. One that exists stays as it is: struck or withdrawn, pending or applied.

    Those with an id in `applied` are applied, also if they were pending before.
    """
    session = seen.number
    there = _existing(connection, seen, new.rows)
    numbers = shared.insert(connection, session, sequence, new.shared)
    first = {row.id: row for row in reversed(new.rows) if row.id not in there}
    added = [row for row in new.rows if first.get(row.id) is row]
    repeated = [row for row in new.rows if first.get(row.id) is not row]
    if len(added) > CROWD:
        _insert_crowd(
            connection, (session, sequence), [(*row.columns(applied), *_numbers(row, numbers)) for row in added]
        )
    else:
        connection.executemany(
            _INSERT, ((session, sequence, *row.columns(applied), *_numbers(row, numbers)) for row in added)
        )
    connection.executemany(_REPEAT, ((session, sequence, *_repeat(row), *_numbers(row, numbers)) for row in repeated))
    apply(connection, seen, there.intersection(applied))
    for row in added:
        if row.delivery.knowledge:
            _cite(connection, session, sequence, row)
        if row.delivery.rests_on or row.delivery.is_derived:
            _ground(connection, session, sequence, row)


def _insert_crowd(connection: apsw.Connection, place: tuple[int, int], rows: Iterable[RowValues]) -> None:
    """Write many rows: those one after the other that differ only in their first columns, together."""
    for alike, several in groupby(rows, itemgetter(slice(_OWNS, None))):
        while some := [row[:_OWNS] for row in islice(several, CROWD)]:
            connection.execute(_INSERT_ALIKE, (*place, json.dumps(some), *alike))


def apply(connection: apsw.Connection, seen: SessionView, ids: Collection[str]) -> None:
    """What was pending is applied; what was struck or withdrawn meanwhile stays so."""
    if seen.reads or seen.is_read:
        _apply_in_view(connection, seen, ids)
    elif len(ids) >= MANY_IDS:
        connection.execute(_APPLY_MANY, (seen.number, as_list(ids)))
    else:
        connection.executemany(_APPLY, [(seen.number, id) for id in ids])


def _apply_in_view(connection: apsw.Connection, seen: SessionView, ids: Collection[str]) -> None:
    """As `apply`, where others read its rows, or it reads those of others."""
    first = f"{seen.deliveries('pending_id')} AND d.status = 'pending'"
    sources = [f"{first} AND o.status IS NULL", layers.pending()] if seen.reads else [first]
    for source in sources if ids else ():
        rows = connection.execute(
            f"SELECT d.number, d.session FROM {source} AND d.id IN ({_ASKED})",  # noqa: S608 - our own words
            (seen.number, as_list(ids)),
        ).fetchall()
        layers.change(connection, seen, rows, "applied", None)  # type: ignore[arg-type]


def withdraw(connection: apsw.Connection, seen: SessionView, withdrawal: Withdrawal) -> None:
    """Withdraw, strike or archive what is kept of the deliveries that a withdrawal names."""
    status, reason, removed = withdrawal.status, withdrawal.reason, withdrawal.removes
    if seen.reads or seen.is_read:
        _change_in_view(connection, seen, removed, ("pending", "applied", "archived"), (status, reason))
        return
    connection.executemany(_WITHDRAW, [(status, reason, seen.number, memory, id) for id, memory in removed.items()])


def restore(connection: apsw.Connection, seen: SessionView, restoration: Restoration) -> None:
    """What is archived of the deliveries that a restoration names is pending again."""
    if seen.reads or seen.is_read:
        _change_in_view(connection, seen, restoration.restores, ("archived",), ("pending", None))
        return
    connection.executemany(_RESTORE, [(seen.number, memory, id) for id, memory in restoration.restores.items()])


def change(
    connection: apsw.Connection, seen: SessionView, memory: str, id: str, status: tuple[str, str | None]
) -> None:
    """Give what a session sees as one delivery a status and its reason, in this view only."""
    _change_in_view(connection, seen, {id: memory}, None, status)


def _change_in_view(
    connection: apsw.Connection,
    seen: SessionView,
    chosen: Mapping[str, str],
    former: Sequence[str] | None,
    status: tuple[str, str | None],
) -> None:
    """Change deliveries by id, each with its memory's, if they have one of the `former` statuses."""
    asked = (
        f"SELECT d.number, d.session, {seen.status} FROM {seen.deliveries('memory')} AND d.memory_id = ?2 AND d.id = ?3"  # noqa: S608 - our own words
        f" AND NOT {seen.is_forgotten}"
    )
    for id, memory in chosen.items():
        rows = connection.execute(asked, (seen.number, memory, id)).fetchall()
        fitting = [(number, layer) for number, layer, its in rows if former is None or its in former]
        layers.change(connection, seen, fitting, *status)  # type: ignore[arg-type]


def recorded(connection: apsw.Connection, seen: SessionView, sequence: int) -> list[Delivery]:
    """A plan's deliveries, as they were when it was recorded."""
    rows = connection.execute(
        f"SELECT position, memory_id, {seen.container}, owner, body, fields, lists"  # noqa: S608 - our own words
        f" FROM {seen.deliveries('plan')} AND d.sequence = ?2 ORDER BY position",
        (seen.number, sequence),
    ).fetchall()
    if repeats := connection.execute(_REPEATED, (seen.number, sequence)).fetchall():
        rows = sorted([*rows, *repeats], key=itemgetter(0))
    return shared.whole(connection, seen.id, [cast("shared.Part", row[1:]) for row in rows])


def citing(
    connection: apsw.Connection, seen: SessionView, memory_ids: Sequence[str], *, live: bool = True
) -> list[str]:
    """Ids of memories with a delivery, if `live` one that is pending or applied, whose knowledge cites one of these."""
    cited = f"SELECT delivery FROM ledger_citations WHERE session {seen.layers} AND cited IN ({_ASKED})"  # noqa: S608
    status = f" AND {seen.status} IN ('pending', 'applied')" if live else ""
    rows = connection.execute(
        f"SELECT d.memory_id FROM {seen.deliveries()} AND d.number IN ({cited}){status}"  # noqa: S608 - our own words
        " GROUP BY d.memory_id ORDER BY min(d.number)",
        (seen.number, as_list(memory_ids)),
    )
    return [str(memory_id) for (memory_id,) in rows]


def _existing(connection: apsw.Connection, seen: SessionView, rows: Sequence[DeliveryRow]) -> set[str]:
    """Ids of all deliveries to the memories of these rows: equal ids mean equal memories.

    To whoever joins under the id of somebody forgotten, what was due to the first is news again.
    """
    found = connection.execute(
        f"SELECT d.id FROM {seen.deliveries('memory')} AND d.memory_id IN ({_ASKED})"  # noqa: S608 - our own words
        f" AND NOT {seen.is_forgotten}",
        (seen.number, as_list({row.delivery.memory_id for row in rows})),
    )
    return {str(id) for (id,) in found}


def _numbers(row: DeliveryRow, numbers: Mapping[str, int]) -> tuple[int, Fields, int | None]:
    fields = numbers[row.fields]
    named = fields if row.difference is None else f"{fields}:{row.difference}"
    return numbers[row.body], named, None if row.lists is None else numbers[row.lists]


def _repeat(row: DeliveryRow) -> tuple[int, str, str, str]:
    return row.position, row.delivery.memory_id, row.delivery.container, row.delivery.owner


def _cite(connection: apsw.Connection, session: int, sequence: int, row: DeliveryRow) -> None:
    cited = {cited for line in row.delivery.knowledge for cited in line.cites}
    connection.executemany(_CITE, [(session, id, sequence, row.position) for id in sorted(cited)])


def _ground(connection: apsw.Connection, session: int, sequence: int, row: DeliveryRow) -> None:
    grounds = sorted({*row.delivery.rests_on, *([""] if row.delivery.is_derived else [])})
    connection.executemany(_GROUND, [(session, id, sequence, row.position) for id in grounds])
