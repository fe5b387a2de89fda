"""END, step 5: what recorded plans ask of the store, in order and in acknowledged batches."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from functools import partial
from time import perf_counter

from pydantic import JsonValue

from ..containers import character_container
from ..engine import SPOOL, Engine
from ..errors import PartialWrite, StorageError, UnknownName
from ..live import Live, arrivals
from ..records.crowd import made
from ..records.memory import Memory
from ..records.plan import Delivery, Plan
from ..refusals import MemoryAddress, RefusedMemories, address
from ..staleness import StalenessCheck
from .backlog import Backlog
from .derivations import append_proposed
from .doubtful_writes import DoubtfulWrites
from .reconciliation import reconciled, restored, work_of
from .store_work import BUSY, PutOrder, Work, work_in_slices, work_of_plain
from .store_writes import StoreWrites
from .waiters import Waiters

ActiveSupports = Sequence[Delivery]
"""A memory, given by its active deliveries."""


@dataclass
class _PlanWriting:
    """One attempt to write some plans."""

    plans: Sequence[Plan]
    """The plans."""
    work: Work
    """What they ask of the store."""
    written: list[str] = field(default_factory=list)
    """Ids of the deliveries that are written, and not acknowledged yet."""
    refused: dict[int, set[MemoryAddress]] = field(default_factory=dict)
    """Sequence number of a plan → the memories of it that the store refuses for good."""
    order: PutOrder = field(init=False)
    """What is still to be put."""

    def __post_init__(self) -> None:
        self.order = PutOrder(self.work)

    def refuse(self, group: ActiveSupports, among: Sequence[Plan]) -> None:
        """Note that a memory, given by its active deliveries, is refused, with the plans that may have brought it to be
        written: these write it again."""
        for plan in bringing(group, among):
            self.refused.setdefault(plan.sequence, set()).add(address(group[0]))

    @property
    def settled(self) -> set[MemoryAddress]:
        """The memories that this attempt has brought into line with the ledger."""
        put = {address(group[0]) for group in self.work.put}
        gone = {(container, id) for container, ids in self.work.remove.items() for id in ids}
        return (put | gone).difference(*self.refused.values())


def bringing(group: ActiveSupports, among: Sequence[Plan]) -> Sequence[Plan]:
    """The plans that may have brought a memory, given by its active deliveries, to be written."""
    own = {each.sequence for each in group}
    return [each for each in among if each.sequence in own or each.due_day is not None or each.withdrawals] or among


def _is_applied(group: ActiveSupports) -> bool:
    """Whether the store has had the memory, in these words or others, perhaps from another process."""
    return any(each.status == "applied" for each in group)


class PlanWriter:
    """Writes one session's recorded plans to the store, and acknowledges to the ledger what the store has."""

    def __init__(
        self, engine: Engine, live: Live, backlog: Backlog, waiters: Waiters, staleness: StalenessCheck
    ) -> None:
        self._engine = engine
        self._live = live
        self._backlog = backlog
        self._waiters = waiters
        self._staleness = staleness
        self.doubtful = DoubtfulWrites(engine.ledger, live.snapshot.id)
        """What the store may still do later than it was asked to."""
        self.follows_another = False
        """Whether a process before this one has left plans: it may have been killed while the store wrote something."""
        self.store = StoreWrites(engine, self.doubtful)
        """What it asks of the store."""
        self._noted: Mapping[str, JsonValue] = {}
        """What the ledger knows of refusals."""

    async def write(self, plans: Sequence[Plan]) -> None:
        """Write these plans, and mark them as applied. Raises `StorageError`; what was written by then is kept."""
        try:
            plans = [await made(plan) for plan in plans]
            attempt = await self._write(plans, await self._work_of(plans))
        except BaseException:
            self.store.repeat()
            raise
        self._backlog.fresh.difference_update([plan.sequence for plan in plans])
        self._note_doubtful(attempt)
        await self._check_again(attempt)
        self.store.forget()
        for plan in plans:
            for id in plan.forgotten:
                await self._forget(plan, id, attempt)
            await append_proposed(self._engine.ledger, self._live.snapshot, plan)
        self.store.forget()
        if self._live.refused:
            self._backlog.release(attempt.settled)
        await self._finish(attempt, plans, attempt.written)

    def _note_doubtful(self, attempt: _PlanWriting) -> None:
        """What was removed, another process may be writing still: it has not read yet that it was taken back."""
        removed = {id for ids in attempt.work.remove.values() for id in ids}
        if removed and not self._engine.writes_here:
            brought = {each.memory_id for plan in attempt.plans for each in plan.deliveries}
            by_others = self._live.decided_elsewhere or self.follows_another
            self.doubtful.note(removed if by_others else removed & brought)

    async def compare(self, ids: Sequence[str]) -> None:
        """Have the store hold of these memories what the ledger says. Raises `StorageError`."""
        session, seen = self._live.snapshot.id, -1
        while (decided := await self.decided_elsewhere(session)) > seen:
            seen = decided
            self.store.forget()
            work = await reconciled(self._engine, [Plan(session=session, sequence=0, key=SPOOL)], ids, {})
            for memories, _ in work.batches():
                await self.store.put(memories)
            if work.remove:
                await self._remove(work.remove)
        self.store.forget()
        self.doubtful.looked_at(ids)

    async def _work_of(self, plans: Sequence[Plan]) -> Work:
        if not self._backlog.others:
            return await work_in_slices(plans)
        there = arrivals(self._live.held_back([plan.sequence for plan in plans]))
        return await work_of(self._engine, plans, arrived=there, there=there, brings=self._backlog.brings)

    async def _finish(self, attempt: _PlanWriting, plans: Sequence[Plan], written: Sequence[str]) -> None:
        """Acknowledge deliveries, and those of the plans of which the store refuses nothing."""
        refused = {each.sequence: attempt.refused[each.sequence] for each in plans if each.sequence in attempt.refused}
        sequences = [plan.sequence for plan in plans if plan.sequence not in refused]
        await self._engine.ledger.acknowledge(plans[0].session, sequences, written)
        for sequence, places in refused.items():
            self._backlog.hold_back(sequence, places)
        if refused or self._noted:
            await self._note_refused(sequences)
        self.done(sequences)

    async def _note_refused(self, done: Sequence[int]) -> None:
        """Let the ledger know what the store refuses, and why, for whoever looks from outside."""
        why = self._engine.refusals.why
        refused = {sequence: places for sequence, places in self._live.refused.items() if sequence not in done}
        told: dict[str, JsonValue] = {
            str(sequence): [[*place, why(place)] for place in sorted(places)] for sequence, places in refused.items()
        }
        if told != self._noted:
            await self._engine.ledger.write_data(self._live.snapshot.id, SPOOL, {"refused": told or None})
            self._noted = told

    def done(self, sequences: Sequence[int]) -> None:
        """Drop plans that are applied."""
        self._backlog.done(sequences)
        self._waiters.notify()

    async def _write(self, plans: Sequence[Plan], work: Work) -> _PlanWriting:
        """Put and remove memories; acknowledge whole batches, except what was written last.

        When it fails, all that is written by then is acknowledged.
        """
        attempt = _PlanWriting(plans, work)
        try:
            await self._put_all(attempt)
            if work.remove:
                await self._remove(work.remove)
        except StorageError:
            if attempt.written:
                with suppress(StorageError):  # they are written again then, which changes nothing
                    await self._acknowledge(attempt)
            raise
        return attempt

    async def _remove(self, ids: Mapping[str, Sequence[str]]) -> None:
        await self.store.remove(ids)
        self._engine.refusals.settle((container, id) for container, of in ids.items() for id in of)

    async def _put_all(self, attempt: _PlanWriting) -> None:
        plans, work, order = attempt.plans, attempt.work, attempt.order
        needed, size, began = partial(self._is_needed, plans[0]), work.batch, perf_counter()
        while not order.is_over:
            if len(attempt.written) >= work.batch:
                await self._acknowledge(attempt)
            if order.has_begun:
                seconds, others = perf_counter() - began, len(self._backlog.long)
                is_quiet = await self._engine.foreground.pause(seconds, needed, among=others)
                size = work.batch if is_quiet else work.batch // BUSY
            await self._staleness.check_after_pause()
            passing = await self._passing(plans) if order.has_begun else []
            began = perf_counter()
            await self._put(attempt, size, passing)
            if passing:
                await self._acknowledge(attempt, passing)
            if order.is_perceived and not work.remove and plans[0].sequence not in self._backlog.remembered:
                self._backlog.remembered |= {plan.sequence for plan in plans}
                self._waiters.notify()

    async def _acknowledge(self, attempt: _PlanWriting, passing: Sequence[Plan] = ()) -> None:
        """Mark what is written as applied, and the plans that have passed."""
        written, attempt.written = attempt.written, []
        if not passing:
            await self._engine.ledger.acknowledge(attempt.plans[0].session, [], written)
            return
        self._backlog.fresh.difference_update([plan.sequence for plan in passing])
        passed = _PlanWriting(passing, work_of_plain(passing), written, attempt.refused)
        await self._check_again(passed)
        await self._finish(passed, passing, passed.written)

    async def _put(self, attempt: _PlanWriting, size: int, passing: Sequence[Plan]) -> None:
        """Put the next memories, and those of plans that pass, and note which deliveries this applies.

        Each container gets its memories in the order of the journal all the same.
        """
        plans, order = attempt.plans, attempt.order
        passed = {each.container for plan in passing for each in plan.deliveries}
        first = order.bring_forward(passed - self._backlog.written[plans[0].sequence]) if passed else 0
        groups = [*order.take(max(size, first)), *work_of_plain(passing).put]
        memories, deliveries = attempt.work.made(groups)
        fresh, among = self._backlog.fresh, [each.sequence for each in (*plans, *passing)]
        are_new = fresh.issuperset(among)
        self.store.ask_again(address(group[0]) for group in groups if _is_applied(group))
        try:
            refused = await self.store.put(memories, are_new=are_new)
        except BaseException as error:
            fresh.difference_update(among)
            if isinstance(error, PartialWrite):
                part = [group for group in groups if error.names(*address(group[0]))]
                attempt.written += attempt.work.made(part)[1]
            raise
        await self.still_ours([*plans, *passing], memories)
        here = self._engine.refusals.here(memories)
        if refused or here:
            deliveries = await self._refused(attempt, groups, [*plans, *passing], refused, here)
        self._engine.refusals.settle(place for each in memories if (place := address(each)) not in refused)
        attempt.written += deliveries
        self._backlog.note_written(plans, memories)
        if self._waiters.wanted:
            self._waiters.notify()

    async def _refused(
        self,
        attempt: _PlanWriting,
        groups: Sequence[ActiveSupports],
        plans: Sequence[Plan],
        refused: RefusedMemories,
        here: Collection[MemoryAddress],
    ) -> Sequence[str]:
        """Note what was refused, and remove older versions of it; returns the ids of the other deliveries.

        What is refused `here` waits as well, although the store elsewhere has it.
        """
        stale: dict[str, list[str]] = {}
        supports: dict[MemoryAddress, list[str]] = {}
        for group in groups:
            place = address(group[0])
            if place in refused or place in here:
                attempt.refuse(group, plans)
            if place in refused:
                supports[place] = [each.id for each in group]
                if _is_applied(group):
                    stale.setdefault(group[0].container, []).append(group[0].memory_id)
        if stale:  # what was taken back may still be in there
            await self.store.remove(stale)
        self._engine.refusals.note(plans[0].session, refused, supports)
        waits = refused.keys() | here
        taken = [each for each in groups if address(each[0]) not in waits]
        return attempt.work.made(taken)[1]

    async def _passing(self, plans: Sequence[Plan]) -> list[Plan]:
        """The plans that pass the one being written, if it is a long one. They are durable, as it is."""
        found = self._backlog.passing(plans[0]) if len(plans) == 1 else []
        if found and not self._engine.one_database:
            await self._engine.ledger.sync()
        return found

    def _is_needed(self, plan: Plan) -> bool:
        """Whether somebody waits for the next batch of a plan."""
        return plan.sequence not in self._backlog.remembered and self.is_waited_for()

    def is_waited_for(self) -> bool:
        """Whether somebody waits for more than what a recall finds at hand."""
        return bool(self._waiters.for_all or (self._waiters.wanted and self._backlog.others))

    async def still_ours(self, plans: Sequence[Plan], memories: Sequence[Memory]) -> None:
        """Take back what was written while another process forgot the story. Raises `UnknownName` then.

        If the id belongs to another story by now, its own memories under these ids are written again.
        """
        try:
            await self._staleness.check_after_pause()
        except UnknownName:
            work = await restored(self._engine, plans, {each.id for each in memories})
            its_own = [memory for batch, _ in work.batches() for memory in batch]
            await self.store.limited(self._engine.store.put(its_own))
            kept = {each.id for each in its_own}
            ids: dict[str, list[str]] = {}
            for each in memories:
                ids.setdefault(each.container, []).extend([] if each.id in kept else [each.id])
            await self.store.limited(self._engine.store.remove(ids))
            raise

    async def _check_again(self, attempt: _PlanWriting) -> None:
        """Check again after an attempt: a memory that another process withdrew meanwhile must not come back."""
        plans = attempt.plans
        seen = plans[-1].sequence
        while (decided := await self.decided_elsewhere(plans[0].session)) > seen:
            seen = decided
            self._backlog.look_again()  # if this fails, the next attempt knows what this one does
            self.store.forget()
            again = await self._write(plans, await work_of(self._engine, plans))
            attempt.written += again.written
            for each in plans:
                attempt.refused.pop(each.sequence, None)
            attempt.refused |= again.refused

    async def decided_elsewhere(self, session: str) -> int:
        """The last entry that another process has decided; what is decided here is applied here, in its turn."""
        async with self._live.recording:
            decided = await self._engine.ledger.decided(session) or 0
            return decided if decided > self._live.snapshot.decided else self._live.decided_elsewhere

    async def _forget(self, plan: Plan, id: str, attempt: _PlanWriting) -> None:
        """Drop a forgotten character's container, then restore what a newcomer under the same id has received since."""
        container = character_container(plan.session, id).name
        await self.store.limited(self._engine.written_store.drop(container))
        self._engine.refusals.drop(container, only="elsewhere" if self._engine.local_first else None)
        self._backlog.release(
            {place for places in self._live.refused.values() for place in places if place[0] == container}
        )
        await self._engine.ledger.forget_owner(plan.session, id, up_to=plan.sequence)
        since = await self._engine.ledger.deliveries(plan.session, container=container, status="applied")
        work = await reconciled(self._engine, [plan], {each.memory_id for each in since}, {})
        again = await self._write([plan], work)
        attempt.written += again.written
        attempt.refused |= again.refused
