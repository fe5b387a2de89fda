"""Recorded plans: what was decided, and everything relational in it, in one transaction."""

from __future__ import annotations

import asyncio
from collections.abc import Collection, Sequence
from dataclasses import dataclass
from functools import partial
from typing import NamedTuple

from earwitness.copies.json_text import as_json
from earwitness.records.plan import Plan
from earwitness.records.snapshot import Snapshot

from ...postgres import Connection
from ..facts import without
from . import data, deliveries, facts, journal, messages
from .facts import PlanFacts
from .sessions import lock, unknown_session

MANY = 256
"""The texts of a plan with more deliveries are made on a thread."""
_THERE = "SELECT 1 FROM earwitness.plan WHERE session = %s AND sequence = %s"
_INSERT = "INSERT INTO earwitness.plan (session, sequence, plan) VALUES (%s, %s, %s)"
_ADVANCE = (
    "UPDATE earwitness.session SET snapshot = %s, decided = %s, version = DEFAULT WHERE id = %s AND decided < %s"
    " RETURNING version"
)
_ONE = "SELECT sequence, plan::text FROM earwitness.plan WHERE session = %s AND sequence = %s"
_SEVERAL = "SELECT sequence, plan::text FROM earwitness.plan WHERE session = %s AND sequence <= %s ORDER BY sequence"


class _PlanTexts(NamedTuple):
    """The long texts of a plan, as JSON."""

    plan: str
    message: str | None
    after: str


@dataclass(frozen=True, slots=True)
class PlanRows:
    """A plan taken apart into rows, before the transaction begins."""

    plan: Plan
    decided: int
    texts: _PlanTexts
    deliveries: deliveries.DeliveryColumns
    data: list[data.DataText]
    facts: PlanFacts

    @classmethod
    async def of(cls, plan: Plan, after: Snapshot, changed: PlanFacts) -> PlanRows:
        """The rows of a plan, and the session after it. Raises `InputError` for what JSON cannot hold."""
        made = partial(_texts, plan, after)
        texts = await asyncio.to_thread(made) if len(plan.deliveries) > MANY else made()
        columns = await deliveries.DeliveryColumns.of(plan.deliveries)
        kept = [text for each in plan.plugin_data for text in data.as_texts(each.plugin, {each.key: each.value})]
        return cls(plan, after.decided, texts, columns, kept, changed)


def _texts(plan: Plan, after: Snapshot) -> _PlanTexts:
    if plan.message is None:
        return _PlanTexts(as_json(plan, exclude={"deliveries"}), None, without(after))
    message = as_json(plan.message)
    rest = as_json(plan, exclude={"deliveries", "message"})
    return _PlanTexts(f'{rest[:-1]},"message":{message}}}', message, without(after))


class Recorded(NamedTuple):
    """What became of a plan that was to be recorded."""

    first: Plan | None
    """The plan that the entry had already; `None` if this one is recorded."""
    version: int | None = None
    """The number of the session's snapshot after it; `None` if a later plan was recorded before."""


async def record(connection: Connection, new: PlanRows, applied: Collection[str] | None = None) -> Recorded:
    """Record a plan, unless the entry has one already. Raises `UnknownName` for an unknown session.

    `applied` are ids of deliveries that the same transaction applies; with them, the entry is applied, too.
    """
    session, sequence = new.plan.session, new.plan.sequence
    async with connection.pipeline():
        story = await lock(connection, session)
        there = await connection.execute(_THERE, (session, sequence))
    if (before := await story.fetchone()) is None:
        raise await unknown_session(connection, session)
    if await there.fetchone() is not None:
        return Recorded(await one(connection, session, sequence))
    async with connection.pipeline():
        await _write(connection, new, applied)
        version, decided = before
        if decided < sequence:
            await facts.change(connection, session, version, new.facts)
        advanced = await connection.execute(_ADVANCE, (new.texts.after, new.decided, session, sequence))
    found = await advanced.fetchone()
    return Recorded(None, None if found is None else int(found[0]))


async def _write(connection: Connection, new: PlanRows, applied: Collection[str] | None) -> None:
    session, sequence = new.plan.session, new.plan.sequence
    await connection.execute(_INSERT, (session, sequence, new.texts.plan))
    for withdrawal in new.plan.withdrawals:  # first, so that what the plan itself brings stays
        await deliveries.withdraw(connection, session, withdrawal)
    for restoration in new.plan.restorations:
        await deliveries.restore(connection, session, restoration)
    await deliveries.insert(connection, session, sequence, new.deliveries, applied or ())
    if applied is not None:
        await connection.execute(journal.APPLY, (session, [sequence]))
    if new.plan.message is not None:
        message = new.plan.message.message
        await connection.execute(messages.PUT, (session, message.key, message.sequence, new.texts.message))
    await data.write(connection, session, new.data)


async def one(connection: Connection, session: str, sequence: int) -> Plan | None:
    """A plan as recorded."""
    rows = await (await connection.execute(_ONE, (session, sequence))).fetchall()
    return next(iter(await _joined(connection, session, rows)), None)


async def several(connection: Connection, session: str, up_to: int) -> list[Plan]:
    """Plans in sequence order."""
    rows = await (await connection.execute(_SEVERAL, (session, up_to))).fetchall()
    return await _joined(connection, session, rows)


async def acknowledge(connection: Connection, session: str, sequences: Sequence[int], applied: Sequence[str]) -> None:
    """Mark entries and deliveries as applied, those that are there."""
    async with connection.pipeline():
        await lock(connection, session)
        if sequences:
            await connection.execute(journal.APPLY, (session, list(sequences)))
        await deliveries.apply(connection, session, applied)


async def _joined(connection: Connection, session: str, rows: Sequence[tuple[int, str]]) -> list[Plan]:
    """Plans with their deliveries."""
    if not rows:
        return []
    found = await deliveries.recorded(connection, session, [sequence for sequence, _ in rows])
    return [
        Plan.model_validate_json(text).model_copy(update={"deliveries": tuple(found[sequence]), "session": session})
        for sequence, text in rows
    ]
