"""What falls when something is taken away: found when that is decided, recorded with the plan, never looked for again.

So a branch, an import or a second start takes away exactly what fell the first time, whoever was forgotten since.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from ..protocols import Ledger
from ..records.plan import Delivery, Withdrawal


async def of_source(ledger: Ledger, session: str, source: str, reason: str) -> Withdrawal:
    """Everything about this source, first hand or told, standing or on its way."""
    falls = _ids(_live(await ledger.deliveries(session, sources=[source])))
    return Withdrawal(source=source, reason=reason, removes=falls)


async def of_memory(ledger: Ledger, session: str, memory_id: str, reason: str) -> Withdrawal:
    """Every way to one memory, and what was told on from it."""
    ways = _live(await ledger.deliveries(session, memory_ids=[memory_id]))
    falls = _ids([*ways, *await downstream(ledger, session, ways)])
    return Withdrawal(memory_id=memory_id, reason=reason, removes=falls)


async def downstream(ledger: Ledger, session: str, gone: Sequence[Delivery]) -> list[Delivery]:
    """What was told on from deliveries that go, over any number of tellers, where nothing else holds it up.

    A circle of tellers who have it from each other holds nothing up, so support is followed from firm ground: from
    deliveries to the memories concerned that do not go back to what goes.
    """
    doubtful = await _going_back_to(ledger, session, gone)
    concerned = sorted({each.memory_id for each in (*gone, *doubtful)})
    every = _live(await ledger.deliveries(session, memory_ids=concerned)) if doubtful else []
    unsure = {each.id for each in (*gone, *doubtful)}
    firm = {each.memory_id for each in every if each.id not in unsure}
    return _unsupported(doubtful, firm)


async def _going_back_to(ledger: Ledger, session: str, gone: Sequence[Delivery]) -> list[Delivery]:
    found: dict[str, Delivery] = {}
    known = {each.id for each in gone}
    asked: set[str] = set()
    while tellers := {each.memory_id for each in (*gone, *found.values())} - asked:
        asked |= tellers
        told = _live(await ledger.deliveries(session, via=sorted(tellers)))
        found |= {each.id: each for each in told if each.id not in known}
    return list(found.values())


def _unsupported(doubtful: Sequence[Delivery], firm: Iterable[str]) -> list[Delivery]:
    """Those whose tellers, hop by hop, do not come to stand on firm memories. Pure."""
    standing, left = set(firm), list(doubtful)
    while rescued := [each for each in left if each.support.via in standing]:
        standing |= {each.memory_id for each in rescued}
        left = [each for each in left if each not in rescued]
    return left


def _live(deliveries: Iterable[Delivery]) -> list[Delivery]:
    return [each for each in deliveries if each.is_active]


def _ids(deliveries: Iterable[Delivery]) -> dict[str, str]:
    return {each.id: each.memory_id for each in deliveries}
