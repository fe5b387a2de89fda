"""END, step 5, of a `LocalFirstStore`: recorded plans reach the store here first, whatever the one elsewhere does.

Nobody who remembers waits for the store elsewhere. The applier brings it the same plans, in the same order, after that.
"""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Sequence
from itertools import islice
from time import perf_counter

from ..background import Background
from ..containers import character_container
from ..engine import Engine
from ..extras import LocalFirstStore
from ..live import Live, arrivals
from ..records.memory import Memory
from ..records.plan import Plan
from ..refusals import RefusedMemories, address, put_taken
from ..staleness import StalenessCheck
from ..time_limit import contained
from .backlog import Backlog
from .kept_mark import KeptMark
from .plan_writer import PlanWriter, bringing
from .reconciliation import work_of
from .store_work import Work
from .waiters import Waiters

AT_ONCE = 64
"""The most plans that are brought into line with the ledger together."""


class LocalWriter:
    """Brings one session's recorded plans into the store here, in the background."""

    def __init__(
        self,
        store: LocalFirstStore,
        *,
        engine: Engine,
        live: Live,
        background: Background,
        backlog: Backlog,
        waiters: Waiters,
        writer: PlanWriter,
        staleness: StalenessCheck,
    ) -> None:
        self.failure: Exception | None = None
        """Why the store here did not take something; `None` if it did."""
        self._store = store
        self._engine, self._live, self._background = engine, live, background
        self._backlog, self._waiters, self._writer = backlog, waiters, writer
        self._work: asyncio.Task[None] | None = None
        self._mark = KeptMark(engine, live, background, staleness)

    async def kept_before(self) -> int:
        """Number of the last entry up to which the store here had everything before this process started."""
        return await self._mark.read()

    def keep(self, sequence: int) -> None:
        """Note that the store here has a plan."""
        self._backlog.keep(sequence)
        self._mark.advance()

    def start(self) -> None:
        """Begin, unless it is under way or has nothing to do."""
        if self._live.lacking and (self._work is None or self._work.done()):
            self._work = self._background.start(self._run, f"keep {self._live.snapshot.id}")

    async def caught_up(self) -> None:
        """Wait until the store here has everything recorded so far. Raises why it has not."""
        while self._live.lacking:
            self.start()
            if self._work is not None:
                await asyncio.wait({self._work})
            if self.failure is not None:
                raise self.failure

    async def _run(self) -> None:
        try:
            if not self._engine.one_database:  # a plan must be durable before any of it is written
                await self._engine.ledger.sync()
            while plans := await self._next():
                await self._keep(plans)
            self.failure = None
        except BaseException as error:  # noqa: BLE001 - the applier receives the error, and retries
            self.failure = contained(error)
            self._waiters.notify()

    async def _next(self) -> list[Plan]:
        """The next plans in order, ending with the first that forgets a character."""
        plans: list[Plan] = []
        for sequence, known in list(islice(self._live.lacking.items(), AT_ONCE)):
            plan = known.plan or await self._engine.ledger.plan(self._live.snapshot.id, sequence)
            if plan is None:  # the session was forgotten meanwhile: the applier drops it
                self._backlog.keep(sequence)
                continue
            plans.append(plan)
            if plan.forgotten:
                break
        return plans

    async def _keep(self, plans: Sequence[Plan]) -> None:
        seen = plans[-1].sequence
        await self._write(plans, await self._work_of(plans, self._backlog.brings))
        while (decided := await self._writer.decided_elsewhere(plans[0].session)) > seen:
            seen = decided  # a memory that another process withdrew meanwhile must not come back
            await self._write(plans, await self._work_of(plans))
        for plan in plans:
            for id in plan.forgotten:
                name = character_container(plan.session, id).name
                await self._writer.store.limited(self._store.local.drop(name))
                self._engine.refusals.drop(name, only="here")
            self.keep(plan.sequence)
        self._waiters.notify()

    async def _work_of(self, plans: Sequence[Plan], brings: Callable[[Plan], bool] = lambda _: True) -> Work:
        arrived, there = self._live.has_arrived(), arrivals(self._live.in_place)
        return await work_of(self._engine, plans, arrived=arrived, there=there, brings=brings)

    async def _write(self, plans: Sequence[Plan], work: Work) -> None:
        seconds = 0.0
        self._live.refused_here.difference_update([plan.sequence for plan in plans])
        for memories, _ in work.batches():
            if seconds:
                await self._engine.foreground.pause(seconds, self._is_waited_for)
            began = perf_counter()
            refused = await put_taken(self._put, memories)
            await self._writer.still_ours(plans, memories)
            self._engine.refusals.settle((at for each in memories if (at := address(each)) not in refused), here=True)
            if refused:
                await self._refused(plans, work, refused)
            self._backlog.note_written(plans, memories)
            self._waiters.notify()
            seconds = perf_counter() - began
        if work.remove:
            await self._writer.store.limited(self._store.local.remove(work.remove))
            self._engine.refusals.settle([(name, id) for name, of in work.remove.items() for id in of], here=True)

    def _put(self, memories: Sequence[Memory]) -> Awaitable[None]:
        return self._writer.store.limited(self._store.local.put(memories))

    async def _refused(self, plans: Sequence[Plan], work: Work, refused: RefusedMemories) -> None:
        """Note what the store here refuses, and remove older versions of it."""
        groups = {at: each for each in work.put if (at := address(each[0])) in refused}
        stale: dict[str, list[str]] = {}
        for (container, id), group in groups.items():
            self._live.refused_here.update(plan.sequence for plan in bringing(group, plans))
            stale.setdefault(container, []).append(id)
        await self._writer.store.limited(self._store.local.remove(stale))
        supports = {at: [each.id for each in group] for at, group in groups.items()}
        self._engine.refusals.note(plans[0].session, refused, supports, here=True)

    def _is_waited_for(self) -> bool:
        return bool(self._waiters.for_all or self._waiters.wanted)
