"""END, step 5: the memories the store must hold to agree with the ledger.

A memory is made by its active deliveries: its content, the knowledge lines whose sources are still active, and the
metadata of the strongest support. Applying a plan, applying it again after a crash, and applying a retraction are
therefore the same work: find the memories that a plan touches, compute each anew, put those that live and remove those
that do not.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping, Sequence

from ..decided_memories import removed_among
from ..engine import Engine
from ..protocols import Ledger
from ..records.plan import Delivery, Plan, grouped
from .store_work import Work, arrival_day, work_from

Arrived = Callable[[Delivery], bool]
"""Whether a pending delivery has arrived with an earlier plan, which is not applied yet."""


def _never(delivery: Delivery) -> bool:
    return False


def _perhaps(plan: Plan) -> bool:
    return True


async def work_of(
    engine: Engine,
    plans: Sequence[Plan],
    *,
    arrived: Arrived = _never,
    there: Arrived = _never,
    brings: Callable[[Plan], bool] = _perhaps,
) -> Work:
    """The store work of recorded plans of one session, by the ledger's current state. Raises `StorageError`.

    Pending deliveries that are `there` were written with an earlier plan, which is not applied elsewhere yet. `brings`
    is false of a plan with which nothing arrives that earlier ones left pending.
    """
    ledger, session = engine.ledger, plans[0].session
    days = [(plan.sequence, plan.due_day) for plan in plans if plan.due_day is not None and brings(plan)]
    pending = await ledger.deliveries(session, status="pending", due_by=max(day for _, day in days)) if days else ()
    arrival = {each.id: _arrival(each, days) for each in pending if not there(each)}
    due = [each for each in pending if arrival.get(each.id) is not None]
    fresh = [(plan, each) for plan in plans for each in plan.deliveries if each.status != "struck"]
    arriving = {id: number for id, number in arrival.items() if number is not None}
    arriving |= {each.id: plan.sequence for plan, each in fresh if each.due <= arrival_day(plan)}
    touched = await _touched(ledger, plans, {each.memory_id for each in (*(each for _, each in fresh), *due)})
    return await reconciled(engine, plans, touched, arriving, arrived)


def _arrival(delivery: Delivery, days: Sequence[tuple[int, float]]) -> int | None:
    """Sequence number of the first of these plans, each with its day, by which a delivery is due."""
    return next((number for number, day in days if delivery.sequence <= number and delivery.due <= day), None)


async def reconciled(
    engine: Engine,
    plans: Sequence[Plan],
    touched: Collection[str],
    arriving: Mapping[str, int],
    arrived: Arrived = _never,
) -> Work:
    """The work that brings these memories in line with the ledger, in the order in which they arrive.

    `arriving` are ids of deliveries that are due now → sequence number of the plan that brings them. Days alone do not
    say which comes first, since a story may go back to an earlier day.
    """
    if not touched:
        return Work()
    ledger, session = engine.ledger, plans[0].session
    deliveries = await ledger.deliveries(session, memory_ids=sorted(touched))
    active = [
        each
        for each in deliveries
        if each.status == "applied" or (each.status == "pending" and (each.id in arriving or arrived(each)))
    ]
    removed = await removed_among(ledger, session, {id for each in active for id in each.cites})
    groups = sorted(
        grouped(active, lambda each: each.memory_id), key=lambda group: min(arriving.get(each.id, 0) for each in group)
    )
    alive = {group[0].memory_id for group in groups}
    gone: dict[str, set[str]] = {}
    for each in deliveries:
        if each.memory_id not in alive and each.status in {"withdrawn", "archived", "struck"}:
            gone.setdefault(each.container, set()).add(each.memory_id)
    return work_from(plans, groups, removed, {name: sorted(ids) for name, ids in gone.items()})


async def restored(engine: Engine, plans: Sequence[Plan], ids: Collection[str]) -> Work:
    """The work that writes these memories as the ledger has them, whatever the store holds under their ids."""
    snapshot = await engine.ledger.load(plans[0].session)
    if snapshot is None:
        return Work()
    deliveries = await engine.ledger.deliveries(snapshot.id, memory_ids=sorted(ids))
    return await reconciled(engine, plans, ids, {e.id: 0 for e in deliveries if e.due <= snapshot.state.game_day})


async def _touched(ledger: Ledger, plans: Sequence[Plan], fresh: set[str]) -> set[str]:
    """Ids of all memories the plans may have changed: their own, the withdrawn, and those that cite the withdrawn."""
    taken = {id for plan in plans for withdrawal in plan.withdrawals for id in withdrawal.removes.values()}
    citing = set(await ledger.citing(plans[0].session, sorted(taken))) if taken else set()
    return fresh | taken | citing
