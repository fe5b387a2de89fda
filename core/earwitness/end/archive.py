"""The archive: memories are out of recall until they are restored. Memories that rest on them stay."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

from ..carried_hubs import carried_keys, is_hub_memory
from ..engine import Engine
from ..live import Live
from ..protocols import Ledger
from ..records.journal import Archived, Entry
from ..records.plan import Delivery, Plan, Restoration, Withdrawal, grouped
from .replacements import is_replaced
from .withheld import is_withheld

NEWER = "replaced by a newer version: {key}"
"""The reason with which an older version is archived; it names the entry."""
DeliveriesById = Mapping[str, Sequence[Delivery]]
"""Memory id → its deliveries."""


async def archived(engine: Engine, live: Live, entry: Entry, body: Archived) -> Plan:
    """The plan that takes memories out of recall, or restores those archived and not retracted since."""
    found = await named(engine.ledger, live.snapshot.id, body.memories)
    of_each = {id: deliveries for each in found.values() for id, deliveries in each.items()}
    plan = Plan(session=live.snapshot.id, sequence=entry.sequence, key=entry.key)
    if body.restore:
        back = tuple(_restored(id, deliveries) for id, deliveries in of_each.items())
        return plan.model_copy(update={"restorations": back, "due_day": live.snapshot.state.game_day})
    if body.dropped is not None:
        dropped = tuple(_dropped(id, deliveries, body.dropped) for id, deliveries in of_each.items())
        return plan.model_copy(update={"withdrawals": dropped})
    why = NEWER.format(key=entry.key) if body.newer else "archived"
    taken = [_taken_out(id, deliveries, why) for id, deliveries in of_each.items()]
    given_up = [_given_up(id, deliveries) for id, deliveries in of_each.items() if any(map(is_withheld, deliveries))]
    return plan.model_copy(update={"withdrawals": (*taken, *given_up)})


async def named(ledger: Ledger, session: str, given: Sequence[str]) -> Mapping[str, DeliveriesById]:
    """Memory id or key → the memories that are meant, by id with their deliveries: for a key all copies, and what is
    read of it in hubs instead of copies.

    Those of the present wording, if the message was edited since.
    """
    by_id = _by_id(await ledger.deliveries(session, memory_ids=given))
    keys = [each for each in dict.fromkeys(given) if each not in by_id]
    copies = grouped(await ledger.deliveries(session, sources=keys), lambda each: each.source) if keys else ()
    by_key = {group[0].source: _kept_or_all(_by_id(await _with_hubs(ledger, session, group))) for group in copies}
    missing = [each for each in keys if each not in by_key]
    for key, carried in (await carried_keys(ledger, session, missing) if missing else {}).items():
        by_key.setdefault(key, _kept_or_all(_by_id(await ledger.deliveries(session, sources=carried))))
    return {
        each: {each: await _present(ledger, by_id[each])} if each in by_id else by_key.get(each, {})
        for each in dict.fromkeys(given)
    }


async def _with_hubs(ledger: Ledger, session: str, copies: Sequence[Delivery]) -> Sequence[Delivery]:
    """The copies of a message, and what members of pantheons read of it instead of a copy."""
    resting = await ledger.deliveries(session, rests_on=list(dict.fromkeys(each.memory_id for each in copies)))
    return [*copies, *(each for each in resting if is_hub_memory(each))]


async def as_archived_in_hub(ledger: Ledger, delivery: Delivery) -> Delivery:
    """What a hub is told; archived if it is about a message whose memories are, as each copy of an edit is."""
    if not is_hub_memory(delivery) or not delivery.is_active:
        return delivery
    grounds = await ledger.deliveries(delivery.session, memory_ids=delivery.rests_on, status="archived")
    return _in_archive(delivery) if any(map(_is_archived, grounds)) else delivery


def _by_id(deliveries: Iterable[Delivery]) -> dict[str, Sequence[Delivery]]:
    return {group[0].memory_id: group for group in grouped(deliveries, lambda each: each.memory_id)}


def _kept_or_all(memories: DeliveriesById) -> DeliveriesById:
    kept = {id: deliveries for id, deliveries in memories.items() if any(each.is_kept for each in deliveries)}
    return kept or memories


async def _present(ledger: Ledger, deliveries: Sequence[Delivery]) -> Sequence[Delivery]:
    if not deliveries or any(each.is_kept for each in deliveries):
        return deliveries
    old = deliveries[0]
    later = await ledger.deliveries(old.session, sources=[old.source], container=old.container)
    return [each for each in later if each.is_kept and each.part == old.part] or deliveries


def _taken_out(id: str, deliveries: Sequence[Delivery], why: str) -> Withdrawal:
    removes = {each.id: each.memory_id for each in deliveries if each.is_active}
    return Withdrawal(memory_id=id, removes=removes, status="archived", reason=why)


def key_of_newer(delivery: Delivery) -> str | None:
    """Key of the entry with which a newer version took the place of an archived delivery; `None` if none did."""
    start = NEWER.format(key="")
    reason = delivery.reason or ""
    return reason.removeprefix(start) if delivery.status == "archived" and reason.startswith(start) else None


def _given_up(id: str, deliveries: Sequence[Delivery]) -> Withdrawal:
    """What waits until a guard can be asked never arrives then: nobody is asked about what is restored."""
    waiting = {each.id: each.memory_id for each in deliveries if is_withheld(each)}
    return Withdrawal(memory_id=id, removes=waiting, status="struck", reason="archived while it waited")


def _dropped(id: str, deliveries: Sequence[Delivery], why: str) -> Withdrawal:
    """What the store has not taken, and is never to take."""
    waiting = {each.id: each.memory_id for each in deliveries if each.status == "pending"}
    return Withdrawal(memory_id=id, removes=waiting, status="struck", reason=why)


def _restored(id: str, deliveries: Sequence[Delivery]) -> Restoration:
    archived = {each.id: each.memory_id for each in deliveries if _is_archived(each)}
    return Restoration(memory_id=id, restores=archived)


async def still_archived(ledger: Ledger, plan: Plan, source: str) -> Plan:
    """The plan of an edit, in which whatever was archived of the old wording is archived in the new one too.

    If what hubs were told of it is archived, so is what its readers now have as their own.
    """
    found = await ledger.deliveries(plan.session, sources=[source], status="archived")
    if not (away := [each for each in found if _is_archived(each) and not is_replaced(each)]):
        return plan
    there = [each for each in await ledger.deliveries(plan.session, sources=[source]) if each.is_active]
    active = {each.memory_id for each in there}
    places = {(each.container, each.part) for each in away if each.memory_id not in active}
    resting = await ledger.deliveries(plan.session, rests_on=[each.memory_id for each in away], status="archived")
    if any(is_hub_memory(each) and _is_archived(each) for each in resting):
        told = {(each.container, each.part) for each in plan.deliveries if each.support.shared_from is not None}
        places |= told - {(each.container, each.part) for each in there}
    return plan.model_copy(update={"deliveries": tuple(_as_archived(each, places) for each in plan.deliveries)})


def _as_archived(delivery: Delivery, places: set[tuple[str, str]]) -> Delivery:
    if not delivery.is_active or (delivery.container, delivery.part) not in places:
        return delivery
    return _in_archive(delivery)


def _is_archived(delivery: Delivery) -> bool:
    """Whether a host has archived it."""
    return delivery.status == "archived" and not is_withheld(delivery)


def _in_archive(delivery: Delivery) -> Delivery:
    return delivery.model_copy(update={"status": "archived", "reason": "archived"})
