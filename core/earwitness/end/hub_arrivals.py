"""A memory in a hub whose day has come before it was decided: those who read it there tell it on all the same.

It is an entry of its own, decided after whatever the host said or changed meanwhile. It is judged as it would have been
at once: by the story as it was when the hub was told, and as it was when the day of arrival came.
"""

from __future__ import annotations

from typing import NamedTuple

from ..carried_hubs import is_hub_memory, written_at
from ..engine import Engine
from ..ids import PROPOSED
from ..live import Live, written
from ..records.journal import Entry
from ..records.plan import Delivery, Plan
from ..records.snapshot import Snapshot
from .due import arrivals_of, with_outcome
from .snapshots import snapshot_before


class DayCame(NamedTuple):
    """A day of arrival that came before what arrives was decided."""

    told: Snapshot
    """The story as it was when the hub was told."""
    then: Snapshot
    """The story as it was when the day came."""


async def day_came(engine: Engine, live: Live, entry: Entry, delivery: Delivery) -> DayCame | None:
    """When the day of what a hub is told has come unnoticed: after the hub was told, and before this entry."""
    if not is_hub_memory(delivery) or not engine.sharing_rules:
        return None
    return await _day_came(engine, live, entry, delivery.due, live.snapshot)


async def _day_came(engine: Engine, live: Live, entry: Entry, due: float, now: Snapshot) -> DayCame | None:
    if due > now.state.game_day or not entry.key.startswith(PROPOSED):
        return None
    number = written_at(entry)
    plan = await engine.ledger.plan(now.id, number)
    if plan is None:
        return None
    told = await _arrived_late(engine, live, plan)
    day = plan.message.message.game_day if plan.message is not None and plan.due_day is None else plan.due_day
    if told is None and (day is None or due <= day):
        return None
    told = told or await snapshot_before(engine, live, number + 1)
    if due <= told.state.game_day:
        return None
    for each in range(told.decided + 1, entry.sequence):
        found = await snapshot_before(engine, live, each + 1)
        if found.state.game_day >= due:
            return DayCame(told, found)
    return DayCame(told, now)


async def _arrived_late(engine: Engine, live: Live, plan: Plan) -> Snapshot | None:
    """If something else arrived late in a hub with a plan, the story as it was when that day came."""
    found = [each for each in plan.deliveries if is_hub_memory(each) and each.source == plan.key]
    entry = await engine.ledger.entry(plan.session, key=plan.key) if found else None
    if entry is None:
        return None
    now = await snapshot_before(engine, live, plan.sequence)
    came = await _day_came(engine, live, entry, found[0].due, now)
    return None if came is None else came.then


async def with_late_arrival(engine: Engine, live: Live, entry: Entry, plan: Plan, came: DayCame | None) -> Plan:
    """The plan of a derived memory; of one in a hub whose day came unnoticed, as guards and rules of that day had it,
    with the further tellings."""
    late = [each for each in plan.deliveries if each.is_active and is_hub_memory(each)]
    if not late or came is None:
        return plan
    data, told_at = live.data_after(plan), written_at(entry)
    bare = plan.model_copy(update={"deliveries": ()})
    arrivals = await arrivals_of(engine, live, entry, bare, data, came.then.state)
    told = [each.model_copy(update={"sequence": told_at}) for each in late]  # on an earlier day, by an earlier entry
    arrivals.downstream += told
    await arrivals.arrive(told)
    await arrivals.go_on()
    arrivals.downstream = [each.model_copy(update={"sequence": entry.sequence}) for each in arrivals.downstream]
    kept = tuple(each for each in plan.deliveries if each not in late)
    plan = await with_outcome(engine, live, plan.model_copy(update={"deliveries": kept}), arrivals)
    return plan.model_copy(update={"plugin_data": written(data)})
