"""The spool: what is decided and due, and what the store has not taken yet. The ledger holds it; nothing else does.

`ew.spool` is an extension. Delivering is the applier's work, and goes on by itself while a story is open: here one
looks at what is left, tries at once, drops it, and writes it to a file or takes it from one (`spool_file.py`).
"""

from __future__ import annotations

import asyncio
from collections import Counter
from collections.abc import Collection, Iterable, Mapping, Sequence
from contextlib import suppress
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any, NamedTuple

from pydantic import JsonValue, TypeAdapter

from .emptied import delivered_in_vain
from .end.doubtful_writes import KEY as DOUBTFUL
from .end.reconciliation import reconciled, work_of
from .end.store_work import Work, arrival_day
from .engine import FORGOTTEN, SPOOL
from .errors import InputError, NotYetApplied, StorageError, quoted, unknown
from .extras import LocalFirstStore
from .live import Unapplied, arrivals
from .records.base import Record
from .records.journal import Entry
from .records.memory import Memory
from .records.plan import Delivery, Plan
from .records.prose import counted
from .refusals import MemoryAddress, RefusedMemories, RefusedMemory, address, put_taken
from .spool_file import read_spool, spool_lines

if TYPE_CHECKING:
    from .app import Earwitness

ABOUT_STORE = SPOOL
"""The name of what a ledger keeps about its store beside the data of plugins. It says nothing about another store."""
AT_ONCE, COMPARED = 8, 400
"""Containers that are compared at the same time, and at most."""
TO_BE_DROPPED = "the story is forgotten, and the store has not dropped this container yet"


_NOTED = TypeAdapter(dict[int, list[tuple[str, str, str]]])
"""What the applier notes of what is refused: sequence number → container, id, why."""


class Undelivered(Record):
    """What the store has not taken yet of one container."""

    session: str
    """Session id."""
    container: str
    """Container name."""
    count: int
    """How many deliveries wait; 0 for a container that is to be dropped, as its story is forgotten."""
    removals: int = 0
    """How many memories were taken back, by an edit for example, and are still in the store."""
    oldest: str
    """When the earliest of their entries was written, as an ISO timestamp."""
    failure: str | None = None
    """Why the store did not take it when it was last tried; `None` if it was not tried, or nothing failed."""
    refused: dict[str, str] = {}
    """Memory id → why the store refuses it for good. All else passes these."""

    def __str__(self) -> str:
        why = f": {self.failure}" if self.failure else ""
        refused = "".join(f"\n    refused {id!r}: {reason}" for id, reason in self.refused.items())
        removals = counted(self.removals, "removal") if self.removals else ""
        waits = " and ".join(filter(None, [str(self.count) if self.count or not removals else "", removals]))
        return f"{self.container}: {waits} since {_to_the_second(self.oldest)}{why}{refused}"


def _to_the_second(timestamp: str) -> str:
    """`2026-11-28 14:55:03 UTC`; what is not a timestamp of ours stays as it is."""
    try:
        return f"{datetime.fromisoformat(timestamp).astimezone(UTC):%Y-%m-%d %H:%M:%S} UTC"
    except ValueError:
        return timestamp


class _SpooledMemory(NamedTuple):
    """A memory that the store has not taken yet."""

    container: str
    id: str
    sequence: int
    """Number of the entry that brought it."""
    refused: str
    """Why the store refuses it; empty if it does not."""
    is_new: bool = True
    """Whether the store has no older wording of it."""


class _SpooledRemoval(NamedTuple):
    """A memory that was taken back, and that the store has not removed yet."""

    container: str
    sequence: int
    """Number of the entry that took it back."""


class SpoolReceipt(Record):
    """What became of the lines of a file."""

    delivered: int
    """How many memories were written or removed."""
    removed: int = 0
    """How many of them were removed."""
    skipped: dict[str, int] = {}
    """Why a line was left out → how many lines were."""


class Spool:
    """What the store has not taken yet, of all stories."""

    def __init__(self, ew: Earwitness) -> None:
        self._ew = ew
        self._engine = ew.engine

    async def waiting(self, session: str | None = None) -> tuple[Undelivered, ...]:
        """What waits, of one story or of all, by container. Opens no story. Raises `UnknownName`.

        The containers of a forgotten story wait, too, until the store has dropped them.
        """
        forgotten = await self._forgotten(session)
        if forgotten and session is not None:
            return forgotten
        return (*forgotten, *await self._undelivered(session))

    async def replay(self, session: str | None = None, *, timeout: float | None = None) -> tuple[Undelivered, ...]:
        """Try to deliver what waits, of one story or of all; returns what is left. What was taken back is removed, too.

        With a `timeout` in seconds, each story is tried again and again for so long, otherwise once. A story that is
        forgotten is dropped, once.
        """
        forgotten = await self._forgotten(session)
        for id in dict.fromkeys([each.session for each in forgotten]):
            with suppress(StorageError):  # what is left says so
                await self._ew.forget(id)
        if forgotten and session is not None:
            return await self._forgotten(session)
        for id in [each for each in await self._named(session) if await self._may_lack(each)]:
            try:
                await (await self._ew.open_session(id)).delivered(timeout, retry_refused=True)
            except NotYetApplied:
                continue  # what is left says why
        return await self.waiting(session)

    async def drop(self, session: str, *, containers: Sequence[str] = (), reason: str = "dropped") -> int:
        """Strike what waits of a story, or for these containers of it, for good; returns how many memories those are.

        The story records it, with the reason: whoever was to remember does not. If the store refuses only a newer
        wording of a memory, the memory is archived. Removals go on waiting. Raises `UnknownName`.
        """
        waiting = await self._waiting((await self._named(session))[0])
        known = {each.container for each in waiting} | {each.container for each in await self._removals(session)}
        if strange := sorted(set(containers) - known):
            raise unknown("container of what waits", strange[0], known)
        chosen = [each for each in waiting if not containers or each.container in containers]
        ids = dict.fromkeys(each.id for each in chosen if each.is_new)
        reworded = dict.fromkeys(each.id for each in chosen if each.id not in ids)
        story = await self._ew.open_session(session) if chosen else None
        if story and ids:
            await (await story.archive(*ids, dropped=reason)).decided()
        if story and reworded:
            await (await story.archive(*reworded)).decided()
        return len(ids | reworded)

    async def lacking(self) -> dict[str, tuple[int, int]]:
        """Container → how many memories of it the store has, and how many it should have, where it lacks some although
        nothing waits: as after it was emptied, or another one was named. At most 400 containers are compared.

        If there are two stores, the one elsewhere is compared with the one here. If there is one, only containers that
        are empty in it are named. Raises `StorageError` for a store that does not answer.
        """
        waiting = {each.container for each in await self.waiting()}
        both = self._engine.local_first
        sessions = await self._ew.sessions()
        every = {
            each.name: session
            for session in ((None, *sessions) if both else sessions)
            for each in await self._ew.containers(session=session)
        }
        names = [each for each in every if each not in waiting][:COMPARED]
        if both is None:
            return {name: (0, n) for name in names if (n := await delivered_in_vain(self._engine, every[name], name))}
        begins = range(0, len(names), AT_ONCE)
        counts = [each for begin in begins for each in await _counts(both, names[begin : begin + AT_ONCE])]
        return {name: (there, here) for name, there, here in counts if there < here}

    async def lines(self, session: str) -> list[dict[str, Any]]:
        """The lines of a file with all that waits of a story. Raises `UnknownName`."""
        plans, _ = await self._pending((await self._named(session))[0])
        work = await work_of(self._engine, plans) if plans else Work()
        return spool_lines(session, work)

    async def deliver(self, lines: Iterable[Mapping[str, Any]]) -> SpoolReceipt:
        """Deliver what the lines of a file name to the store. They may have been delivered before.

        A memory is written as the ledger has it, whatever the file says. What the ledger does not know, has taken
        back, or does not have due is left out. Raises `InputError` for a line that cannot be read, and for a session
        or container that this ledger does not have; then nothing is written. Raises `StorageError`, and can be called
        again then.
        """
        session, memories, removals = read_spool(list(lines))
        await self._named(session)
        puts, removed = _named_by(memories, removals)
        await self._check_containers(session, {container for container, _ in (*puts, *removed)})
        work = await self._work(session, {id for _, id in (*puts, *removed)})
        alive = {address(group[0]): group for group in work.put}
        gone = {(name, id) for name, ids in work.remove.items() for id in ids}
        found = [alive[each] for each in alive if each in puts]
        refused = await self._put(session, Work(found, removed=work.removed))
        taken_out = [each for each in removed if each in gone]
        await self._remove(taken_out)
        skipped = Counter(_why_not(each, gone, alive) for each in puts if each not in alive)
        skipped.update(_why_not(each, gone, alive) for each in removed if each not in gone)
        skipped.update(f"refused by the store ({each.why})" for each in refused.values())
        left = len(puts) + len(removed) - skipped.total()
        return SpoolReceipt(delivered=left, removed=len(taken_out), skipped=dict(skipped))

    async def _check_containers(self, session: str, names: Collection[str]) -> None:
        claimed = {each.name for each in await self._engine.ledger.claimed(sorted(names)) if each.session == session}
        if strange := sorted(set(names) - claimed):
            raise InputError(f"{quoted(strange[0])} is not a container of session {session!r} in this ledger.")

    async def _work(self, session: str, ids: Collection[str]) -> Work:
        """What the store must hold of these memories by now, and what it must not."""
        plans, pending = await self._pending(session)
        arrived = {each.id: 0 for each in pending}
        return await reconciled(self._engine, plans or [Plan(session=session, sequence=0, key=SPOOL)], ids, arrived)

    async def _put(self, session: str, work: Work) -> RefusedMemories:
        """Write memories; those that were taken back meanwhile, as by another process, are removed again.

        Returns those that the store refuses.
        """
        limit, wrote = self._engine.settings.end.store_timeout, list[MemoryAddress]()
        refused: dict[MemoryAddress, RefusedMemory] = {}

        async def put(memories: Sequence[Memory]) -> None:
            await self._engine.store_work(limit, self._engine.store.put(memories))

        for memories, _ in work.batches():
            wrote += [address(each) for each in memories]
            refused |= await put_taken(put, memories)
        if wrote:
            still = await self._work(session, {id for _, id in wrote})
            alive = {address(group[0]) for group in still.put}
            await self._remove([each for each in wrote if each not in alive])
        return refused

    async def _remove(self, places: Sequence[MemoryAddress]) -> None:
        ids: dict[str, list[str]] = {}
        for container, id in places:
            ids.setdefault(container, []).append(id)
        if ids:
            limit = self._engine.settings.end.store_timeout
            await self._engine.store_work(limit, self._engine.store.remove(ids))

    async def _named(self, session: str | None) -> Sequence[str]:
        there = await self._ew.sessions()
        if session is not None and session not in there:
            raise unknown("session", session, there)
        return there if session is None else (session,)

    async def _forgotten(self, session: str | None) -> tuple[Undelivered, ...]:
        """The containers of forgotten stories, or of this one, that the store has not dropped yet."""
        ledger = self._engine.ledger
        ids = [id for id in await ledger.sessions() if session in {None, id}]
        marks = [(id, mark) for id in ids if (mark := await ledger.entry(id, key=FORGOTTEN))]
        return tuple(
            [
                Undelivered(session=id, container=each.name, count=0, oldest=mark.timestamp, failure=TO_BE_DROPPED)
                for id, mark in marks
                for each in await ledger.containers(id)
            ]
        )

    async def _undelivered(self, session: str | None) -> list[Undelivered]:
        return [each for id in await self._named(session) for each in await self._of(id)]

    async def _of(self, session: str) -> list[Undelivered]:
        waiting, removals = await self._waiting(session), await self._removals(session)
        if not (waiting or removals):
            return []
        ledger, first = (
            self._engine.ledger,
            min([each.sequence for each in waiting] + [each.sequence for each in removals]),
        )
        written = {each.sequence: each.timestamp for each in await ledger.entries(session, after=first - 1)}
        failure = (await ledger.data(session, SPOOL)).get("failure")
        groups: dict[str, tuple[list[_SpooledMemory], list[_SpooledRemoval]]] = {}
        for each in waiting:
            groups.setdefault(each.container, ([], []))[0].append(each)
        for removal in removals:
            groups.setdefault(removal.container, ([], []))[1].append(removal)
        return [
            Undelivered(
                session=session,
                container=container,
                count=len(memories),
                removals=len(gone),
                oldest=min([written[each.sequence] for each in memories] + [written[each.sequence] for each in gone]),
                failure=None if failure is None else str(failure),
                refused={each.id: each.refused for each in memories if each.refused},
            )
            for container, (memories, gone) in groups.items()
        ]

    async def _removals(self, session: str) -> list[_SpooledRemoval]:
        """What was taken back since the store took it, and is in it still."""
        plans, _ = await self._pending(session)
        brought = {each.memory_id for plan in plans for each in plan.deliveries}
        taken = {id: plan.sequence for plan in plans[::-1] for each in plan.withdrawals for id in each.removes.values()}
        there = {id: sequence for id, sequence in taken.items() if id not in brought}
        found = await self._engine.ledger.deliveries(session, memory_ids=sorted(there)) if there else ()
        active = {address(each) for each in found if each.is_active}
        gone = dict.fromkeys(address(each) for each in found if address(each) not in active)
        return [_SpooledRemoval(container, there[id]) for container, id in gone]

    async def _waiting(self, session: str) -> list[_SpooledMemory]:
        """What the store has not taken yet: deliveries, and newer wordings that it refuses."""
        plans, pending = await self._pending(session)
        noted = (await self._engine.ledger.data(session, SPOOL)).get("refused") if plans else None
        refused = _refused(noted, {each.sequence for each in plans})
        new = [
            _SpooledMemory(*address(each), each.sequence, refused.pop(address(each), (0, ""))[1]) for each in pending
        ]
        active = await self._active(session, refused)
        reworded = [_SpooledMemory(*at, *known, is_new=False) for at, known in refused.items() if at in active]
        return [*new, *reworded]

    async def _active(self, session: str, places: Collection[MemoryAddress]) -> set[MemoryAddress]:
        """Those of the memories that were not taken back since they were noted."""
        ids = sorted(id for _, id in places)
        found = await self._engine.ledger.deliveries(session, memory_ids=ids) if ids else ()
        return {address(each) for each in found if each.is_active}

    async def _may_lack(self, session: str) -> bool:
        """Whether the store may lack something, or hold what was taken back."""
        doubtful = (await self._engine.ledger.data(session, SPOOL)).get(DOUBTFUL)
        return bool(doubtful or await self._unapplied(session, limit=1))

    async def _unapplied(self, session: str, *, limit: int | None = None) -> Sequence[Entry]:
        """The decided entries of which the store may lack something, or hold something that was taken back."""
        ledger = self._engine.ledger
        return await ledger.entries(session, unapplied=True, up_to=await ledger.decided(session) or 0, limit=limit)

    async def _pending(self, session: str) -> tuple[list[Plan], list[Delivery]]:
        """The plans that are not applied, and the deliveries that have arrived with them and are not acknowledged."""
        ledger, entries = self._engine.ledger, await self._unapplied(session)
        plans = [plan for each in entries if (plan := await ledger.plan(session, each.sequence))]
        if not plans:
            return [], []
        has_arrived = arrivals({each.sequence: Unapplied(arrival_day(each), None, each.due_day) for each in plans})
        pending = await ledger.deliveries(session, status="pending")
        return plans, [each for each in pending if has_arrived(each)]


async def _counts(both: LocalFirstStore, names: Sequence[str]) -> list[tuple[str, int, int]]:
    """Containers with their numbers of memories elsewhere and here."""

    async def of(name: str) -> tuple[str, int, int]:
        here = await both.local.count(name)
        return name, await both.elsewhere.count(name) if here else 0, here

    found = await asyncio.gather(*(of(name) for name in names), return_exceptions=True)
    for each in found:
        if isinstance(each, BaseException):
            raise each
    return [each for each in found if not isinstance(each, BaseException)]


def _refused(noted: JsonValue, sequences: Collection[int]) -> dict[MemoryAddress, tuple[int, str]]:
    """Of what the applier has noted, the memories that these plans bring: with the sequence number, and why."""
    return {
        (container, id): (sequence, why)
        for sequence, of in _NOTED.validate_python(noted or {}).items()
        for container, id, why in of
        if sequence in sequences
    }


def _named_by(
    memories: Sequence[Memory], removals: Mapping[str, Sequence[str]]
) -> tuple[list[MemoryAddress], list[MemoryAddress]]:
    """What is to be put and what is to be removed, each once."""
    gone = [(container, id) for container, ids in removals.items() for id in ids]
    return list(dict.fromkeys(map(address, memories))), list(dict.fromkeys(gone))


def _why_not(place: MemoryAddress, gone: Collection[MemoryAddress], alive: Collection[MemoryAddress]) -> str:
    """Why a line is left out."""
    if place in gone:
        return "taken back since"
    return "remembered again" if place in alive else "unknown to this ledger, or not due yet"
