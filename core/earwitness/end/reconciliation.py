"""END, step 5: what the store must hold so that it agrees with the ledger.

A memory is what its active deliveries make of it: content, knowledge lines whose sources are still active, metadata of
the strongest support. So applying a plan, applying it again after a crash, and applying a retraction are one thing:
work out which memories a plan touches, compute each anew, put those that live and remove those that do not.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field

from ..containers import world_container
from ..engine import Engine
from ..formats import with_knowledge
from ..ids import WORLD
from ..protocols import Ledger
from ..records.memory import STRENGTH, Memory, MetaValue
from ..records.plan import Delivery, Plan, grouped

BATCH = 256
"""Memories that are put at once: what else a host asks of the store does not wait for more."""


@dataclass(frozen=True, slots=True)
class Work:
    """Memories to put, in order, memories to remove, and the deliveries that are applied when that is done."""

    put: Sequence[Memory] = ()
    remove: Mapping[str, Sequence[str]] = field(default_factory=dict)
    applied: Mapping[str, Sequence[str]] = field(default_factory=dict)
    """Memory id → ids of the deliveries that make it."""
    perceived: int = 0
    """How many of those to put are what those who perceived the message remember of it; they come first."""

    def batches(self) -> Iterator[tuple[Sequence[Memory], Sequence[str]]]:
        """The memories to put, some at a time, with the ids of the deliveries that each batch applies."""
        for begin in range(0, len(self.put), BATCH):
            batch = self.put[begin : begin + BATCH]
            yield batch, [id for memory in batch for id in self.applied.get(memory.id, ())]


def arrival_day(plan: Plan) -> float:
    """The game day a plan is applied on: a message is heard on its own day, though the story has gone back since."""
    said = plan.message.message.game_day if plan.message else None
    return max((day for day in (plan.due_day, said) if day is not None), default=float("inf"))


def is_plain(plan: Plan) -> bool:
    """Whether a plan only adds memories that nothing else has touched: then it holds all there is to know of them."""
    revised = plan.message is not None and plan.message.message.revision
    return not (plan.withdrawals or plan.forgotten or plan.due_day is not None or revised or not plan.message)


def work_of_plain(plans: Sequence[Plan]) -> Work:
    """What plain plans ask of the store. Pure."""
    active = [each for plan in plans for each in plan.deliveries if each.is_active and each.due <= arrival_day(plan)]
    return _work(plans, grouped(active, lambda each: each.memory_id), (), {})


async def work_of(engine: Engine, plans: Sequence[Plan]) -> Work:
    """What recorded plans of one session ask of the store, as the ledger stands now. Raises `StorageError`."""
    ledger, session = engine.ledger, plans[0].session
    days = [plan.due_day for plan in plans if plan.due_day is not None]
    due = await ledger.deliveries(session, status="pending", due_by=max(days)) if days else ()
    fresh = [(plan, each) for plan in plans for each in plan.deliveries if each.status != "struck"]
    arriving = {each.id for each in due} | {each.id for plan, each in fresh if each.due <= arrival_day(plan)}
    touched = await _touched(ledger, plans, {each.memory_id for each in (*(each for _, each in fresh), *due)})
    return await reconciled(engine, plans, touched, arriving)


async def reconciled(
    engine: Engine, plans: Sequence[Plan], touched: Collection[str], arriving: Collection[str]
) -> Work:
    """What brings these memories in line with the ledger; `arriving` are ids of deliveries whose day is here."""
    if not touched:
        return Work()
    ledger, session = engine.ledger, plans[0].session
    deliveries = await ledger.deliveries(session, memory_ids=sorted(touched))
    active = [
        each for each in deliveries if each.status == "applied" or (each.status == "pending" and each.id in arriving)
    ]
    removed = await _removed(ledger, session, {id for each in active for id in each.cites})
    groups = grouped(active, lambda each: each.memory_id)
    alive = {group[0].memory_id for group in groups}
    gone: dict[str, set[str]] = {}
    for each in deliveries:
        if each.memory_id not in alive and each.status in {"withdrawn", "archived"}:
            gone.setdefault(each.container, set()).add(each.memory_id)
    return _work(plans, groups, removed, {name: sorted(ids) for name, ids in gone.items()})


def _work(
    plans: Sequence[Plan],
    groups: Sequence[Sequence[Delivery]],
    removed: Collection[str],
    gone: Mapping[str, Sequence[str]],
) -> Work:
    perceivers = {id for plan in plans if plan.message for id in plan.message.participants}
    order = sorted(groups, key=lambda group: _rank(group[0], perceivers))
    applied = {group[0].memory_id: [each.id for each in group if each.status == "pending"] for group in groups}
    first = sum(1 for group in groups if group[0].owner in perceivers)
    return Work([memory_of(group, removed) for group in order], gone, applied, first or len(order))


def _rank(delivery: Delivery, perceivers: Collection[str]) -> int:
    """Participants come first (DESIGN, one turn, step 5), and the world's copies last."""
    return 0 if delivery.owner in perceivers else 2 if delivery.owner == WORLD else 1


async def _touched(ledger: Ledger, plans: Sequence[Plan], fresh: set[str]) -> set[str]:
    """Ids of all memories the plans may have changed: their own, the withdrawn, and those that cite the withdrawn."""
    taken = {id for plan in plans for withdrawal in plan.withdrawals for id in withdrawal.removes.values()}
    citing = set(await ledger.citing(plans[0].session, sorted(taken))) if taken else set()
    return fresh | taken | citing


async def _removed(ledger: Ledger, session: str, cited: Collection[str]) -> set[str]:
    """Those of the cited world memories that are no longer active."""
    if not cited:
        return set()
    found = await ledger.deliveries(session, memory_ids=sorted(cited), container=world_container(session).name)
    return set(cited) - {each.memory_id for each in found if each.is_active}


def memories_of(deliveries: Iterable[Delivery]) -> list[Memory]:
    """The memories that these active deliveries make. Pure."""
    return [memory_of(group, ()) for group in grouped(deliveries, lambda each: each.memory_id)]


def memory_of(supports: Sequence[Delivery], removed: Collection[str]) -> Memory:
    """One memory from its active deliveries; the strongest shows, and the fullest text of them. Pure.

    Lines of knowledge that cite one of the `removed` memories are left out.
    """
    strongest, *_ = ranked = sorted(supports, key=strength) if len(supports) > 1 else supports
    fullest = max(ranked, key=lambda each: len(each.body))
    lines = dict.fromkeys(
        line.text for each in supports for line in each.knowledge if not any(id in removed for id in line.cites)
    )
    support = strongest.support
    metadata: dict[str, MetaValue] = dict(strongest.metadata)
    metadata["learnedDay"] = min(each.support.learned_day for each in supports if len(each.body) == len(fullest.body))
    if strongest.owner != WORLD:
        metadata["interactionType"] = support.how
        if support.shared_from:
            metadata["sharedFrom"] = support.shared_from
    content = with_knowledge(fullest.body, lines)
    return Memory(id=strongest.memory_id, container=strongest.container, content=content, metadata=metadata)


def strength(delivery: Delivery) -> tuple[int, float, int, str]:
    """Sort key: first hand before seen before told, then the earliest."""
    support = delivery.support
    return (STRENGTH.index(support.how), support.learned_day, delivery.sequence, delivery.id)
