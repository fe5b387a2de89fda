"""A session in memory: the state after its last decided entry, and the messages before the next one."""

from __future__ import annotations

import asyncio
from bisect import bisect_right
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from itertools import accumulate

from pydantic import JsonValue

from .engine import HOST_CALLS, QUOTING, UNTOLD, WITHHELD, Engine
from .formats import holds_placeholder
from .ids import derive
from .namesakes import names_once_forgotten
from .plugin_data import PluginData
from .ranked_by_words import AtHand
from .records.crowd import CrowdsApart
from .records.journal import Archived, Entry, Retracted, Revised
from .records.message import SettledMessage
from .records.plan import Delivery, Plan, PluginWrite
from .records.prose import counted
from .records.snapshot import Snapshot
from .refusals import MemoryAddress
from .unused_calls import UnusedCalls
from .validation.messages import gone

RECENT = 24
LANDMARKS = 64
"""The number of entries between snapshots that are kept in memory."""
LATE_WRITES = 64
"""A store may still get what was withdrawn by so many of the latest entries, from a process that has not read them."""
WITHDRAWING = (Revised, Retracted, Archived)
"""Bodies of the entries whose plans take something away."""


@dataclass(frozen=True)
class Unapplied:
    """A recorded plan that the store does not hold yet."""

    day: float
    """The game day it is applied on."""
    plan: Plan | None
    """The plan; `None` if it must still be read from the ledger."""
    due_day: float | None = None
    """The game day by which what earlier plans have left pending arrives with it; `None` = nothing does."""
    is_plain: bool = False
    """Whether it is known that the plan only adds memories."""
    brings: bool = True
    """Whether something that earlier plans have left pending may arrive with it."""
    at_hand: dict[str, Sequence[AtHand]] = field(default_factory=dict)
    """Container → the memories that the plan makes there by that day, for those containers that a recall asked for."""

    def concerns(self, container: str) -> bool:
        """Whether the plan may change something in a container by that day."""
        return not self.is_plain or self.reaches(container)

    def reaches(self, container: str) -> bool:
        """Whether the plan makes a delivery to a container by that day."""
        return bool(self.due(container))

    def due(self, container: str) -> Sequence[Delivery]:
        """The deliveries the plan makes to a container by that day."""
        return [each for each in self._deliveries.to(container) if each.is_active and each.due <= self.day]

    @cached_property
    def _deliveries(self) -> CrowdsApart:
        return CrowdsApart(self.plan.deliveries if self.plan else ())


@dataclass(frozen=True)
class Operations:
    """The entries of a stretch of the journal with which somebody took something back."""

    after: int
    """The stretch begins after this entry."""
    up_to: int
    """Its last entry."""
    entries: Sequence[Entry]
    """In sequence order."""

    def before(self, after: int, earlier: Sequence[Entry]) -> Operations:
        """The same, beginning earlier."""
        return Operations(after, self.up_to, [*earlier, *self.entries])

    def followed_by(self, later: Sequence[Entry], up_to: int) -> Operations:
        """The same, going on up to another entry."""
        return Operations(self.after, up_to, [*self.entries, *later])


@dataclass(slots=True)
class Live:
    """One session's working state; all of it can be read again from the ledger.

    There are no world updates after the entry `latest_update`. `previous` is the session before a message, usually the
    last one, because that is the one that gets edited and rerolled. `landmarks` are snapshots after earlier entries, by
    sequence number; later states are folded from them; `latest_days` has, for some of these numbers, an earlier entry
    and the latest day since. `operations` are those that were read, for an edit of an early message. `unapplied` holds,
    by sequence number, the recorded plans that the store does not hold yet; those `kept` are in the store here, where
    the store is a `LocalFirstStore`. `refused` holds, by sequence number, what the store refuses of plans of which all
    else is written; of those in `refused_here`, the store here refuses something. `recording` is held while a plan is
    recorded and taken over. `decided_elsewhere` is the last entry that another process was found to have decided.
    `taken_back` holds, by character, the keys of recent messages whose own copy was retracted, as far as somebody
    asked; it is `None` while nothing can have been. `overdue` is set while a change of the day may not have brought
    what was due. Whatever is due before the day `next_due` has arrived; `None` = nobody has looked. `is_behind` is set
    while another process is known to have decided what this one has not read yet. `warned_unguarded` is set once the
    host was warned that nothing withholds direct messages. `withdrawn` are ids of memories of which something was taken
    back since the session was opened here, or by the last entries before. `looked_at` are containers of which the store
    was found to lack nothing. `forgotten_as` is as in `ReadProviderEvent`.
    """

    snapshot: Snapshot
    recent: tuple[SettledMessage, ...] = ()
    stored: dict[str, dict[str, JsonValue]] = field(default_factory=dict)
    latest_update: int = 0
    previous: Snapshot | None = None
    landmarks: dict[int, Snapshot] = field(default_factory=dict)
    latest_days: dict[int, tuple[int, float]] = field(default_factory=dict)
    operations: Operations | None = None
    unapplied: dict[int, Unapplied] = field(default_factory=dict)
    kept: set[int] = field(default_factory=set)
    refused: dict[int, frozenset[MemoryAddress]] = field(default_factory=dict)
    refused_here: set[int] = field(default_factory=set)
    recording: asyncio.Lock = field(default_factory=asyncio.Lock)
    decided_elsewhere: int = 0
    taken_back: dict[str, frozenset[str]] | None = None
    overdue: bool = False
    warned_unguarded: bool = False
    next_due: float | None = None
    is_behind: bool = False
    withdrawn: set[str] = field(default_factory=set)
    looked_at: set[str] = field(default_factory=set)
    forgotten_as: tuple[str, ...] = ()

    @classmethod
    async def load(cls, engine: Engine, session: str) -> Live:
        """Read the session. Raises `UnknownName` when it is gone."""
        ledger = engine.ledger
        snapshot = await ledger.load(session)
        if snapshot is None:
            raise gone(session)
        recent = await ledger.messages(session, limit=RECENT)
        stored = {name: await ledger.data(session, name) for name in engine.data_owners}
        UnusedCalls.shared(engine.resources).read(session, stored[HOST_CALLS], engine.run)
        has_past = snapshot.decided > 0
        live = cls(snapshot, tuple(recent), stored, snapshot.decided, taken_back={} if has_past else None)
        live.forgotten_as = await names_once_forgotten(ledger, snapshot) if engine.read_providers else ()
        live.overdue = has_past  # a change of the day may have brought nothing before a restart: the next entry looks
        return live

    async def take_over(self, engine: Engine) -> None:
        """Go on from where another process has left the session. Raises `UnknownName` when it is gone."""
        fresh = await Live.load(engine, self.snapshot.id)
        await self.read_withdrawn(engine, self.snapshot.decided, fresh.snapshot.decided)
        self.snapshot, self.recent, self.stored = fresh.snapshot, fresh.recent, fresh.stored
        self.latest_update, self.taken_back = fresh.latest_update, fresh.taken_back
        self.overdue |= fresh.overdue
        self.next_due, self.decided_elsewhere = None, fresh.snapshot.decided

    async def read_withdrawn(self, engine: Engine, after: int, up_to: int) -> None:
        """Note what the latest entries have taken away, as far as another process may be writing it still."""
        since = max(after, up_to - LATE_WRITES)
        for entry in await engine.ledger.entries(self.snapshot.id, after=since, up_to=up_to) if up_to > since else ():
            if isinstance(entry.body, WITHDRAWING) and (
                plan := await engine.ledger.plan(entry.session, entry.sequence)
            ):
                self.note_withdrawn(plan)

    def note_withdrawn(self, plan: Plan) -> None:
        """Note what a plan takes away: a store may get it once more from a process that has not read that yet."""
        self.withdrawn.update(id for each in plan.withdrawals for id in each.removes.values())

    async def as_recorded(self, engine: Engine) -> Live:
        """The session as another process has left it, for one recall: this one cannot take it over yet."""
        fresh = await Live.load(engine, self.snapshot.id)
        return replace(self, snapshot=fresh.snapshot, recent=fresh.recent, stored=fresh.stored, taken_back={})

    @property
    def said(self) -> set[str]:
        """Texts of messages that hold one of Earwitness's placeholders, and of recent messages.

        The recent ones may hold one of the host's.
        """
        quoting = self.stored.get(QUOTING, {}).values()
        return {str(each) for each in quoting}.union(each.message.content for each in self.recent)

    @property
    def lacking(self) -> Mapping[int, Unapplied]:
        """The recorded plans that no store holds yet, by sequence number."""
        if not self.kept:
            return self.writable
        if self.kept.issuperset(self.unapplied):
            return {}
        return {sequence: each for sequence, each in self.writable.items() if sequence not in self.kept}

    @property
    def writable(self) -> Mapping[int, Unapplied]:
        """The recorded plans that the store lacks something of, besides what it refuses."""
        if not self.refused:
            return self.unapplied
        return {sequence: each for sequence, each in self.unapplied.items() if sequence not in self.refused}

    def held_back(self, sequences: Collection[int]) -> Mapping[int, Unapplied]:
        """The plans of which the store refuses a memory, but these."""
        return {each: self.unapplied[each] for each in self.refused if each not in sequences}

    @property
    def in_place(self) -> Mapping[int, Unapplied]:
        """The others: those that the store here has, where the store is a `LocalFirstStore`, and the other lacks."""
        return {sequence: each for sequence, each in self.unapplied.items() if sequence in self.kept}

    @property
    def size(self) -> str:
        """`3 characters, 12 entries`."""
        cast, decided = len(self.snapshot.cast), self.snapshot.decided
        return f"{counted(cast, 'character')}, {counted(decided, 'entry', 'entries')}"

    @property
    def untold(self) -> Mapping[str, JsonValue]:
        """Key of a message → label of a sharing rule → ids of those whom it has reached while that rule failed."""
        return self.stored.get(UNTOLD, {})

    @property
    def withheld(self) -> Mapping[str, JsonValue]:
        """Key of a message → container → why what is told of it there waits, although it is due."""
        return self.stored.get(WITHHELD, {})

    def withheld_from(self, containers: Collection[str]) -> dict[str, str]:
        """Key of a message of which something for one of these containers waits → why."""
        return {
            key: str(why)
            for key, of in self.withheld.items()
            if isinstance(of, dict)
            for container, why in of.items()
            if container in containers
        }

    def has_arrived(self) -> Callable[[Delivery], bool]:
        """Whether a pending delivery has arrived with a recorded plan that is not applied by now."""
        return arrivals(self.unapplied)

    def data(self) -> Mapping[str, PluginData]:
        """Fresh write buffers over the data of each plugin."""
        return {name: PluginData(kept) for name, kept in self.stored.items()}

    def data_after(self, plan: Plan) -> Mapping[str, PluginData]:
        """The same, with what a plan writes."""
        data = dict(self.data())
        for each in plan.plugin_data:
            data.setdefault(each.plugin, PluginData({})).changes[each.key] = each.value
        return data

    def advance(self, plan: Plan, after: Snapshot) -> None:
        """Apply the effects of a recorded plan."""
        before, self.snapshot = self.snapshot, after
        self.remember(after)
        self._keep(plan.plugin_data)
        if any(each.part.startswith("update-") for each in CrowdsApart(plan.deliveries).kinds):
            self.latest_update = plan.sequence
        if plan.withdrawals or plan.restorations:
            self.taken_back = {}
            self.note_withdrawn(plan)
        if (settled := plan.message) is None:
            return
        just_said = settled.message.sequence == plan.sequence  # a revision keeps the sequence number of the original
        if just_said and not (self.recent and self.recent[-1].message.key == settled.message.key):
            self.recent = (*self.recent, settled)[-RECENT:]
            self.previous = before
        else:
            self.recent = tuple(settled if each.message.key == settled.message.key else each for each in self.recent)

    def note_delayed(self, plan: Plan, day: float) -> None:
        """Note what a recorded plan, which is applied on a `day`, leaves pending for a later one."""
        if plan.restorations:
            self.next_due = None
        elif self.next_due is not None:
            kinds = CrowdsApart(plan.deliveries).kinds
            self.next_due = min([self.next_due, *(each.due for each in kinds if each.due > day)])

    def brings_something(self, plan: Plan) -> bool:
        """Whether something that earlier plans have left pending may arrive with the plan just recorded."""
        return plan.due_day is not None and (self.next_due is None or plan.due_day >= self.next_due)

    def remember(self, snapshot: Snapshot) -> None:
        """Keep the snapshot if its entry is a landmark."""
        if snapshot.decided % LANDMARKS == 0:
            self.landmarks[snapshot.decided] = snapshot

    def nearest(self, sequence: int) -> Snapshot:
        """The latest known snapshot at or before an entry."""
        previous = [self.previous] if self.previous else []
        known = [each for each in (*self.landmarks.values(), *previous) if each.decided <= sequence]
        return max(known, key=lambda each: each.decided, default=Snapshot(id=self.snapshot.id))

    def _keep(self, writes: tuple[PluginWrite, ...]) -> None:
        for write in writes:
            kept = self.stored.setdefault(write.plugin, {})
            kept.pop(write.key, None)
            if write.value is not None:
                kept[write.key] = write.value


def arrivals(unapplied: Mapping[int, Unapplied]) -> Callable[[Delivery], bool]:
    """Whether a pending delivery has arrived with one of these plans, given by sequence number.

    Plans and deliveries may both be thousands: a delivery is compared with its own plan and one number."""
    dated = sorted((sequence, each.due_day) for sequence, each in unapplied.items() if each.due_day is not None)
    sequences = [sequence for sequence, _ in dated]
    latest = list(accumulate((day for _, day in reversed(dated)), max))[::-1]

    def has_arrived(delivery: Delivery) -> bool:
        own = unapplied.get(delivery.sequence)
        if own is not None and own.day >= delivery.due:
            return True
        later = bisect_right(sequences, delivery.sequence)
        return later < len(latest) and latest[later] >= delivery.due

    return has_arrived


def written(data: Mapping[str, PluginData]) -> tuple[PluginWrite, ...]:
    """The values plugins wrote into their buffers."""
    return tuple(
        PluginWrite(plugin=name, key=key, value=value)
        for name, buffer in data.items()
        for key, value in buffer.changes.items()
    )


def quoting(content: str) -> tuple[PluginWrite, ...]:
    """The record of a message that holds a placeholder, so that a prompt quoting it is not filled at that place."""
    return (PluginWrite(plugin=QUOTING, key=derive(content), value=content),) if holds_placeholder(content) else ()
