"""END, step 5: writes recorded plans to the store, in journal order within a container.

Participants who perceived a message remember it first. The rest follows in acknowledged batches. When a store fails or
hangs, the applier retries with growing pauses; deciding and the story go on meanwhile. The ledger keeps the plans that
are not applied yet. This process applies them later, or the next one that opens the session does.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from itertools import islice
from time import perf_counter
from typing import TypeVar

from ..background import Background
from ..clock import now
from ..engine import SPOOL, Engine
from ..errors import StorageError, UnknownName, named
from ..extras import TransactionLedger, TransactionStore
from ..foreground import WAY
from ..live import Live, Unapplied
from ..protocols import Store
from ..records.memory import Memory
from ..records.plan import Plan
from ..records.snapshot import Snapshot
from ..slices import giving_way
from ..staleness import StalenessCheck
from ..time_limit import contained
from .backlog import Backlog
from .derivations import append_proposed
from .local_writer import LocalWriter
from .plan_writer import PlanWriter
from .store_work import BACKLOG_BATCH, BATCH, arrival_day, shares_transaction, work_of_plain
from .waiters import Waiters

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
        engine.refusals.forget(live.snapshot.id)
        self._background = background
        self._backlog = Backlog(live)
        self._waiters = Waiters(engine.foreground)
        self._writer = PlanWriter(engine, live, self._backlog, self._waiters, self.staleness)
        self._local = self._local_writer()
        """Brings them into the store here, where the store is a `LocalFirstStore`."""
        self._begun = 0
        """The number of attempts begun."""
        self._failed = 0
        """The number of the last attempt that failed."""
        self._noted: str | None = None
        """The failure that the ledger knows of."""
        self._hurry = asyncio.Event()
        self._expecting = False
        """Whether further plans of a backlog are about to come."""
        self._gathered = asyncio.Event()
        self._work: asyncio.Task[None] | None = None
        self._looking: asyncio.Task[None] | None = None
        """Waits until doubtful writes are to be looked at."""
        background.on_close(self._hurry.set)

    def _local_writer(self) -> LocalWriter | None:
        if (both := self._engine.local_first) is None:
            return None
        return LocalWriter(
            both,
            engine=self._engine,
            live=self._live,
            background=self._background,
            backlog=self._backlog,
            waiters=self._waiters,
            writer=self._writer,
            staleness=self.staleness,
        )

    @property
    def _left(self) -> Mapping[int, Unapplied]:
        """Plans recorded but not applied, by sequence number; without those of which all is written but what the store
        refuses."""
        return self._live.writable

    # ── called by the decider ────────────────────────────────────────────────────────────────────────────────────────

    def take(self, plan: Plan) -> None:
        """Accept a plan that was decided here and recorded just now; `wake` starts applying it."""
        self._backlog.take(plan)
        if len(self._left) >= READ_AT_ONCE:
            self._gathered.set()

    def expect_more(self) -> None:
        """Expect further plans of a backlog; `wake` ends that."""
        self._expecting = True

    async def record(self, plan: Plan, after: Snapshot, *, more: bool) -> tuple[Plan, bool]:
        """Record a plan; returns the plan in force, and whether its memories were written with it.

        Ledger and store share a transaction where they can, if this plan fits a batch and is neither preceded nor
        followed by others: many are written faster together. A `LocalFirstStore` shares one with the store here, after
        others that are there already; the one elsewhere gets its memories later.
        """
        follows = not self._live.lacking
        transaction = self._engine.transaction if follows and not more and shares_transaction(plan) else None
        batch = next(work_of_plain([plan]).batches(), None) if transaction else None
        if transaction and batch:
            with suppress(StorageError):  # the plan is recorded alone then, and its memories are tried again
                found = await self._record_applied(plan, after, transaction, batch)
                if found is plan and self._local:
                    self._local.keep(plan.sequence)
                    return found, False
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
            prepared = await self._writer.store.limited(store.prepared(memories))
        except Exception as error:
            raise StorageError(named(error)) from error
        return await ledger.record_applied(plan, after, prepared, None if self._engine.local_first else applied)

    def look_again(self) -> None:
        """Go by the ledger until `resume`: another process has decided more, and may have taken back what is left."""
        self._live.is_behind = True
        self._backlog.look_again()

    async def resume(self) -> None:
        """Take up plans that the ledger holds recorded but not applied, from before a crash or from another process."""
        ledger, session, decided = self._engine.ledger, self._live.snapshot.id, self._live.snapshot.decided
        after, kept = 0, await self._local.kept_before() if self._local else 0
        found: dict[int, Unapplied] = {}
        while entries := await ledger.entries(session, after=after, up_to=decided, unapplied=True, limit=READ_AT_ONCE):
            after = entries[-1].sequence
            for entry in entries:
                if entry.sequence not in self._live.unapplied and (plan := await ledger.plan(session, entry.sequence)):
                    await append_proposed(ledger, self._live.snapshot, plan)  # its recorder may have crashed before
                    found[entry.sequence] = Unapplied(arrival_day(plan), None, plan.due_day)
        self._backlog.take_up(found, kept)
        self._writer.follows_another |= bool(found)
        self._live.is_behind = False
        await self._writer.doubtful.take_up()
        if self._left:
            self._noted = str((await ledger.data(session, SPOOL)).get("failure") or "") or None

    def wake(self) -> None:
        """Start applying if there are plans left."""
        self._expecting = False
        self._gathered.set()
        self._start()

    def _start(self) -> None:
        """Start applying, or retry at once."""
        self._hurry.set()
        if self._local:
            self._local.start()
        if self._has_work and (self._work is None or self._work.done()):
            self._work = self._background.start(self._run, f"apply {self._live.snapshot.id}")
        elif self._writer.doubtful.wait is not None:
            self._look_later()

    @property
    def _has_work(self) -> bool:
        return bool(self._left) or (self._writer.doubtful.are_due and not self._background.closing)

    def _look_later(self) -> None:
        """Have doubtful writes looked at when it is time."""
        if self._background.closing or (self._looking is not None and not self._looking.done()):
            return
        name = f"look again at {self._live.snapshot.id}"
        self._looking = self._background.start(self._look, name, cancelled_on_close=True)

    async def _look(self) -> None:
        while (wait := self._writer.doubtful.wait) is not None:
            await asyncio.sleep(wait)
            self._start()
            if self._work is not None:
                await asyncio.wait([self._work])

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
        with self._waiters.waiting_for_all():
            await self._wait(lambda: all(self.remembers(each) for each in waiting), timeout)

    async def remembered_by(self, container: str, *, timeout: float) -> None:
        """Wait until the owner of a container remembers all messages so far, in the store or at hand.

        Raises `NotYetApplied` when that takes longer than `timeout` seconds, and once the store fails: what it lacks is
        at hand.
        """
        waiting = list(self._left)
        with self._waiters.waiting_for(container):
            await self._wait(lambda: all(self.remembers(each, container) for each in waiting), timeout, is_urgent=True)

    async def delivered(self, *, timeout: float | None = None, retry_refused: bool = False) -> None:
        """Wait until the store holds everything that is recorded so far and due, but what it refuses for good.

        With `retry_refused`, that is tried again. Raises `NotYetApplied`, also for what is refused again.
        """
        if retry_refused:
            self._writer.store.ask_again()
            self._backlog.release()
            self._writer.doubtful.hasten()
        has_all = self._has_all()
        with self._waiters.waiting_for_all():
            await self._wait(has_all, timeout)
            if retry_refused:
                await self._wait(lambda: not self._writer.doubtful.are_due, timeout)
        if retry_refused and self._live.refused:
            raise self._backlog.refused()

    async def delivered_if_it_answers(self) -> None:
        """As `delivered`, but no longer than the store takes to fail once: it gets the rest when it is back."""
        has_all = self._has_all()
        with self._waiters.waiting_for_all():
            await self._wait(lambda: self.failure is not None or has_all(), None)

    def _has_all(self) -> Callable[[], bool]:
        """Whether the store has all that is recorded by now."""
        last = max(self._left, default=0)
        return lambda: not any(each <= last for each in self._left)

    @property
    def may_catch_up(self) -> bool:
        """Whether waiting for memories makes sense: what they are recalled from took the last ones."""
        return (self._local or self).failure is None

    async def readable_store(self) -> Store:
        """The store to read, once it has everything recorded so far that is due: the one here, where there are two and
        the one elsewhere lacks something. Raises `StorageError`, at once if the store has failed and is retried."""
        both = self._engine.local_first
        if both and self._local and self._live.unapplied:
            try:
                await self._local.caught_up()
            except Exception as error:
                raise _unavailable() from error
            return self._engine.reading_here(both)
        if self.failure is not None and self._left:
            raise _unavailable() from self.failure
        await self.delivered()
        return self._engine.reading

    async def _wait(self, done: Callable[[], bool], timeout: float | None, *, is_urgent: bool = False) -> None:
        if done():
            return
        self._background.check()
        begun = self._begun
        self._start()
        try:
            async with asyncio.timeout(timeout):
                while not done():
                    if (timeout is None and self._failed > begun) or (is_urgent and not self.may_catch_up):
                        raise self._backlog.late(self.failure) from self.failure
                    if self._failed == begun:  # the attempt that was under way: the next one shall not pause before it
                        self._start()
                    await self._waiters.progress()
        except TimeoutError:
            raise self._backlog.late(self.failure, timeout) from self.failure

    # ── applying ─────────────────────────────────────────────────────────────────────────────────────────────────

    async def _run(self) -> None:
        pause = FIRST_PAUSE
        while self._has_work:
            self._begun += 1
            try:
                await self._drain()
                await self._compare()
                self.failure, pause = None, FIRST_PAUSE
                await self._note(None)
            except UnknownName:  # another process forgot the story, and these plans with it
                self._writer.done(list(self._left))
                self._writer.doubtful.clear()
            except BaseException as error:  # noqa: BLE001 - waiters receive the error, and the applier retries
                failure = contained(error)
                self.failure, self._failed = failure, self._begun
                self._hurry.clear()  # whoever begins to wait from now on ends the pause
                self._waiters.notify()
                await self._note(failure)
                await self._keep_doubtful()
                if self._background.closing:
                    return
                await self._rest(pause)
                pause = min(pause * 2, LONGEST_PAUSE)

        await self._keep_doubtful()

    async def _keep_doubtful(self) -> None:
        with suppress(Exception):  # it is kept with the next attempt
            await self._writer.doubtful.keep()
        if self._writer.doubtful.wait is not None:
            self._look_later()

    async def _compare(self) -> None:
        """Look at doubtful writes. If the store fails at that, they are looked at later."""
        if ids := self._writer.doubtful.due():
            try:
                await self._writer.compare(ids)
            except BaseException as error:  # noqa: BLE001 - whatever a store raises
                contained(error)
                self._writer.doubtful.note(ids)
            self._waiters.notify()

    async def _note(self, failure: Exception | None) -> None:
        """Let the ledger know why the store does not take what is left, for whoever looks from outside."""
        why = None if failure is None else named(failure)
        if why == self._noted:
            return
        told = {"failure": why, "since": now() if why else None}
        with suppress(Exception):  # the next attempt notes it again
            await self._engine.ledger.write_data(self._live.snapshot.id, SPOOL, told)
            self._noted = why

    async def _rest(self, pause: float) -> None:
        """Wait before the next attempt; `wake` and closing cut the pause short."""
        with suppress(TimeoutError):
            async with asyncio.timeout(pause):
                await self._hurry.wait()

    async def _drain(self) -> None:
        if not self._engine.one_database:  # a plan must be durable before any of it is written
            await self._engine.ledger.sync()
        while self._left:
            if self._local:
                await self._local.caught_up()
            await self._gather()
            plans, began = await self._next(), perf_counter()
            was_long = any(plan.sequence in self._backlog.long for plan in plans)
            if was_long:
                await self._engine.foreground.over(WAY, self._writer.is_waited_for)
            if plans:
                with giving_way(self._engine.foreground.idle_moments(self._writer.is_waited_for)):
                    await self._writer.write(plans)
            if self._backlog.has_piled_up and not was_long:
                seconds, among = perf_counter() - began, 1 + len(self._left) // READ_AT_ONCE
                await self._engine.foreground.pause(seconds, self._writer.is_waited_for, among=among)

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
        room = BATCH if self._backlog.has_piled_up and not self._writer.is_waited_for() else BACKLOG_BATCH
        for sequence, known in list(islice(self._left.items(), READ_AT_ONCE)):
            if self._local and sequence not in self._backlog.kept:
                break
            plan = known.plan or await self._engine.ledger.plan(self._live.snapshot.id, sequence)
            if plan is None:  # the session was forgotten meanwhile
                self._writer.done([sequence])
                continue
            room -= len(plan.deliveries)
            if plans and room < 0:
                break
            plans.append(plan)
            if plan.forgotten:
                break
        return plans


def _unavailable() -> StorageError:
    return StorageError("the store is unavailable and cannot be searched")
