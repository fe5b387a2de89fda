"""The archive: memories are out of recall until they are restored. Memories that rest on them stay."""

from __future__ import annotations

from collections.abc import Sequence

from ..engine import Engine
from ..live import Live
from ..records.journal import Archived, Entry
from ..records.plan import Delivery, Plan, Restoration, Withdrawal


async def archived(engine: Engine, live: Live, entry: Entry, body: Archived) -> Plan:
    """The plan that takes memories out of recall, or restores those archived and not retracted since."""
    found = await engine.ledger.deliveries(live.snapshot.id, memory_ids=body.memories)
    of_each = {id: [each for each in found if each.memory_id == id] for id in dict.fromkeys(body.memories)}
    plan = Plan(session=live.snapshot.id, sequence=entry.sequence, key=entry.key)
    if body.restore:
        back = tuple(_restored(id, deliveries) for id, deliveries in of_each.items())
        return plan.model_copy(update={"restorations": back, "due_day": live.snapshot.state.game_day})
    return plan.model_copy(
        update={"withdrawals": tuple(_taken_out(id, deliveries) for id, deliveries in of_each.items())}
    )


def _taken_out(id: str, deliveries: Sequence[Delivery]) -> Withdrawal:
    removes = {each.id: id for each in deliveries if each.is_active}
    return Withdrawal(memory_id=id, removes=removes, status="archived", reason="archived")


def _restored(id: str, deliveries: Sequence[Delivery]) -> Restoration:
    return Restoration(memory_id=id, restores={each.id: id for each in deliveries if each.status == "archived"})
