"""What falls when something is taken away: found when that is decided, recorded with the plan, never looked for again.

So a branch, an import or a second start takes away exactly what fell the first time, whoever was forgotten since.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from collections.abc import Set as AbstractSet

from ..protocols import Ledger
from ..records.plan import Delivery, Withdrawal


async def of_source(ledger: Ledger, session: str, source: str, reason: str) -> Withdrawal:
    """Everything about this source, first hand or told, active or archived, and what was derived from it."""
    return await of_deliveries(ledger, session, await ledger.deliveries(session, sources=[source]), reason, source)


async def of_memory(ledger: Ledger, session: str, memory_id: str, reason: str) -> Withdrawal:
    """Every way to one memory, and what was told on or derived from it."""
    ways = await ledger.deliveries(session, memory_ids=[memory_id])
    found = await of_deliveries(ledger, session, ways, reason)
    return found.model_copy(update={"memory_id": memory_id})


async def of_deliveries(
    ledger: Ledger, session: str, deliveries: Iterable[Delivery], reason: str, source: str | None = None
) -> Withdrawal:
    """These deliveries, and what was told on or derived from them."""
    gone = _kept(deliveries)
    removes = _ids([*gone, *await downstream(ledger, session, gone)])
    return Withdrawal(source=source, reason=reason, removes=removes)


async def downstream(ledger: Ledger, session: str, gone: Sequence[Delivery]) -> list[Delivery]:
    """What was told on or derived from deliveries that go, over any number of steps, where nothing else holds it up.

    What was told holds as long as one of its tellers' memories does; what was derived, as long as everything does that
    it rests on. A circle of memories that rest on each other holds nothing up, so support is followed from firm
    ground: from deliveries to the memories concerned that do not go back to what goes.
    """
    doubtful = await _going_back_to(ledger, session, gone)
    if not doubtful:
        return []
    concerned = {each.memory_id for each in (*gone, *doubtful)}
    every = _kept(await ledger.deliveries(session, memory_ids=sorted(concerned)))
    unsure = {each.id for each in (*gone, *doubtful)}
    firm = {each.memory_id for each in every if each.id not in unsure}
    return _unsupported(doubtful, concerned, firm)


async def _going_back_to(ledger: Ledger, session: str, gone: Sequence[Delivery]) -> list[Delivery]:
    found: dict[str, Delivery] = {}
    known = {each.id for each in gone}
    asked: set[str] = set()
    while memories := {each.memory_id for each in (*gone, *found.values())} - asked:
        asked |= memories
        told = await ledger.deliveries(session, via=sorted(memories))
        derived = await ledger.deliveries(session, rests_on=sorted(memories))
        found |= {each.id: each for each in _kept((*told, *derived)) if each.id not in known}
    return list(found.values())


def _unsupported(doubtful: Sequence[Delivery], concerned: AbstractSet[str], firm: AbstractSet[str]) -> list[Delivery]:
    """Those that, step by step, do not come to rest on firm memories alone; others than those concerned are. Pure."""
    holding, left = set(firm), list(doubtful)
    while rescued := [each for each in left if (_grounds(each) & concerned) <= holding]:
        holding |= {each.memory_id for each in rescued}
        left = [each for each in left if each not in rescued]
    return left


def _grounds(delivery: Delivery) -> set[str]:
    """Ids of the memories that must hold for this delivery to hold."""
    return {*delivery.rests_on, *([delivery.support.via] if delivery.support.via else [])}


def _kept(deliveries: Iterable[Delivery]) -> list[Delivery]:
    return [each for each in deliveries if each.is_kept]


def _ids(deliveries: Iterable[Delivery]) -> dict[str, str]:
    return {each.id: each.memory_id for each in deliveries}
