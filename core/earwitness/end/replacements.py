"""What a derived memory replaces, as a summary does: it leaves recall with that one, and comes back when that goes."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Sequence

from ..protocols import Ledger
from ..records.journal import Body, Derived, Transferred
from ..records.memory_types import REPLACES
from ..records.plan import Delivery, Plan, Restoration, Withdrawal, grouped

REPLACED = "replaced by a summary"
"""The reason with which it is archived."""


async def with_replaced_archived(ledger: Ledger, plan: Plan, body: Derived, today: float) -> Plan:
    """The plan of a derived memory, with what it replaces archived. If it is struck, or not known yet, nothing is."""
    if not body.derivation.replaces:
        return plan
    arrived = [each for each in plan.deliveries if each.is_active and each.due <= today]
    found = [each for new in arrived for each in await _grounds(ledger, new) if each.is_active and is_replaceable(each)]
    removes = {each.id: each.memory_id for each in found}
    taken = [Withdrawal(removes=removes, status="archived", reason=REPLACED)] if removes else []
    return plan.model_copy(update={"withdrawals": (*plan.withdrawals, *taken)})


def is_replaceable(delivery: Delivery) -> bool:
    """Whether it may leave recall for a summary: nothing from before the story does."""
    return delivery.metadata.get("permanent") is not True


def is_replaced(delivery: Delivery) -> bool:
    """Whether it is out of recall because a summary replaces it."""
    return delivery.status == "archived" and delivery.reason == REPLACED


async def with_originals(ledger: Ledger, plan: Plan, today: float) -> Plan:
    """The plan, with what was replaced by what it removes back in recall, unless it goes as well."""
    gone = {id: memory for each in plan.withdrawals if each.status != "archived" for id, memory in each.removes.items()}
    if not gone:
        return plan
    removed = await ledger.deliveries(plan.session, memory_ids=sorted({*gone.values()}))
    alive = {each.memory_id for each in (*plan.deliveries, *removed) if each.is_kept and each.id not in gone}
    lost = [each for each in removed if each.id in gone and each.is_kept and each.memory_id not in alive]
    summaries = [each for each in lost if each.metadata.get(REPLACES)]
    back = [each for each in await _replaced_by(ledger, summaries, gone) if each.id not in gone]
    if not back:
        return plan
    restored = tuple(
        Restoration(memory_id=group[0].memory_id, restores={each.id: each.memory_id for each in group})
        for group in grouped(back, lambda each: each.memory_id)
    )
    due = today if plan.due_day is None else plan.due_day
    return plan.model_copy(update={"restorations": (*plan.restorations, *restored), "due_day": due})


async def with_replaced_supported(ledger: Ledger, plan: Plan, body: Body) -> Plan:
    """The plan, in which one more way to know what a summary replaces is archived with it: nothing is told by that."""
    told = [each.memory_id for each in plan.deliveries] if isinstance(body, Transferred) else []
    if not (supported := [*plan.supported, *told]):
        return plan
    found = await ledger.deliveries(plan.session, memory_ids=supported)
    kept = grouped([each for each in found if each.is_kept], lambda each: each.memory_id)
    away = {group[0].memory_id for group in kept if all(map(is_replaced, group))}
    return plan.model_copy(update={"deliveries": tuple(_in_archive(each, away) for each in plan.deliveries)})


def _in_archive(delivery: Delivery, away: Collection[str]) -> Delivery:
    if delivery.memory_id not in away or not delivery.is_active:
        return delivery
    return delivery.model_copy(update={"status": "archived", "reason": REPLACED})


async def _replaced_by(ledger: Ledger, summaries: Sequence[Delivery], gone: Collection[str]) -> list[Delivery]:
    """What only these summaries keep out of recall."""
    found = {each.id: each for summary in summaries for each in await _grounds(ledger, summary) if is_replaced(each)}
    if not found:
        return []
    ids = sorted({each.memory_id for each in found.values()})
    others = await ledger.deliveries(summaries[0].session, rests_on=ids)
    still = _held(each for each in others if each.is_kept and each.id not in gone and each.metadata.get(REPLACES))
    return [each for each in found.values() if each.memory_id not in still]


def _held(summaries: Iterable[Delivery]) -> set[str]:
    return {id for each in summaries for id in each.rests_on}


async def _grounds(ledger: Ledger, summary: Delivery) -> list[Delivery]:
    """The deliveries that it rests on, in its own container."""
    found = await ledger.deliveries(summary.session, memory_ids=summary.rests_on) if summary.rests_on else ()
    return [each for each in found if each.container == summary.container]
