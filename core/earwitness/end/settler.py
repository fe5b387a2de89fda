"""One settler a session: takes entries strictly by sequence from the journal, decides, records, applies.

A backlog is taken in batches: entries are decided one after the other, each plan recorded before the next is decided;
then the recorded plans are made durable and applied in one write. A plan that stands already, from before a crash or
from another process, is applied as it was recorded, and nobody is asked again.
"""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Sequence
from functools import partial

from ..background import Background
from ..engine import Engine
from ..errors import named
from ..live import Live
from ..records.journal import Entry
from ..records.plan import Plan
from ..staleness import StalenessCheck
from ..validation.messages import gone
from .apply import apply
from .decide import decide, fail_closed_plan

BATCH = 64
UNUSABLE = (ValueError, TypeError, AttributeError, LookupError, ArithmeticError, RecursionError)
"""What values raise that cannot be decided on or recorded; `InputError` and pydantic's errors are among them."""


class Settler:
    """Settles one session's entries in the background."""

    def __init__(self, engine: Engine, live: Live, background: Background) -> None:
        self.live = live
        self.failure: Exception | None = None
        self.staleness = StalenessCheck(engine.ledger, live.snapshot.id, live.snapshot.decided)
        self._engine = engine
        self._background = background
        self._waiting: dict[int, asyncio.Future[Plan]] = {}
        self._recorded: list[Plan] = []
        self._work: asyncio.Task[None] | None = None
        self._again = False
        live.catch_up = self._apply_recorded

    def check(self) -> None:
        """Raises `NotOpen` when nothing could be settled."""
        self._background.check()

    def wake(self) -> asyncio.Task[None]:
        """There is something to settle: begin, or go on once more when done."""
        self._again = True
        if self._work is None or self._work.done():
            self._work = self._background.start(self._run, f"settle {self.live.snapshot.id}")
        return self._work

    def promise(self, sequence: int, *, new: bool) -> Callable[[], Awaitable[Plan]]:
        """What `settled` will answer; for a `new` entry it is kept at hand, which spares reading the plan back."""
        if not new:
            return partial(self.settled, sequence)
        future = self._waiting.setdefault(sequence, asyncio.get_running_loop().create_future())

        async def kept() -> Plan:
            known = future.done() and not future.cancelled() and future.exception() is None
            return future.result() if known else await self.settled(sequence)

        return kept

    async def settled(self, sequence: int) -> Plan:
        """The entry's plan, once it is applied. Raises what kept it from being applied."""
        if sequence <= self.live.snapshot.decided and (plan := await self._already(sequence)):
            return plan
        future = self._waiting.setdefault(sequence, asyncio.get_running_loop().create_future())
        self.wake()
        return await asyncio.shield(future)

    async def caught_up(self, limit: float | None = None) -> bool:
        """Wait until nothing is left to settle, at most `limit` seconds; whether that came about.

        Raises what kept an entry from being applied.
        """
        done, _ = await asyncio.wait({self.wake()}, timeout=limit)
        if self.failure:
            raise self.failure
        if done and await self._behind():
            await self._reload()
        return bool(done)

    async def _run(self) -> None:
        try:
            while self._again:
                self._again = False
                await self._drain()
            await self._resolve_others()
            self.failure = None
        except Exception as error:  # noqa: BLE001 - whoever waits is told; the entries stay unsettled and are tried again
            self._fail(error)

    async def _drain(self) -> None:
        ledger, session = self._engine.ledger, self.live.snapshot.id
        while entries := await ledger.entries(session, unapplied=True, limit=BATCH):
            plans = []
            for entry in entries:
                plans.append(await self._plan(entry))
                self._recorded.append(plans[-1])
                if plans[-1].forgotten:  # whoever joins under this id later must not lose what she then hears
                    await self._apply_recorded()
            await self._apply_recorded()
            self._resolve(plans)

    async def _apply_recorded(self) -> None:
        plans, self._recorded = self._recorded, []
        if plans:
            await self._engine.ledger.sync()
            await apply(self._engine, plans)

    async def _plan(self, entry: Entry) -> Plan:
        """The recorded plan of an entry, decided now if there is none."""
        if recorded := await self._recorded_before(entry):
            return recorded
        try:
            return await self._kept(await decide(self._engine, self.live, entry))
        except UNUSABLE as error:  # no answer of a stranger's may hold up a story
            return await self._kept(fail_closed_plan(self.live, entry, named(error)))

    async def _kept(self, proposed: Plan) -> Plan:
        """The plan that stands once this one is recorded: this one, or one that was there before."""
        after = self.live.snapshot.after(proposed)
        plan = await self._engine.ledger.record(proposed, after)
        if plan == proposed:
            self.live.advance(plan, after)
        else:
            await self._reload()
        return plan

    async def _recorded_before(self, entry: Entry) -> Plan | None:
        """The plan that stands in the ledger, from before a crash or from another process."""
        ledger, live = self._engine.ledger, self.live
        if entry.sequence <= live.snapshot.decided and (plan := await ledger.plan(entry.session, entry.sequence)):
            return plan
        if entry.sequence != live.snapshot.decided + 1:
            await self._reload()
        if entry.sequence > live.snapshot.decided:
            return None
        return await ledger.plan(entry.session, entry.sequence)

    async def _already(self, sequence: int) -> Plan | None:
        entry = await self._engine.ledger.entry(self.live.snapshot.id, sequence=sequence)
        return await self._engine.ledger.plan(self.live.snapshot.id, sequence) if entry and entry.applied else None

    async def _behind(self) -> bool:
        """Whether another process has taken the session further. Raises `UnknownName` when the story is gone."""
        there, known = await self._engine.ledger.load(self.live.snapshot.id), self.live.snapshot
        if there is None or there.decided < known.decided:
            raise gone(known.id)
        if there.decided == known.decided:
            return False
        await self.staleness.check()
        return True

    async def _reload(self) -> None:
        fresh = await Live.load(self._engine, self.live.snapshot.id)
        self.live.snapshot, self.live.recent, self.live.stored = fresh.snapshot, fresh.recent, fresh.stored
        self.live.latest_update = fresh.latest_update

    def _resolve(self, plans: Sequence[Plan]) -> None:
        for plan in plans:
            if (future := self._waiting.pop(plan.sequence, None)) and not future.done():
                future.set_result(plan)

    async def _resolve_others(self) -> None:
        """Answer those who wait for an entry that another process has settled."""
        self._resolve([plan for sequence in list(self._waiting) if (plan := await self._already(sequence))])
        if self._waiting and await self._engine.ledger.load(self.live.snapshot.id) is None:
            raise gone(self.live.snapshot.id)

    def _fail(self, error: Exception) -> None:
        self.failure, self._recorded = error, []
        waiting, self._waiting = self._waiting, {}
        for future in waiting.values():
            if not future.done():
                future.set_exception(error)
                future.exception()  # seen, so that asyncio does not complain when nobody waits any more
