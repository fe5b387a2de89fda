"""Deliveries: written once by a plan, applied once, and shown with their plan."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence
from itertools import groupby
from operator import itemgetter
from typing import cast

import apsw

from earwitness.records.plan import Delivery, Restoration, Withdrawal

from ..text import as_list
from . import layers, shared
from .crowds import Crowds
from .delivery_rows import MANY, AlikeColumns, DeliveryRows, DeliveryRun, OwnColumns, write
from .layers import SessionView

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
MANY_IDS = 8
"""As many ids or more are looked for by one statement."""


def insert(
    connection: apsw.Connection,
    seen: SessionView,
    sequence: int,
    new: DeliveryRows,
    applied: Collection[str],
    crowds: Crowds,
) -> None:
    """Add a plan's deliveries. One that exists stays as it is: struck or withdrawn, pending or applied.

    Those with an id in `applied` are applied, also if they were pending before.
    """
    place = (seen.number, sequence)
    if crowds.hold(connection, seen.number, new):
        crowds.write_out(connection, seen)
    there = _existing(connection, seen, new)
    numbers = shared.insert(connection, *place, new.shared)
    if new.has_crowd and not applied and not there:
        for run in new.runs:
            if run.is_crowd:
                crowds.insert(connection, place, run, numbers)
        new = new.without_crowds
    _insert_rows(connection, place, new, numbers, applied, there)
    apply(connection, seen, there.intersection(applied), crowds)


def _insert_rows(
    connection: apsw.Connection,
    place: tuple[int, int],
    new: DeliveryRows,
    numbers: Mapping[str, int],
    applied: Collection[str],
    there: Collection[str],
) -> None:
    """Add rows; `there` are ids of those that exist."""
    first = {row[1]: row[0] for run in reversed(new.runs) for row in reversed(run.rows)}
    is_all_new = not there and len(first) == new.size
    added, repeated = list[tuple[Sequence[OwnColumns], DeliveryRun]](), list[tuple[OwnColumns, DeliveryRun]]()
    for run in new.runs:
        rows = run.rows if is_all_new else [row for row in run.rows if _is_added(row, first, there)]
        added.append((rows, run))
        if len(rows) < len(run.rows):
            repeated += [(row, run) for row in run.rows if not _is_added(row, first, there)]
    write(connection, place, [each for rows, run in added for each in _alike(rows, run, numbers, applied)])
    connection.executemany(_REPEAT, [(*place, row[0], *row[2:], *run.numbers(numbers)) for row, run in repeated])
    for rows, run in added:
        _link(connection, place, rows, run.first)


def _is_added(row: OwnColumns, first: Mapping[str, int], there: Collection[str]) -> bool:
    """Whether a row is the first of its id in the plan, and its delivery does not exist."""
    return first[row[1]] == row[0] and row[1] not in there


def _alike(
    rows: Sequence[OwnColumns], run: DeliveryRun, numbers: Mapping[str, int], applied: Collection[str]
) -> Iterator[tuple[Sequence[OwnColumns], AlikeColumns]]:
    """Rows of a run with what they have in common: those one after the other that are applied, or are not."""
    if not applied:
        yield rows, run.columns(numbers, applied=False)
        return
    for is_applied, some in groupby(rows, lambda row: row[1] in applied):
        yield [*some], run.columns(numbers, applied=is_applied)


def apply(connection: apsw.Connection, seen: SessionView, ids: Collection[str], crowds: Crowds) -> None:
    """What was pending is applied; what was struck or withdrawn meanwhile stays so."""
    before = connection.total_changes()
    if seen.reads or seen.is_read:
        _apply_in_view(connection, seen, ids)
    elif len(ids) >= MANY_IDS:
        connection.execute(_APPLY_MANY, (seen.number, as_list(ids)))
    else:
        connection.executemany(_APPLY, [(seen.number, id) for id in ids])
    if connection.total_changes() - before < len(ids):
        crowds.apply(connection, seen.number, ids)


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


def _existing(connection: apsw.Connection, seen: SessionView, new: DeliveryRows) -> set[str]:
    """Ids of all deliveries to the memories of these rows: equal ids mean equal memories.

    To whoever joins under the id of somebody forgotten, what was due to the first is news again.
    """
    if new.size > MANY and _are_first(connection, seen, new):
        return set()
    found = connection.execute(
        f"SELECT d.id FROM {seen.deliveries('memory')} AND d.memory_id IN ({_ASKED})"  # noqa: S608 - our own words
        f" AND NOT {seen.is_forgotten}",
        (seen.number, as_list(new.memories)),
    )
    return {str(id) for (id,) in found}


def _are_first(connection: apsw.Connection, seen: SessionView, new: DeliveryRows) -> bool:
    """Whether they are copies of messages of which nobody has had anything: so thousands need not be looked for."""
    sources = {run.first.source for run in new.runs}
    found = f"SELECT EXISTS (SELECT 1 FROM {seen.deliveries('source')} AND d.source IN ({_ASKED}))"  # noqa: S608
    return all(run.is_copies for run in new.runs) and not connection.execute(found, (seen.number, as_list(sources))).get


def _link(connection: apsw.Connection, place: tuple[int, int], rows: Sequence[OwnColumns], like: Delivery) -> None:
    """Note what deliveries cite and rest on, in rows that were just written; all are `like` this one."""
    session, sequence = place
    cited = sorted({cited for line in like.knowledge for cited in line.cites})
    grounds = sorted({*like.rests_on, *([""] if like.is_derived else [])})
    for position, *_ in rows if cited or grounds else ():
        connection.executemany(_CITE, [(session, id, sequence, position) for id in cited])
        connection.executemany(_GROUND, [(session, id, sequence, position) for id in grounds])
