"""Delayed deliveries: planned when their day arrives, in (day, sequence) order, under the guards of that day.

What a guard strikes then is recorded with the plan of the change that brings the day, before anything is written.
"""

from __future__ import annotations

import asyncio
from collections.abc import Sequence

from ..engine import Engine
from ..live import Live
from ..records.journal import Entry
from ..records.plan import Answer, Delivery, Plan, Withdrawal, grouped
from .shares import guarded
from .withdrawals import downstream


async def arriving(
    engine: Engine, live: Live, entry: Entry, day: float
) -> tuple[tuple[Withdrawal, ...], tuple[Answer, ...]]:
    """What guards strike of all that is due by this day, with what would have been told on; and their answers."""
    if not engine.guards or not await engine.ledger.deliveries(entry.session, status="pending", due_by=day, limit=1):
        return (), ()
    await live.catch_up()  # what was recorded with an earlier day has arrived, and is not asked about again
    due = await engine.ledger.deliveries(entry.session, status="pending", due_by=day)
    groups = grouped(due, lambda each: each.source)
    plans = await asyncio.gather(*(_decided(engine, entry, group, day) for group in groups))
    struck = [each for plan in plans for each in plan.deliveries if not each.is_active]
    return await _strikes(engine, entry.session, struck), tuple(answer for plan in plans for answer in plan.answers)


async def _decided(engine: Engine, entry: Entry, due: Sequence[Delivery], day: float) -> Plan:
    """A plan of its own for what arrives of one source, as guards leave it."""
    about = await engine.ledger.messages(entry.session, keys=[due[0].source])
    plan = Plan(
        session=entry.session, sequence=entry.sequence, key=due[0].source, message=about[0] if about else None,
        deliveries=tuple(due), due_day=day,
    )  # fmt: skip
    return await guarded(engine, plan, silence=False)


async def _strikes(engine: Engine, session: str, struck: Sequence[Delivery]) -> tuple[Withdrawal, ...]:
    silenced = [(each, f"{each.support.shared_from} was kept from knowing it") for each in
                await downstream(engine.ledger, session, struck)] if struck else []  # fmt: skip
    return tuple(
        Withdrawal(removes={each.id: each.memory_id}, status="struck", reason=reason)
        for each, reason in (*((each, each.reason or "") for each in struck), *silenced)
    )
