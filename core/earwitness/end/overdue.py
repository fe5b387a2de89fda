"""What was due before and has not arrived, or was not told: it comes with the next entry, whatever that is."""

from __future__ import annotations

from ..engine import Engine
from ..live import Live, written
from ..records.journal import Changed, Entry
from ..records.plan import Plan
from .due import due_deliveries, with_arrivals


async def with_overdue(engine: Engine, live: Live, entry: Entry, plan: Plan) -> Plan:
    """The plan of any entry, with what is due by now and has not arrived, under today's guards and rules.

    For a change of the day that could not be decided, for the entry after one that brought nothing, and while there is
    something that a failing rule has not told, or a failing guard withholds.
    """
    day = plan.state_after(live.snapshot.state).game_day
    if isinstance(entry.body, Changed) and plan.due_day is not None:  # it has brought all this itself
        return plan
    if not live.untold and not live.withheld and not await due_deliveries(engine, live, entry, day):
        return plan
    data = live.data_after(plan)
    plan = await with_arrivals(engine, live, entry, plan.model_copy(update={"due_day": day}), data)
    return plan.model_copy(update={"plugin_data": written(data)})
