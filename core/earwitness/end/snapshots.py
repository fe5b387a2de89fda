"""The session as it was before an earlier entry, and when a day came."""

from __future__ import annotations

import asyncio
from functools import reduce

from ..engine import Engine
from ..live import LANDMARKS, Live
from ..records.plan import Plan
from ..records.snapshot import Snapshot


async def snapshot_before(engine: Engine, live: Live, sequence: int) -> Snapshot:
    """The session as it was before an entry: its recorded plans, folded from the nearest known snapshot."""
    found = live.nearest(sequence - 1)
    while found.decided < sequence - 1:
        landmark = (found.decided // LANDMARKS + 1) * LANDMARKS
        if not (plans := await _next_plans(engine, found, min(landmark, sequence - 1))):
            break
        found = reduce(Snapshot.after, plans, found)
        live.remember(found)
    if live.previous is None or live.previous.decided < found.decided:
        live.previous = found
    return found


async def days_come(engine: Engine, live: Live, since: int, up_to: int) -> list[Snapshot]:
    """The session after the entry `since`, and after each one up to `up_to` with which a later day came than before."""
    now = await snapshot_before(engine, live, since + 1)
    found = [now]
    while now.decided < up_to and (plans := await _next_plans(engine, now, min(up_to, now.decided + LANDMARKS))):
        for plan in plans:
            now = now.after(plan)
            live.remember(now)
            if now.state.game_day > found[-1].state.game_day:
                found.append(now)
    return found


async def _next_plans(engine: Engine, since: Snapshot, up_to: int) -> list[Plan]:
    """The next plans, a few at a time, so that other tasks of this process can go on in between."""
    numbers = range(since.decided + 1, up_to + 1)
    found = await asyncio.gather(*(engine.ledger.plan(since.id, number) for number in numbers))
    return [plan for plan in found if plan is not None]
