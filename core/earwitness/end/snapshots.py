"""The session as it was before an earlier entry, and when a day came."""

from __future__ import annotations

import asyncio
from functools import reduce

from ..engine import Engine
from ..live import LANDMARKS, Live
from ..records.plan import Plan
from ..records.snapshot import Snapshot

READ_AT_ONCE = 16
"""Plans that are read before it is looked whether the day in question has come."""


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


class DaysSince:
    """When each later day came after an entry; the recorded plans are read only as far as somebody asks."""

    def __init__(self, engine: Engine, live: Live, first: Snapshot, up_to: int) -> None:
        """`first` is the session after the entry; nothing after the entry `up_to` counts."""
        self.first = first
        self._engine = engine
        self._live = live
        self._up_to = up_to
        self._now = first
        self._later = [first]
        """The first session, and each one with which a later day came than ever before."""
        self._in_block = (first.decided, first.state.game_day)
        """Since which entry of the block between two landmarks it was read, and the latest day since."""

    async def when(self, day: float) -> Snapshot | None:
        """The session when this day or a later one came; `None` if none has come."""
        while self._later[-1].state.game_day < day and await self._go_on():
            pass
        return next((each for each in self._later if each.state.game_day >= day), None)

    async def _go_on(self) -> bool:
        """Take in the next entries; false if there are none. Of a block without a later day, none is read again."""
        end = min((self._now.decided // LANDMARKS + 1) * LANDMARKS, self._up_to)
        if self._has_no_later_day(end):
            self._now = self._live.landmarks[end]
            self._in_block = (end, self._now.state.game_day)
            return True
        plans = await _next_plans(self._engine, self._now, min(end, self._now.decided + READ_AT_ONCE))
        for plan in plans:
            self._fold(plan)
        return bool(plans)

    def _has_no_later_day(self, end: int) -> bool:
        """Whether it is known that no later day came with any of the next entries, up to a landmark."""
        since, latest = self._live.latest_days.get(end, (end, 0.0))
        return since <= self._now.decided and latest <= self._later[-1].state.game_day and end in self._live.landmarks

    def _fold(self, plan: Plan) -> None:
        self._now = self._now.after(plan)
        self._live.remember(self._now)
        number, day = self._now.decided, self._now.state.game_day
        since, latest = self._in_block[0], max(self._in_block[1], day)
        self._in_block = (since, latest)
        if number % LANDMARKS == 0:
            self._live.latest_days[number] = min((since, latest), self._live.latest_days.get(number, (number, day)))
            self._in_block = (number, day)
        if day > self._later[-1].state.game_day:
            self._later.append(self._now)


async def days_since(engine: Engine, live: Live, sequence: int, up_to: int) -> DaysSince:
    """When each later day came after an entry, up to another one."""
    return DaysSince(engine, live, await snapshot_before(engine, live, sequence + 1), up_to)


async def _next_plans(engine: Engine, since: Snapshot, up_to: int) -> list[Plan]:
    """The next plans, a few at a time, so that other tasks of this process can go on in between."""
    numbers = range(since.decided + 1, up_to + 1)
    found = await asyncio.gather(*(engine.ledger.plan(since.id, number) for number in numbers))
    return [plan for plan in found if plan is not None]
