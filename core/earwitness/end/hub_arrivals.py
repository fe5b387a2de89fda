"""A memory in a hub whose day has come before it was decided: those who read it there tell it on all the same.

It is an entry of its own, decided after whatever the host said or changed meanwhile. It is judged as it would have been
at once: by the story as it was when the hub was told, and as it was when the day of arrival came.
"""

from __future__ import annotations

from ..carried_hubs import is_hub_memory, written_at
from ..engine import Engine
from ..live import Live, written
from ..records.journal import Entry
from ..records.plan import Delivery, Plan
from ..records.snapshot import Snapshot
from .due import arrivals_of, with_outcome
from .snapshots import snapshot_before

DERIVED_LATER = "#derived-"


async def when_told(engine: Engine, live: Live, entry: Entry, delivery: Delivery) -> Snapshot:
    """The story as it was when a plan proposed what a hub is told; as it is now for any other memory."""
    if not is_hub_memory(delivery) or not entry.key.startswith(DERIVED_LATER):
        return live.snapshot
    return await snapshot_before(engine, live, written_at(entry) + 1)


async def with_late_arrival(engine: Engine, live: Live, entry: Entry, plan: Plan) -> Plan:
    """The plan of a derived memory; of one in a hub whose day came unnoticed, as guards and rules of that day had it,
    with the further tellings."""
    late = [each for each in plan.deliveries if each.is_active and is_hub_memory(each)]
    then = await _day_came(engine, live, entry, late[0].due) if late and engine.sharing_rules else None
    if then is None:
        return plan
    data, told_at = live.data_after(plan), written_at(entry)
    arrivals = await arrivals_of(engine, live, entry, plan.model_copy(update={"deliveries": ()}), data, then.state)
    told = [each.model_copy(update={"sequence": told_at}) for each in late]  # on an earlier day, by an earlier entry
    arrivals.downstream += told
    await arrivals.arrive(told)
    await arrivals.go_on()
    arrivals.downstream = [each.model_copy(update={"sequence": entry.sequence}) for each in arrivals.downstream]
    kept = tuple(each for each in plan.deliveries if each not in late)
    plan = await with_outcome(engine, live, plan.model_copy(update={"deliveries": kept}), arrivals)
    return plan.model_copy(update={"plugin_data": written(data)})


async def _day_came(engine: Engine, live: Live, entry: Entry, due: float) -> Snapshot | None:
    """The story as it was when the day came, if that was after what told the hub was decided, and before now."""
    if due > live.snapshot.state.game_day or not entry.key.startswith(DERIVED_LATER):
        return None
    plan = await engine.ledger.plan(live.snapshot.id, written_at(entry))
    if plan is None:
        return None
    then = plan.message.message.game_day if plan.message is not None and plan.due_day is None else plan.due_day
    if then is None or due <= then:
        return None
    for number in range(written_at(entry) + 1, entry.sequence):
        found = await snapshot_before(engine, live, number + 1)
        if found.state.game_day >= due:
            return found
    return live.snapshot
