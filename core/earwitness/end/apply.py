"""END, step 5: bring the store in line with the ledger.

A memory is what its standing deliveries make of it: content, knowledge lines whose sources still stand, metadata of the
strongest support. So applying a plan, applying it again after a crash, and applying a retraction are one thing:
work out which memories a plan touches, compute each anew, put those that stand and remove those that do not.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence

from ..containers import character_container, world_container
from ..engine import Engine
from ..formats import with_knowledge
from ..ids import WORLD
from ..protocols import Ledger
from ..records.memory import STRENGTH, Memory, MetaValue
from ..records.plan import Delivery, Plan, grouped
from .world import cites


async def apply(engine: Engine, plans: Sequence[Plan]) -> None:
    """Apply recorded plans of one session, in one write for all containers where the store can. Repeatable.

    Raises `StorageError`; then the entries stay unsettled and are applied again later.
    """
    if not plans:
        return
    ledger, session = engine.ledger, plans[0].session
    due = [
        delivery for plan in plans if plan.due_day is not None for delivery in await _due(ledger, session, plan.due_day)
    ]
    fresh = [delivery for plan in plans for delivery in plan.deliveries if delivery.status != "struck"]
    days = {plan.sequence: _day(plan) for plan in plans}
    arriving = {each.id for each in due} | {each.id for each in fresh if each.due <= days[each.sequence]}
    touched = await _touched(ledger, plans, {each.memory_id for each in (*fresh, *due)})
    await _reconcile(engine, session, touched, arriving)
    seen = plans[-1].sequence
    while (stands := await _recorded(ledger, session)) > seen:  # what another process took away must not come back
        seen = stands
        await _reconcile(engine, session, touched, arriving)
    for plan in plans:
        for id in plan.forgotten:
            await _forget(engine, session, id, plan.sequence)
    await ledger.settle(session, [plan.sequence for plan in plans], sorted(arriving))


async def _forget(engine: Engine, session: str, id: str, up_to: int) -> None:
    """Drop what somebody had; what whoever joined under that id since was given, by another process, is put back."""
    container = character_container(session, id).name
    await engine.store.drop(container)
    await engine.ledger.forget_owner(session, id, up_to=up_to)
    since = await engine.ledger.deliveries(session, container=container, status="applied")
    await _reconcile(engine, session, {each.memory_id for each in since}, ())


async def _recorded(ledger: Ledger, session: str) -> int:
    """Sequence number of the last entry whose plan is recorded, by whatever process."""
    snapshot = await ledger.load(session)
    return snapshot.decided if snapshot else 0


def _day(plan: Plan) -> float:
    """The game day a plan is applied on: a message is heard on its own day, though the story has gone back since."""
    said = plan.message.message.game_day if plan.message else None
    return max((day for day in (plan.due_day, said) if day is not None), default=float("inf"))


async def _due(ledger: Ledger, session: str, day: float) -> Sequence[Delivery]:
    return await ledger.deliveries(session, status="pending", due_by=day)


async def _touched(ledger: Ledger, plans: Sequence[Plan], fresh: set[str]) -> set[str]:
    """Ids of all memories the plans may have changed: their own, the withdrawn, and those that cite the withdrawn."""
    taken = {id for plan in plans for withdrawal in plan.withdrawals for id in withdrawal.removes.values()}
    citing = set(await ledger.citing(plans[0].session, sorted(taken))) if taken else set()
    return fresh | taken | citing


async def _reconcile(engine: Engine, session: str, touched: Collection[str], arriving: Collection[str]) -> None:
    if not touched:
        return
    ledger = engine.ledger
    deliveries = await ledger.deliveries(session, memory_ids=sorted(touched))
    standing = [
        each for each in deliveries if each.status == "applied" or (each.status == "pending" and each.id in arriving)
    ]
    cited = {id for each in standing for id in cites(each)}
    fallen = await _fallen(ledger, session, cited)
    memories = [memory_of(group, fallen) for group in grouped(standing, lambda each: each.memory_id)]
    alive = {memory.id for memory in memories}
    gone: dict[str, list[str]] = {}
    for each in deliveries:
        if each.memory_id not in alive and each.status == "withdrawn":
            gone.setdefault(each.container, []).append(each.memory_id)
    if memories:
        await engine.store.put(_world_last(memories, session))
    if gone:
        await engine.store.remove({container: sorted(set(ids)) for container, ids in gone.items()})


async def _fallen(ledger: Ledger, session: str, cited: Collection[str]) -> set[str]:
    """Those of the cited world memories that no longer stand."""
    if not cited:
        return set()
    found = await ledger.deliveries(session, memory_ids=sorted(cited), container=world_container(session).name)
    return set(cited) - {each.memory_id for each in found if each.is_active}


def memory_of(supports: Sequence[Delivery], fallen: Collection[str]) -> Memory:
    """One memory from its standing deliveries; the strongest shows, and the fullest text of them. Pure."""
    strongest, *_ = ranked = sorted(supports, key=strength) if len(supports) > 1 else supports
    fullest = max(ranked, key=lambda each: len(each.body))
    lines = dict.fromkeys(
        line.text for each in supports for line in each.knowledge if not any(id in fallen for id in line.cites)
    )
    support = strongest.support
    metadata: dict[str, MetaValue] = dict(strongest.metadata)
    metadata["learnedDay"] = min(each.support.learned_day for each in supports if len(each.body) == len(fullest.body))
    if strongest.owner != WORLD:
        metadata["interactionType"] = support.how
        if support.shared_from:
            metadata["sharedFrom"] = support.shared_from
    content = with_knowledge(fullest.body, lines)
    # Not validated again, which would copy the list of participants for each of those who remember it.
    return Memory.model_construct(
        id=strongest.memory_id, container=strongest.container, content=content, metadata=metadata
    )


def strength(delivery: Delivery) -> tuple[int, float, int, str]:
    """Sort key: first hand before seen before told, then the earliest."""
    support = delivery.support
    return (STRENGTH.index(support.how), support.learned_day, delivery.sequence, delivery.id)


def _world_last(memories: Sequence[Memory], session: str) -> list[Memory]:
    """Participants first (DESIGN, one turn, step 5): the world's copies follow."""
    world = world_container(session).name
    return sorted(memories, key=lambda memory: memory.container == world)
