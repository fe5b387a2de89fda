"""Recorded plans: what was decided, and everything relational in it, in one transaction."""

from __future__ import annotations

import asyncio
from collections.abc import Collection, Sequence
from dataclasses import dataclass
from functools import partial
from typing import NamedTuple

import apsw

from earwitness.copies.plan_text import WrittenPlan, plan_of
from earwitness.records.plan import Plan, PluginWrite, Restoration, Withdrawal
from earwitness.records.snapshot import Snapshot

from ...sqlite.blobs import deflated, inflated
from ..facts import without
from . import data, deliveries, facts, journal, layers, messages
from .crowds import Crowds
from .delivery_rows import DeliveryRows
from .facts import FactsChange
from .layers import SessionView
from .sessions import known, rowid, rowids

MANY = 256
"""The texts of a plan with more deliveries are made on a thread."""
_RANGE = "SELECT place % 4294967296, plan FROM ledger_plans WHERE place BETWEEN ? AND ? ORDER BY place"


@dataclass(frozen=True, slots=True)
class Recordable:
    """A plan taken apart into rows, before the transaction begins."""

    session: str
    sequence: int
    plan: bytes
    deliveries: DeliveryRows
    message: messages.MessageRow | None
    plugin_data: Sequence[PluginWrite]
    withdrawals: Sequence[Withdrawal]
    restorations: Sequence[Restoration]
    settled: int
    after: str | None
    """The snapshot after it; `None` leaves the one that was written before."""
    facts: FactsChange

    @classmethod
    async def of(cls, plan: Plan, after: Snapshot, changed: FactsChange, *, written: bool = True) -> Recordable:
        """The rows of a plan, with the snapshot after it if it is `written`. Raises `InputError` for what JSON cannot
        hold."""
        packed = partial(_packed, plan, after if written else None)
        texts = await asyncio.to_thread(packed) if len(plan.deliveries) > MANY else packed()
        return cls(
            session=plan.session,
            sequence=plan.sequence,
            plan=texts.plan,
            deliveries=await DeliveryRows.of(plan.deliveries),
            message=texts.message,
            plugin_data=plan.plugin_data,
            withdrawals=plan.withdrawals,
            restorations=plan.restorations,
            settled=after.decided,
            after=texts.after,
            facts=changed,
        )


class _Packed(NamedTuple):
    """The long texts of a plan's rows."""

    plan: bytes
    message: messages.MessageRow | None
    after: str | None


def _packed(plan: Plan, after: Snapshot | None) -> _Packed:
    texts, settled = WrittenPlan.of(plan), plan.message
    row = None if settled is None or texts.message is None else messages.row(settled, texts.message)
    return _Packed(deflated(texts.plan), row, None if after is None else without(after))


def record(
    connection: apsw.Connection, new: Recordable, crowds: Crowds, applied: Collection[str] | None = None
) -> Plan | None:
    """Record a plan, or return the one this entry has. Raises `UnknownName` for an unknown session.

    `applied` are ids of deliveries that the same transaction applies; with them, the entry is applied, too.
    """
    seen = known(connection, new.session)
    session = seen.number
    if _is_there(connection, seen, new.sequence):
        crowds.write_out(connection, seen)
        return one(connection, seen, new.sequence)
    if new.withdrawals or new.restorations:
        crowds.write_out(connection, seen)
    connection.execute("INSERT INTO ledger_plans VALUES (?, ?)", (rowid(session, new.sequence), new.plan))
    for withdrawal in new.withdrawals:  # first, so that what the plan itself brings stays
        deliveries.withdraw(connection, seen, withdrawal)
    for restoration in new.restorations:
        deliveries.restore(connection, seen, restoration)
    deliveries.insert(connection, seen, new.sequence, new.deliveries, applied or (), crowds)
    if applied is not None:
        journal.acknowledge(connection, session, [new.sequence])
    if new.message is not None:
        messages.put(connection, seen, new.message)
    for written in new.plugin_data:
        data.write(connection, session, written.plugin, {written.key: written.value})
    _stand(connection, session, new)
    return None


def one(connection: apsw.Connection, seen: SessionView, sequence: int) -> Plan | None:
    """A plan as recorded."""
    for layer in layers.at(connection, seen, sequence):
        plan = connection.execute("SELECT plan FROM ledger_plans WHERE place = ?", (rowid(layer, sequence),)).get
        if plan is not None:
            return _joined(connection, seen, sequence, plan)
    return None


def several(connection: apsw.Connection, seen: SessionView, up_to: int | None) -> list[Plan]:
    """Plans in sequence order."""
    return [_joined(connection, seen, sequence, plan) for sequence, plan in between(connection, seen, 0, up_to)]


def between(
    connection: apsw.Connection, seen: SessionView, after: int, up_to: int | None = None
) -> list[tuple[int, bytes]]:
    """Sequence numbers and plans without their deliveries, after one entry and up to another."""
    found: list[tuple[int, bytes]] = []
    for layer in layers.ranges(connection, seen, after, up_to):
        rows = connection.execute(_RANGE, rowids(layer.number, layer.after, layer.up_to))
        found += rows.fetchall()  # type: ignore[arg-type]
    return found


def acknowledge(
    connection: apsw.Connection, session: str, sequences: Sequence[int], applied: Sequence[str], crowds: Crowds
) -> None:
    """Mark entries and deliveries as applied, those that are there."""
    seen = layers.view(connection, session)
    if seen is None:
        return
    journal.acknowledge(connection, seen.number, sequences)
    deliveries.apply(connection, seen, applied, crowds)


def _stand(connection: apsw.Connection, session: int, new: Recordable) -> None:
    """The session as it stands after the newest plan, whichever is recorded last."""
    connection.execute(
        "UPDATE ledger_sessions SET snapshot = coalesce(?, snapshot), settled = ? WHERE number = ? AND settled < ?",
        (new.after, new.settled, session, new.sequence),
    )
    if connection.changes():
        facts.change(connection, session, new.facts)


def _is_there(connection: apsw.Connection, seen: SessionView, sequence: int) -> bool:
    there = "SELECT 1 FROM ledger_plans WHERE place = ?"
    places = (rowid(layer, sequence) for layer in layers.at(connection, seen, sequence))
    return any(connection.execute(there, (place,)).get for place in places)


def _joined(connection: apsw.Connection, seen: SessionView, sequence: int, plan: bytes) -> Plan:
    """The plan with its deliveries."""
    its_own = {"deliveries": tuple(deliveries.recorded(connection, seen, sequence)), "session": seen.id}
    return plan_of(inflated(plan)).model_copy(update=its_own)
