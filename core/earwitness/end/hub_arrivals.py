"""A memory in a hub whose day has come before it was decided: those who read it there tell it on all the same.

It is an entry of its own. When the day changes between the message and that entry, no change of the day brings it.
"""

from __future__ import annotations

from ..carried_hubs import is_hub_memory, written_at
from ..engine import Engine
from ..live import Live, written
from ..records.journal import Entry
from ..records.plan import Plan
from .due import arrivals_of, with_outcome


async def with_late_arrival(engine: Engine, live: Live, entry: Entry, plan: Plan) -> Plan:
    """The plan of a derived memory; of one in a hub whose day came unnoticed, with the further tellings."""
    late = [each for each in plan.deliveries if each.is_active and is_hub_memory(each)]
    if not late or not engine.sharing_rules or not await _came_unnoticed(engine, live, entry, late[0].due):
        return plan
    data = live.data_after(plan)
    arrivals = await arrivals_of(engine, live, entry, plan.model_copy(update={"deliveries": ()}), data)
    arrivals.downstream += late
    await arrivals.arrive(late)
    kept = tuple(each for each in plan.deliveries if each not in late)
    plan = await with_outcome(engine, live, plan.model_copy(update={"deliveries": kept}), arrivals)
    return plan.model_copy(update={"plugin_data": written(data)})


async def _came_unnoticed(engine: Engine, live: Live, entry: Entry, due: float) -> bool:
    """Whether the day came after what told the hub was decided, and has come by now."""
    if due > live.snapshot.state.game_day or not entry.key.startswith("#derived-"):
        return False
    plan = await engine.ledger.plan(live.snapshot.id, written_at(entry))
    if plan is None:
        return False
    then = plan.message.message.game_day if plan.message is not None and plan.due_day is None else plan.due_day
    return then is not None and due > then
