"""Withdrawals: everything a removal takes along.

They are computed on deciding, recorded with the plan, and never computed again. A branch, an import or a restart
therefore removes exactly what the first run removed, even if characters were forgotten since.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from collections.abc import Set as AbstractSet

from ..containers import world_container
from ..protocols import Ledger
from ..records.journal import Entry, Prepared, Retracted, Transferred
from ..records.plan import Delivery, Withdrawal
from .retold import told_anew


async def deliveries_of(ledger: Ledger, entry: Entry) -> Sequence[Delivery]:
    """What an entry brought, with its current status.

    For a message, that includes its later revisions; for what was told by hand, what was told anew after them. Later
    versions of a prepared piece belong to another entry, and what a transfer passes on also has a source of its own.
    """
    if not isinstance(entry.body, Prepared | Transferred):
        return await ledger.deliveries(entry.session, sources=[entry.key])
    plan = await ledger.plan(entry.session, entry.sequence)
    ids = [each.memory_id for each in plan.deliveries] if plan else []
    found = await ledger.deliveries(entry.session, memory_ids=ids)
    own = [each for each in found if each.sequence == entry.sequence]
    return [*own, *await told_anew(ledger, entry)] if isinstance(entry.body, Transferred) else own


async def earlier_retraction(ledger: Ledger, session: str, target: str, entry: Entry | None) -> Entry | None:
    """The retraction that left the target without a delivery, so that repeating it changes nothing.

    `entry` is the entry whose key the target is; `None` if the target is the id of a memory.
    """
    copies = await deliveries_of(ledger, entry) if entry else await ledger.deliveries(session, memory_ids=[target])
    if any(each.is_kept for each in copies):
        return None
    sources = sorted({each.source for each in copies})
    world = world_container(session).name  # the world's copy represents the whole
    kept = await ledger.deliveries(session, sources=sources, container=world) if sources else ()
    names = {target, *sources, *(each.memory_id for each in kept)}
    since = await ledger.entries(session, after=entry.sequence if entry else 0)
    return next((each for each in since if isinstance(each.body, Retracted) and each.body.target in names), None)


async def of_source(ledger: Ledger, session: str, source: str, reason: str) -> Withdrawal:
    """All deliveries of this source, first hand or told, active or archived, and everything derived from them."""
    return await of_deliveries(ledger, session, await ledger.deliveries(session, sources=[source]), reason, source)


async def of_memory(ledger: Ledger, session: str, memory_id: str, reason: str) -> Withdrawal:
    """All deliveries of one memory, and everything passed on or derived from it."""
    ways = await ledger.deliveries(session, memory_ids=[memory_id])
    found = await of_deliveries(ledger, session, ways, reason)
    return found.model_copy(update={"memory_id": memory_id})


async def of_deliveries(
    ledger: Ledger, session: str, deliveries: Iterable[Delivery], reason: str, source: str | None = None
) -> Withdrawal:
    """These deliveries, and everything passed on or derived from them."""
    gone = _kept(deliveries)
    removes = _ids([*gone, *await downstream(ledger, session, gone)])
    return Withdrawal(source=source, reason=reason, removes=removes)


async def downstream(ledger: Ledger, session: str, gone: Sequence[Delivery]) -> list[Delivery]:
    """Deliveries passed on or derived from removed ones, over any number of steps, that have no other support.

    A told memory holds as long as one of its tellers' memories does. A derived memory holds as long as all of its
    grounds do. Memories that rest only on each other in a circle are not supported. The search therefore starts from
    firm ground: memories with deliveries that do not go back to removed ones.
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
        passed_on = await ledger.deliveries(session, via=sorted(memories))
        derived = await ledger.deliveries(session, rests_on=sorted(memories))
        found |= {each.id: each for each in _kept((*passed_on, *derived)) if each.id not in known}
    return list(found.values())


def _unsupported(doubtful: Sequence[Delivery], concerned: AbstractSet[str], firm: AbstractSet[str]) -> list[Delivery]:
    """Doubtful deliveries that cannot be traced, step by step, to firm memories.

    Grounds outside `concerned` hold. Pure.
    """
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


async def strikes(ledger: Ledger, session: str, struck: Sequence[Delivery]) -> list[Withdrawal]:
    """The withdrawals of what guards strike on its day, and of what is told by those who would have learned it so."""
    if not struck:
        return []
    silenced = await downstream(ledger, session, struck)
    reasons = [(each, each.reason or "") for each in struck]
    reasons += [(each, f"{each.support.shared_from} was kept from knowing it") for each in silenced]
    return [Withdrawal(removes={each.id: each.memory_id}, status="struck", reason=reason) for each, reason in reasons]
