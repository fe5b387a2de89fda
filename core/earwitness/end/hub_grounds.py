"""Grounds that somebody reads in a pantheon's hub: a note on them rests on a copy of theirs, as without the hub.

The note is not known before what it rests on, and goes when the hub loses that.
"""

from __future__ import annotations

from collections.abc import Iterator

from ..containers import character_container
from ..engine import Engine
from ..live import Live
from ..records.derived import Derivation
from ..records.journal import Entry
from ..records.plan import Delivery, Plan
from .hub_copies import copies_from_hubs

KEPT = "it rests on {ground!r}, which was kept from {owner}"


async def read_in_hubs(engine: Engine, live: Live, entry: Entry, derivation: Derivation) -> list[Delivery]:
    """Copies of the messages that a memory rests on, for those who must know them and only read them in a hub.

    Raises `StorageError`, and `StrategyError` if `strict`.
    """
    who = [*dict.fromkeys(_who(live, derivation))]
    if not engine.read_providers or not who or not derivation.rests_on:
        return []
    ledger, session = engine.ledger, entry.session
    messages = await ledger.messages(session, keys=derivation.rests_on)
    keys = [each.key for each in messages if not each.retracted]
    if not keys:
        return []
    containers = {id: character_container(session, id).name for id in who}
    only = containers[who[0]] if len(who) == 1 else None
    own = await ledger.deliveries(session, sources=keys, container=only)
    has = {(each.container, each.source) for each in own if each.status != "withdrawn"}
    lacking = [(id, key) for id in who for key in keys if (containers[id], key) not in has]
    return [copy for id, key in lacking for copy in await copies_from_hubs(engine, live, id, key, entry.sequence)]


def _who(live: Live, derivation: Derivation) -> Iterator[str]:
    cast = live.snapshot.cast
    for name in (*([derivation.owner] if derivation.owner else ()), *derivation.knowers):
        if (found := cast.resolve(name)) is not None:
            yield found.id


def without_struck_grounds(plan: Plan) -> Plan:
    """The plan of a memory, struck if a guard strikes what it rests on, which is delivered with it."""
    gone = {each.memory_id: each.owner for each in plan.deliveries if not each.is_kept}
    gone = {id: owner for id, owner in gone.items() if not any(_keeps(each, id) for each in plan.deliveries)}
    return plan.model_copy(update={"deliveries": tuple(_struck(each, gone) for each in plan.deliveries)})


def _keeps(delivery: Delivery, memory: str) -> bool:
    return delivery.memory_id == memory and delivery.is_kept


def _struck(delivery: Delivery, gone: dict[str, str]) -> Delivery:
    ground = next((id for id in delivery.rests_on if id in gone), None)
    if ground is None or not delivery.is_kept:
        return delivery
    return delivery.model_copy(update={"status": "struck", "reason": KEPT.format(ground=ground, owner=gone[ground])})
