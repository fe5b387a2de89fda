"""END, step 5: writes recorded plans to the store, in journal order within a container.

Participants who perceived a message remember it first. The rest follows in acknowledged batches. When a store fails or
hangs, the applier retries with growing pauses; deciding and the story go on meanwhile. The ledger keeps the plans that
are not applied yet. This process applies them later, or the next one that opens the session does.
"""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Iterator, Sequence
from contextlib import contextmanager, suppress
from functools import partial
from itertools import islice
from time import perf_counter
from typing import TypeVar

from ..background import Background
from ..containers import character_container
from ..engine import Engine
from ..errors import StorageError, UnknownName, named
from ..extras import TransactionLedger, TransactionStore
from ..live import Live, Unapplied
from ..records.memory import Memory
from ..records.plan import Plan, Snapshot
from ..staleness import StalenessCheck
from ..time_limit import LimitReached, contained, within
from .backlog import Backlog
from .deliveries import BACKLOG_BATCH, BATCH, BUSY, Work, arrival_day, shares_transaction, work_of_plain
from .derivations import append_proposed
from .put_order import PutOrder
from .reconciliation import reconciled, restored, work_of

T = TypeVar("T")
FIRST_PAUSE, LONGEST_PAUSE = 0.05, 5.0
"""Seconds between a failed attempt and the next: the first pause and the longest. Each is twice the one before."""
READ_AT_ONCE = 64
GATHERING = 0.25
"""The most seconds to wait for further plans of a backlog that is being decided."""


class Applier:
    """Applies one session's recorded plans in the background."""

    def __init__(self, engine: Engine, live: Live, background: Background) -> None:
        self.staleness = StalenessCheck(engine.ledger, live.snapshot.id)
        """Whether the story is still the one these plans belong to."""
        self.failure: Exception | None = None
        """The error of the last attempt; `None` if it succeeded."""
        self._engine = engine
        self._live = live
        self._background = background
        self._backlog = Backlog(live)
        self._wanted: list[str] = []
        """Containers whose owners wait for their own memories."""
        self._waiting = 0
        """How many wait for everybody's memories."""
        self._begun = 0
        """The number of attempts begun."""
        self._failed = 0
        """The number of the last attempt that failed."""
        self._progress = asyncio.Event()
        self._hurry = asyncio.Event()
        self._expecting = False
        """Whether further plans of a backlog are about to come."""
        self._gathered = asyncio.Event()
        self._work: asyncio.Task[None] | None = None
        background.on_close(self._hurry.set)

    @property
    def _left(self) -> dict[int, Unapplied]:
        """Plans recorded but not applied, by sequence number."""
        return self._live.unapplied

    # ── called by the decider ────────────────────────────────────────────────────────────────────────────────────────

    def take(self, plan: Plan) -> None:
        """Accept a recorded plan; `wake` starts applying it."""
        self._backlog.take(plan)
        if len(self._left) >= READ_AT_ONCE:
            self._gathered.set()

    def expect_more(self) -> None:
        """Expect further plans of a backlog; `wake` ends that."""
        self._expecting = True

    async def record(self, plan: Plan, after: Snapshot, *, more: bool) -> tuple[Plan, bool]:
        """Record a plan; returns the plan in force, and whether its memories were written with it.

        Ledger and store share a transaction where they can, if this plan fits a batch and is neither preceded nor
        followed by others: many are written faster together.
        """
        transaction = None if more or self._left or not shares_transaction(plan) else self._engine.transaction
        batch = next(work_of_plain([plan]).batches(), None) if transaction else None
        if transaction and batch:
            with suppress(StorageError):  # the plan is recorded alone then, and its memories are tried again
                found = await self._record_applied(plan, after, transaction, batch)
                return found, found is plan
        return await self._engine.ledger.record(plan, after), False

    async def _record_applied(
        self,
        plan: Plan,
        after: Snapshot,
        transaction: tuple[TransactionLedger, TransactionStore],
        batch: tuple[Sequence[Memory], Sequence[str]],
    ) -> Plan:
        (ledger, store), (memories, applied) = transaction, batch
        try:
            prepared = await self._limited(store.prepared(memories))
        except Exception as error:
            raise StorageError(named(error)) from error
        return await ledger.record_applied(plan, after, prepared, applied)

    async def resume(self) -> None:
        """Take up plans that the ledger holds recorded but not applied, from before a crash or from another process."""
        ledger, session, decided = self._engine.ledger, self._live.snapshot.id, self._live.snapshot.decided
        after = 0
        while entries := await ledger.entries(session, after=after, up_to=decided, unapplied=True, limit=READ_AT_ONCE):
            after = entries[-1].sequence
            for entry in entries:
                if entry.sequence not in self._left and (plan := await ledger.plan(session, entry.sequence)):
                    await append_proposed(ledger, self._live.snapshot, plan)  # its recorder may have crashed before
                    self._live.unapplied[entry.sequence] = Unapplied(arrival_day(plan), None, plan.due_day)
                    self._backlog.others.add(entry.sequence)
        self._live.unapplied = dict(sorted(self._left.items()))

    def wake(self) -> None:
        """Start applying if there are plans left."""
        self._expecting = False
        self._gathered.set()
        self._start()

    def _start(self) -> None:
        """Start applying, or retry at once."""
        self._hurry.set()
        if self._left and (self._work is None or self._work.done()):
            self._work = self._background.start(self._run, f"apply {self._live.snapshot.id}")

    # ── waiting ──────────────────────────────────────────────────────────────────────────────────────────────────

    def remembers(self, sequence: int, container: str | None = None) -> bool:
        """Whether everyone who perceived this entry's message remembers it already; or the owner of a `container`."""
        return self._backlog.remembers(sequence, container)

    async def remembered(self, sequence: int | None = None, *, timeout: float | None = None) -> None:
        """Wait until everyone who perceived one entry's message, or all messages so far, remembers them.

        Raises `NotYetApplied` when that takes longer than `timeout` seconds. Without a timeout, it raises as soon as an
        attempt fails.
        """
        waiting = [sequence] if sequence is not None else list(self._left)
        with self._hurried():
            await self._wait(lambda: all(self.remembers(each) for each in waiting), timeout)

    async def remembered_by(self, container: str, *, timeout: float) -> None:
        """Wait until the owner of a container remembers all messages so far. These memories are written next.

        Raises `NotYetApplied` when that takes longer than `timeout` seconds.
        """
        waiting = list(self._left)
        self._wanted.append(container)
        self._engine.foreground.look_again()
        try:
            await self._wait(lambda: all(self.remembers(each, container) for each in waiting), timeout)
        finally:
            self._wanted.remove(container)

    async def delivered(self, *, timeout: float | None = None) -> None:
        """Wait until the store holds everything that is recorded so far and due. Raises `NotYetApplied`."""
        waiting = list(self._left)
        with self._hurried():
            await self._wait(lambda: not any(each in self._left for each in waiting), timeout)

    @contextmanager
    def _hurried(self) -> Iterator[None]:
        """While somebody waits for everybody's memories, the applier makes no pauses."""
        self._waiting += 1
        self._engine.foreground.look_again()
        try:
            yield
        finally:
            self._waiting -= 1

    async def _wait(self, done: Callable[[], bool], timeout: float | None) -> None:
        if done():
            return
        self._background.check()
        begun = self._begun
        self._start()
        try:
            async with asyncio.timeout(timeout):
                while not done():
                    if timeout is None and self._failed > begun:
                        raise self._backlog.late(self.failure) from self.failure
                    await self._progress.wait()
        except TimeoutError:
            raise self._backlog.late(self.failure, timeout) from self.failure

    def _notify(self) -> None:
        self._progress.set()
        self._progress = asyncio.Event()

    # ── applying ─────────────────────────────────────────────────────────────────────────────────────────────────

    async def _run(self) -> None:
        pause = FIRST_PAUSE
        while self._left:
            self._begun += 1
            try:
                await self._drain()
                self.failure, pause = None, FIRST_PAUSE
            except UnknownName:  # another process forgot the story, and these plans with it
                self._done(list(self._left))
            except BaseException as error:  # noqa: BLE001 - waiters receive the error, and the applier retries
                self.failure, self._failed = contained(error), self._begun
                self._notify()
                if self._background.closing:
                    return
                await self._rest(pause)
                pause = min(pause * 2, LONGEST_PAUSE)

    async def _rest(self, pause: float) -> None:
        """Wait before the next attempt; `wake` and closing cut the pause short."""
        self._hurry.clear()
        with suppress(TimeoutError):
            async with asyncio.timeout(pause):
                await self._hurry.wait()

    async def _drain(self) -> None:
        if not self._engine.one_database:  # a plan must be durable before any of it is written
            await self._engine.ledger.sync()
        while self._left:
            await self._gather()
            plans, began = await self._next(), perf_counter()
            was_long = any(plan.sequence in self._backlog.long for plan in plans)
            await self._apply(plans)
            if self._backlog.has_piled_up and not was_long:
                seconds, among = perf_counter() - began, 1 + len(self._left) // READ_AT_ONCE
                await self._engine.foreground.pause(seconds, self._is_waited_for, among=among)

    async def _gather(self) -> None:
        """Wait a moment for further plans of a backlog, until there are enough of them."""
        if not self._expecting or len(self._left) >= READ_AT_ONCE:
            return
        self._gathered.clear()
        with suppress(TimeoutError):
            async with asyncio.timeout(GATHERING):
                await self._gathered.wait()

    async def _next(self) -> list[Plan]:
        """The next plans in order: as many as fit one write, ending with the first that forgets a character."""
        plans: list[Plan] = []
        room = BATCH if self._backlog.has_piled_up and not self._is_waited_for() else BACKLOG_BATCH
        for sequence, known in list(islice(self._left.items(), READ_AT_ONCE)):
            plan = known.plan or await self._engine.ledger.plan(self._live.snapshot.id, sequence)
            if plan is None:  # the session was forgotten meanwhile
                self._done([sequence])
                continue
            room -= len(plan.deliveries)
            if plans and room < 0:
                break
            plans.append(plan)
            if plan.forgotten:
                break
        return plans

    def _is_waited_for(self) -> bool:
        """Whether somebody waits for more than what a recall finds at hand."""
        return bool(self._waiting or (self._wanted and (self._backlog.others or self._backlog.long)))

    def _done(self, sequences: Sequence[int]) -> None:
        self._backlog.done(sequences)
        self._notify()

    async def _apply(self, plans: Sequence[Plan]) -> None:
        if not plans:
            return
        work = await work_of(self._engine, plans) if self._backlog.others else work_of_plain(plans)
        left = await self._write(plans, work)
        left += await self._check_again(plans)
        for plan in plans:
            for id in plan.forgotten:
                left += await self._forget(plan, id)
            await append_proposed(self._engine.ledger, self._live.snapshot, plan)
        sequences = [plan.sequence for plan in plans]
        await self._engine.ledger.acknowledge(plans[0].session, sequences, left)
        self._done(sequences)

    async def _write(self, plans: Sequence[Plan], work: Work) -> list[str]:
        """Put and remove memories; acknowledge whole batches, except what was written last.

        Returns the delivery ids not acknowledged yet.
        """
        ledger, order, written = self._engine.ledger, PutOrder(work), list[str]()
        needed, size, began = partial(self._is_needed, plans[0]), work.batch, perf_counter()
        while not order.is_over:
            if len(written) >= work.batch:
                await ledger.acknowledge(plans[0].session, (), written)
                written = []
            if order.has_begun:
                seconds, others = perf_counter() - began, len(self._backlog.long)
                is_quiet = await self._engine.foreground.pause(seconds, needed, among=others)
                size = work.batch if is_quiet else work.batch // BUSY
            await self.staleness.check_after_pause()
            passing = await self._passing(plans) if order.has_begun else []
            began = perf_counter()
            written += await self._put(plans, work, order, size, passing)
            if passing:
                sequences = [plan.sequence for plan in passing]
                await ledger.acknowledge(plans[0].session, sequences, written + await self._check_again(passing))
                self._done(sequences)
                written = []
            if order.is_perceived and not work.remove and plans[0].sequence not in self._backlog.remembered:
                self._backlog.remembered |= {plan.sequence for plan in plans}
                self._notify()
        if work.remove:
            await self._limited(self._engine.store.remove(work.remove))
        return written

    async def _put(
        self, plans: Sequence[Plan], work: Work, order: PutOrder, size: int, passing: Sequence[Plan]
    ) -> Sequence[str]:
        """Put the next memories, and those of plans that pass; returns the ids of the deliveries that this applies.

        Each container gets its memories in the order of the journal all the same.
        """
        first = order.bring_forward(self._wanted) if self._wanted else 0
        if passed := {each.container for plan in passing for each in plan.deliveries}:
            first += order.bring_forward(passed - self._backlog.written[plans[0].sequence], of_all=True)
        memories, deliveries = work.made([*order.take(max(size, first)), *work_of_plain(passing).put])
        await self._limited(self._engine.store.put(memories))
        await self._still_ours([*plans, *passing], memories)
        self._backlog.note_written(plans, memories)
        if self._wanted:
            self._notify()
        return deliveries

    async def _passing(self, plans: Sequence[Plan]) -> list[Plan]:
        """The plans that pass the one being written, if it is a long one. They are durable, as it is."""
        found = self._backlog.passing(plans[0]) if len(plans) == 1 else []
        if found and not self._engine.one_database:
            await self._engine.ledger.sync()
        return found

    def _is_needed(self, plan: Plan) -> bool:
        """Whether somebody waits for the next batch of a plan."""
        missing = self._waiting or self._backlog.lacks(plan, self._wanted)
        return plan.sequence not in self._backlog.remembered and bool(missing)

    async def _still_ours(self, plans: Sequence[Plan], memories: Sequence[Memory]) -> None:
        """Take back what was written while another process forgot the story. Raises `UnknownName` then.

        If the id belongs to another story by now, its own memories under these ids are written again.
        """
        try:
            await self.staleness.check_after_pause()
        except UnknownName:
            work = await restored(self._engine, plans, {each.id for each in memories})
            its_own = [memory for batch, _ in work.batches() for memory in batch]
            await self._limited(self._engine.store.put(its_own))
            kept = {each.id for each in its_own}
            ids: dict[str, list[str]] = {}
            for each in memories:
                ids.setdefault(each.container, []).extend([] if each.id in kept else [each.id])
            await self._limited(self._engine.store.remove(ids))
            raise

    async def _check_again(self, plans: Sequence[Plan]) -> list[str]:
        """Check again after writing: a memory that another process withdrew meanwhile must not come back."""
        written: list[str] = []
        seen = plans[-1].sequence
        while (decided := await self._decided_elsewhere(plans[0].session)) > seen:
            seen = decided
            written = await self._write(plans, await work_of(self._engine, plans))
        return written

    async def _decided_elsewhere(self, session: str) -> int:
        """The last entry that another process has decided; what is decided here is applied here, in its turn."""
        async with self._live.recording:
            decided = await self._engine.ledger.decided(session) or 0
            return decided if decided > self._live.snapshot.decided else self._live.decided_elsewhere

    async def _forget(self, plan: Plan, id: str) -> list[str]:
        """Drop a forgotten character's container, then restore what a newcomer under the same id has received since."""
        container = character_container(plan.session, id).name
        await self._limited(self._engine.store.drop(container))
        await self._engine.ledger.forget_owner(plan.session, id, up_to=plan.sequence)
        since = await self._engine.ledger.deliveries(plan.session, container=container, status="applied")
        return await self._write([plan], await reconciled(self._engine, [plan], {each.memory_id for each in since}, ()))

    async def _limited(self, work: Awaitable[T]) -> T:
        """Treat a store that hangs as one that fails; its writes may be repeated."""
        limit = self._engine.settings.end.store_timeout
        try:
            return await within(limit, work)
        except LimitReached as error:
            if error.rest is not None:  # it must not be writing still when the write is repeated
                await asyncio.wait({error.rest})
            raise StorageError(f"the store has not answered within {limit:g} s") from error
