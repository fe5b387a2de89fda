"""END, steps 2 to 4: takes entries from the journal strictly by sequence, decides them, and records the plans.

Each session has one decider. A plan that is recorded already, from before a crash or by another process, is kept, and
no strategy is asked again. The applier carries the plans out.
"""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Coroutine, Iterable, Sequence
from contextlib import nullcontext, suppress
from functools import partial
from typing import Any

from ..background import Background
from ..clock import now
from ..engine import Engine
from ..errors import NotOpen, StorageError, named
from ..host_calls import look_up_unused, note_answers
from ..live import Live
from ..macros import has_macro
from ..records.journal import (
    Archived,
    Changed,
    Derived,
    Entry,
    NewEntry,
    Prepared,
    Retracted,
    Revised,
    Said,
    Transferred,
)
from ..records.plan import Answer, Plan
from ..slices import MANY, collected_later, giving_way
from ..time_limit import contained
from ..validation.messages import gone
from .accepted import AcceptedEntries
from .applier import Applier
from .archive import archived
from .change import changed
from .derivations import append_proposed
from .derived import derived
from .fail_closed import UNUSABLE, fail_closed_plan
from .late_answers import LateAnswers
from .message import message_of, said
from .names_in_texts import noted
from .overdue import with_overdue
from .preparation import prepared
from .replacements import with_originals, with_replaced_supported
from .revise import retracted, revised
from .store_work import arrival_day
from .transfers import transferred
from .world import World

BATCH = 64


class Decider:
    """Decides one session's entries in the background."""

    def __init__(self, engine: Engine, live: Live, applier: Applier, background: Background) -> None:
        self.live = live
        self.failure: Exception | None = None
        """The error that kept the next entry from being decided; `None` if there was none."""
        self.staleness = applier.staleness
        self._engine = engine
        self._applier = applier
        self._background = background
        self.late = LateAnswers(engine, live.snapshot.id, background, self._ask_again, self._note_unused)
        """The sharing rules that answer later."""
        self._waiting: dict[int, asyncio.Future[Plan]] = {}
        self._work: asyncio.Task[None] | None = None
        self._again = self._resumed = self._ended = False
        self.accepted = AcceptedEntries()
        self._look = True
        """Whether the journal may hold entries that were not handed to `accept`."""
        self._decided_here = 0  # number of the last entry of which the plan in force is this decider's

    def check(self) -> None:
        """Raises `NotOpen` when the instance cannot decide, and `UnknownName` once the story is forgotten."""
        self._background.check()
        if self._ended:
            raise gone(self.live.snapshot.id)

    async def end(self) -> None:
        """Prepare to forget the story: decide and apply the entries so far, and refuse all later ones."""
        await self.caught_up()
        await self._applier.delivered_if_it_answers()  # plans that cannot be applied are forgotten with the story
        self._ended = True
        if self._work is not None:
            await asyncio.wait({self._work})
        await self._applier.delivered_if_it_answers()

    @property
    def idle(self) -> bool:
        """Whether no entry is known to be undecided."""
        return (self._work is None or self._work.done()) and self.failure is None

    @property
    def _nothing_known(self) -> bool:
        """Whether everything this handle knows of is decided."""
        decided = self.live.snapshot.decided
        return self._resumed and self.idle and not self.accepted and self.staleness.knows_at_most(decided)

    def wake(self) -> asyncio.Task[None]:
        """Start deciding, or run once more when the current run ends."""
        self.check()
        self._again = True
        if self._work is None or self._work.done():
            self._work = self._background.start(self._run, f"decide {self.live.snapshot.id}")
        return self._work

    def plan_of(self, sequence: int, *, new: bool) -> Callable[[], Awaitable[Plan]]:
        """A function that returns the entry's plan. The plan of a `new` entry is kept, which spares reading it back."""
        if not new:
            return partial(self.decided, sequence)
        future = self._waiting.setdefault(sequence, asyncio.get_running_loop().create_future())

        async def kept() -> Plan:
            known = future.done() and not future.cancelled() and future.exception() is None
            return future.result() if known else await self._decided(sequence)

        return kept

    async def decided(self, sequence: int) -> Plan:
        """The entry's plan, once it is recorded. Raises the error that kept it from being decided."""
        self._look = True
        return await self._decided(sequence)

    async def _decided(self, sequence: int) -> Plan:
        self.check()
        if sequence <= self.live.snapshot.decided and (plan := await self._recorded(sequence)):
            return plan
        future = self._waiting.setdefault(sequence, asyncio.get_running_loop().create_future())
        self.wake()
        with self._engine.foreground.awaiting():
            return await asyncio.shield(future)

    async def caught_up(self, limit: float | None = None) -> bool:
        """Wait at most `limit` seconds until no entry is undecided; returns whether that was achieved.

        Raises the error that kept an entry from being decided.
        """
        self.check()
        self._look = True
        if self._nothing_known and not await self.staleness.check():
            self._applier.wake()
            return True
        with nullcontext() if limit == 0 else self._engine.foreground.awaiting():
            done, _ = await asyncio.wait({self.wake()}, timeout=limit)
        if await self._behind(done=bool(done)):
            self._applier.look_again()
            if done:
                await self._reload()
        if self.failure:
            raise self.failure
        return bool(done)

    async def all_told(self, timeout: float | None = None) -> None:
        """As `caught_up`; it also waits at most `timeout` seconds for sharing rules that answer later."""
        await self.caught_up()
        await self.late.resume(lambda: self.live.untold, timeout)
        await self.late.done(timeout)

    async def _run(self) -> None:
        try:
            if not self._resumed:
                await self._applier.resume()
                self._resumed = True
            while self._again:
                self._again = False
                with self._engine.foreground.going_on():
                    try:
                        await self._drain()
                    finally:
                        await self._release()
            await self._resolve_others()
            self.failure = None
        except BaseException as error:  # noqa: BLE001 - waiters receive it; the entries are tried again
            self._fail(contained(error))
        self._applier.wake()

    def accept(self, entries: Iterable[Entry]) -> None:
        """Take entries that this handle has just appended, so that they need not be read back."""
        self.accepted.add(entries, self.live.snapshot.decided)

    async def _next(self) -> Sequence[Entry]:
        """The next entries: those appended here if they are next, otherwise read from the journal."""
        begin = self.live.snapshot.decided + 1
        if accepted := self.accepted.take(begin):
            return accepted
        if not self._look and not self.accepted:
            return ()
        self.accepted.drop()
        self._look = False
        ledger, session = self._engine.ledger, self.live.snapshot.id
        found = await ledger.entries(session, after=begin - 1, limit=1)
        self._look |= bool(found)
        if found and (await ledger.decided(session) or 0) > self.live.snapshot.decided:  # by another process
            await self._reload()
        if not found or self.staleness.knows(found[0].sequence):
            return found
        await self.staleness.check()  # the id may belong to another story by now
        return await ledger.entries(session, after=begin - 1, limit=BATCH)

    async def _drain(self) -> None:
        ledger, session = self._engine.ledger, self.live.snapshot.id
        while entries := await self._next():
            self.staleness.note(entries[-1])
            if len(entries) > 1:
                self._applier.expect_more()
            elif len(self.live.snapshot.cast) > MANY:
                await self._engine.foreground.before_a_crowd()
            for entry in entries:
                cast = self.live.snapshot.cast
                with giving_way(self._engine.foreground.recalls_first()), collected_later(len(cast), self._aside):
                    plan = await self._plan(entry, more=len(entries) > 1)
                for id in plan.forgotten:  # a newcomer under this id must not lose what she hears later
                    await ledger.forget_owner(session, id, up_to=plan.sequence)
                self._resolve([plan])
                if plan.derived or plan.revisions or plan.retold:
                    await self._append_proposed(plan)
            self._applier.wake()

    def _aside(self, work: Callable[[], Coroutine[Any, Any, None]]) -> None:
        """Start a task that only makes things faster, unless it is too late for one."""
        with suppress(NotOpen):
            self._background.start(work, f"beside {self.live.snapshot.id}", cancelled_on_close=True)

    async def _append_proposed(self, plan: Plan) -> None:
        appended = await append_proposed(self._engine.ledger, self.live.snapshot, plan)
        entries = [each.entry for each in appended]
        for entry in entries:
            self.staleness.note(entry)
        self.accept(entries)

    async def _plan(self, entry: Entry, *, more: bool) -> Plan:
        """The recorded plan of an entry; it is decided now if there is none. `more` entries are applied together."""
        if recorded := await self._recorded_before(entry) or await self._recorded_by_another(entry):
            return recorded  # the applier has taken it up, unless it is applied: what came later may have withdrawn it
        await look_up_unused(self._engine, self.live)
        try:
            with self.late.collected() as awaited:
                proposed = await decide(self._engine, self.live, entry, self._applier)
                if self.live.overdue or self.live.untold or self.live.withheld:
                    proposed = await self._with_overdue(entry, proposed)
            async with self.late.claimed(awaited):
                plan = await self._kept(proposed, more=more)
                if plan.sequence == self._decided_here:  # otherwise another process asks
                    self.late.follow(awaited)
        except (*UNUSABLE, StorageError) as error:  # a bad answer from third-party code must not hold up a story
            if isinstance(error, StorageError) and not isinstance(error.__cause__, UNUSABLE):
                raise
            plan = fail_closed_plan(self.live, entry, named(error))
            return await self._kept(await self._with_overdue(entry, plan), more=more)
        self.late.recorded(plan.answers)
        return plan

    async def _note_unused(self, answers: Iterable[Answer]) -> None:
        """Count what was asked of models for what no plan has."""
        with suppress(StorageError):
            await note_answers(self._engine, self.live, answers, unused=True)

    async def _ask_again(self) -> bool:
        """Append an entry that changes nothing: rules that told nobody yet are asked again. Whether by this one."""
        ledger, session = self._engine.ledger, self.live.snapshot.id
        if self._ended or not self.live.untold:
            return True
        new = NewEntry(body=Changed(quiet=True), timestamp=now())
        (appended,) = await ledger.append_all(session, [new])
        self.staleness.note(appended.entry)
        self.accept([appended.entry])
        await self.caught_up()
        return self._decided_here >= appended.entry.sequence

    async def _with_overdue(self, entry: Entry, plan: Plan) -> Plan:
        """The plan, and what is due by now, if that can be decided; otherwise the next entry brings it."""
        self.live.overdue = True
        with suppress(*UNUSABLE):
            plan = await with_overdue(self._engine, self.live, entry, plan)
            self.live.overdue = False
        return plan

    async def _kept(self, proposed: Plan, *, more: bool) -> Plan:
        """The plan in force after recording: this one, or one that was recorded before."""
        await self.staleness.check_after_pause()  # another story may have the id by now, and this plan is none of its
        after = self.live.snapshot.after(proposed)
        async with self.live.recording:
            plan, applied = await self._applier.record(proposed, after, more=more)
            is_ours = applied or plan == proposed
            if is_ours:
                self._decided_here = plan.sequence
                self.live.advance(plan, after)
                self.live.note_delayed(plan, arrival_day(plan))
            else:
                await self._reload()
                await self._note_unused(self.late.not_kept(proposed.answers))
        if is_ours and not applied:
            self._applier.take(plan)
        return plan

    async def _recorded_before(self, entry: Entry) -> Plan | None:
        """The plan in the ledger, recorded before a crash or by another process."""
        ledger, live = self._engine.ledger, self.live
        if entry.sequence > live.snapshot.decided + 1:
            await self._reload()
        if entry.sequence > live.snapshot.decided:
            return None
        return await ledger.plan(entry.session, entry.sequence)

    async def _recorded_by_another(self, entry: Entry) -> Plan | None:
        """The plan of another process that had claimed the session; `None` once this one may decide."""
        claims = self._engine.claims
        if claims is None or await claims.claim(entry.session, entry.sequence):
            return None
        await self._reload()
        return await self._engine.ledger.plan(entry.session, entry.sequence)

    async def _release(self) -> None:
        """Let other processes decide. A claim that cannot be released expires."""
        if self._engine.claims is not None:
            with suppress(StorageError):
                await self._engine.claims.release(self.live.snapshot.id)

    async def _recorded(self, sequence: int) -> Plan | None:
        await self.staleness.check()
        return await self._engine.ledger.plan(self.live.snapshot.id, sequence)

    async def _behind(self, *, done: bool) -> bool:
        """Whether another process has taken the session further. Raises `UnknownName` when the story is gone."""
        if not await self.staleness.check() and done:
            return False
        decided = await self._engine.ledger.decided(self.live.snapshot.id)
        return decided is not None and decided > self.live.snapshot.decided

    async def _reload(self) -> None:
        self._look, self._resumed = True, False
        self._applier.look_again()
        await self.live.take_over(self._engine)
        await self.staleness.reached(self.live.snapshot.decided)
        await self._applier.resume()
        self._resumed = True
        self._applier.wake()

    def _resolve(self, plans: Sequence[Plan]) -> None:
        for plan in plans:
            if (future := self._waiting.pop(plan.sequence, None)) and not future.done():
                future.set_result(plan)

    async def _resolve_others(self) -> None:
        """Resolve the futures of entries that another process has decided."""
        self._resolve([plan for sequence in list(self._waiting) if (plan := await self._recorded(sequence))])
        if self._waiting and await self._engine.ledger.decided(self.live.snapshot.id) is None:
            raise gone(self.live.snapshot.id)

    def _fail(self, error: Exception) -> None:
        self.failure = error
        self._look = True  # entries taken from `accept` were not decided
        waiting, self._waiting = self._waiting, {}
        for future in waiting.values():
            if not future.done():
                future.set_exception(error)
                future.exception()  # retrieve it, so that asyncio does not complain when nobody is waiting any more


async def decide(engine: Engine, live: Live, entry: Entry, applier: Applier) -> Plan:
    """The plan of one entry, given the session as it was before it. Writes nothing."""
    plan = await with_replaced_supported(engine.ledger, await _decided(engine, live, entry, applier), entry.body)
    return await with_originals(engine.ledger, plan, plan.state_after(live.snapshot.state).game_day)


async def _decided(engine: Engine, live: Live, entry: Entry, applier: Applier) -> Plan:
    match entry.body:
        case Said() as body:
            message = message_of(entry, body, live.snapshot)
            world = World.of(engine, live, live.snapshot, applier, message.channel)
            plan = await said(engine, live, message, entry.sequence, world, in_turn=body.in_turn)
            return noted(live, plan, entry.key, body.content) if has_macro(body.content) else plan
        case Changed() as body:
            return await changed(engine, live, entry, body)
        case Prepared() as body:
            return await prepared(engine, live, entry, body)
        case Revised() as body:
            plan = await revised(engine, live, entry, body, applier)
            return noted(live, plan, body.target, body.content) if plan.message else plan
        case Retracted() as body:
            return await retracted(engine, live, entry, body)
        case Derived() | Transferred() | Archived() as body:
            return await _of_memories(engine, live, entry, body)


async def _of_memories(engine: Engine, live: Live, entry: Entry, body: Derived | Transferred | Archived) -> Plan:
    match body:
        case Derived():
            return await derived(engine, live, entry, body)
        case Transferred():
            return await transferred(engine, live, entry, body)
        case Archived():
            return await archived(engine, live, entry, body)
