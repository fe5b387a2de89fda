"""Recorded plans: what was decided, and everything relational in it, in one transaction."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass

import apsw

from earwitness.records.plan import Plan, PluginWrite, Restoration, Snapshot, Withdrawal

from ...sqlite.blobs import deflated, inflated
from . import data, deliveries, journal, messages
from .sessions import known, name, number, rowid, rowids
from .text import as_json


@dataclass(frozen=True, slots=True)
class Recordable:
    """A plan taken apart into rows, before the transaction begins."""

    session: str
    sequence: int
    plan: bytes
    deliveries: deliveries.DeliveryRows
    message: messages.MessageRow | None
    plugin_data: Sequence[PluginWrite]
    withdrawals: Sequence[Withdrawal]
    restorations: Sequence[Restoration]
    settled: int
    after: str | None
    """The snapshot after it; `None` leaves the one that was written before."""

    @classmethod
    def of(cls, plan: Plan, after: Snapshot, *, written: bool = True) -> Recordable:
        """The rows of a plan, with the snapshot after it if it is `written`. Raises `InputError` for what JSON cannot
        hold."""
        return cls(
            session=plan.session,
            sequence=plan.sequence,
            plan=deflated(as_json(plan, exclude={"deliveries"})),
            deliveries=deliveries.DeliveryRows.of(plan.deliveries),
            message=messages.row(plan.message) if plan.message else None,
            plugin_data=plan.plugin_data,
            withdrawals=plan.withdrawals,
            restorations=plan.restorations,
            settled=after.decided,
            after=as_json(after) if written else None,
        )


def record(connection: apsw.Connection, new: Recordable, applied: Collection[str] | None = None) -> Plan | None:
    """Record a plan, or return the one this entry has. Raises `UnknownName` for an unknown session.

    `applied` are ids of deliveries that the same transaction applies; with them, the entry is applied, too.
    """
    session = known(connection, new.session)
    first = _whole(connection, session, new.sequence)
    if first is not None:
        return first
    connection.execute("INSERT INTO ledger_plans VALUES (?, ?)", (rowid(session, new.sequence), new.plan))
    for withdrawal in new.withdrawals:  # first, so that what the plan itself brings stays
        deliveries.withdraw(connection, session, withdrawal)
    for restoration in new.restorations:
        deliveries.restore(connection, session, restoration)
    deliveries.insert(connection, session, new.sequence, new.deliveries, applied or ())
    if applied is not None:
        journal.acknowledge(connection, session, [new.sequence])
    if new.message is not None:
        messages.put(connection, session, new.message)
    for written in new.plugin_data:
        data.write(connection, session, written.plugin, {written.key: written.value})
    _stand(connection, session, new)
    return None


def one(connection: apsw.Connection, session: str, sequence: int) -> Plan | None:
    """A plan as recorded."""
    its_number = number(connection, session)
    return None if its_number is None else _whole(connection, its_number, sequence)


def several(connection: apsw.Connection, session: str, up_to: int | None) -> list[Plan]:
    """Plans in sequence order."""
    its_number = number(connection, session)
    if its_number is None:
        return []
    rows = connection.execute(
        "SELECT place % 4294967296, plan FROM ledger_plans WHERE place BETWEEN ? AND ? ORDER BY place",
        rowids(its_number, 0, up_to),
    )
    found: list[tuple[int, bytes]] = rows.fetchall()  # type: ignore[assignment]
    return [_joined(connection, its_number, sequence, plan) for sequence, plan in found]


def acknowledge(connection: apsw.Connection, session: str, sequences: Sequence[int], applied: Sequence[str]) -> None:
    """Mark entries and deliveries as applied, those that are there."""
    its_number = number(connection, session)
    if its_number is None:
        return
    journal.acknowledge(connection, its_number, sequences)
    deliveries.apply(connection, its_number, applied)


def _stand(connection: apsw.Connection, session: int, new: Recordable) -> None:
    """The session as it stands after the newest plan, whichever is recorded last."""
    connection.execute(
        "UPDATE ledger_sessions SET snapshot = coalesce(?, snapshot), settled = ? WHERE number = ? AND settled < ?",
        (new.after, new.settled, session, new.sequence),
    )


def _whole(connection: apsw.Connection, session: int, sequence: int) -> Plan | None:
    plan = connection.execute("SELECT plan FROM ledger_plans WHERE place = ?", (rowid(session, sequence),)).get
    return None if plan is None else _joined(connection, session, sequence, plan)


def _joined(connection: apsw.Connection, session: int, sequence: int, plan: bytes) -> Plan:
    """The plan with its deliveries."""
    found = tuple(deliveries.recorded(connection, session, sequence))
    its_own = {"deliveries": found, "session": name(connection, session)}  # a branch has the plans of its parent
    return Plan.model_validate_json(inflated(plan)).model_copy(update=its_own)
