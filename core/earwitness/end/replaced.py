"""An edit or reroll of a message whose tellings have arrived since: they arrive anew, each on its day."""

from __future__ import annotations

from collections.abc import Iterator

from ..carried_hubs import is_hub_memory
from ..engine import Engine
from ..live import Live, written
from ..records.journal import Derived, Entry
from ..records.plan import Delivery, Plan
from .derivations import proposed_entries
from .derived import of_derivation
from .due import Arrivals, with_outcome
from .grounds import Grounds
from .told_before import Telling, telling_of


async def with_replaced(engine: Engine, live: Live, entry: Entry, plan: Plan) -> Plan:
    """The plan of an edit or reroll: tellings whose day has come since the message arrive anew, each on its day.

    Guards and rules are asked again, so that nothing arrives that was struck on its day; what had arrived in the old
    words is asked about like what is told now. Whoever is reached tells it on: also those who read it in a hub, though
    the hub's memory is an entry of its own, decided later.
    """
    said, today = plan.message, plan.state_after(live.snapshot.state).game_day
    if said is None or not (engine.guards or engine.sharing_rules):
        return plan
    then = said.message.game_day
    copies = [each for each in plan.deliveries if each.is_active and then < each.due <= today]
    hubs = [each for each in _in_hubs(live, plan, then) if then < each.due <= today]
    if not copies and not hubs:
        return plan
    data = live.data_after(plan)
    plan = plan.model_copy(update={"deliveries": tuple(each for each in plan.deliveries if each not in copies)})
    arrivals = Arrivals(engine, live, entry, plan, data, told_before=await _told_before(engine, live, plan))
    arrivals.downstream += [*copies, *hubs]
    await arrivals.arrive([*copies, *hubs])
    expected = {each.id for each in hubs}
    arrivals.downstream = [each for each in arrivals.downstream if each.id not in expected]
    plan = await with_outcome(engine, live, plan, arrivals)
    return plan.model_copy(update={"plugin_data": written(data)})


async def _told_before(engine: Engine, live: Live, plan: Plan) -> frozenset[Telling]:
    """What has arrived of the wording that is replaced, and stands."""
    old = await engine.ledger.deliveries(plan.session, sources=[plan.key])
    has_arrived = live.has_arrived()
    return frozenset(telling_of(each) for each in old if each.is_active and has_arrived(each))


def _in_hubs(live: Live, plan: Plan, then: float) -> Iterator[Delivery]:
    """The memories in hubs that the plan of a message said `then` proposes, as they will be delivered."""
    for number, proposal in enumerate(proposed_entries(plan)):
        body = proposal.body
        if not isinstance(body, Derived) or (container := body.derivation.registers) is None:
            continue
        entry = Entry(
            session=plan.session,
            sequence=plan.sequence + number + 1,
            key=proposal.key or "",
            body=body,
            timestamp=proposal.timestamp or "",
        )
        delivery = of_derivation(entry, body.derivation, container, Grounds(), then, live.snapshot.ids)
        if is_hub_memory(delivery):
            yield delivery
