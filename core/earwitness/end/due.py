"""Delayed deliveries: planned when their day arrives, in (day, sequence) order, with the guards and rules of that day.

Strikes and further tellings are recorded with the plan of the change that brings the day, before anything is written.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from functools import partial
from typing import Any

from ..carried_hubs import is_hub_memory, message_key_of
from ..engine import Engine
from ..events import Event, SharingEvent
from ..ids import WORLD
from ..live import Live
from ..plugin_data import PluginData
from ..records.channel import Channel, learned_channel
from ..records.character import Cast
from ..records.journal import Entry
from ..records.message import SettledMessage
from ..records.plan import Answer, Delivery, Plan, Withdrawal, grouped
from ..records.read_only import ReadOnlyDict
from ..records.state import FactsOf, State
from ..records.update import Update
from .active_deliveries import ActiveDeliveries
from .derivations import ProposedMemory, resting_on, with_proposals
from .disguises import as_known
from .guards import guarded, kept_from_knowing, unasked, without_tellers
from .late_answers import free_to_ask
from .message_copies import of_telling, world_copy
from .shares import Sharing, shared, tellers_of
from .untold import SAID, Untold, as_update, day_asked, entry_asked
from .withdrawals import downstream, strikes
from .withheld import LateArrivals, is_withheld, waits_like, withheld_by

MOST_HOPS = 64
"""The most times a rumour hops on within one change of the day."""


class Arrivals:
    """The outcome of one change of the day: strikes, further tellings, and the strategies that were asked."""

    def __init__(
        self,
        engine: Engine,
        live: Live,
        entry: Entry,
        plan: Plan,
        data: Mapping[str, PluginData],
        archived: Iterable[Delivery] = (),
        state: State | None = None,
    ) -> None:
        """`archived` is where everything is that was withheld before, `state` that of the day that came; `None` = as it
        is after the plan."""
        self._engine, self._live, self._entry, self._plan_so_far, self.data = engine, live, entry, plan, data
        self._cast = plan.cast or live.snapshot.cast
        self._judged_as_of: int | None = None
        """As `Event.as_of` says."""
        self._told_at = self._asked_at = entry.sequence
        self._state = plan.state_after(live.snapshot.state) if state is None else state
        self._until = self._state.game_day
        self._joined = ReadOnlyDict(live.snapshot.joined_after(plan))
        self._knowers: dict[str, dict[str, Delivery]] = {}
        """Source key → who knew of it before, or has been reached by now, with what they know: they do not tell it on
        again."""
        self.withheld = LateArrivals(archived, _taken_by(plan))
        self.withdrawals: list[Withdrawal] = []
        self.downstream: list[Delivery] = []
        self.answers: list[Answer] = []
        self.derived: list[ProposedMemory] = []
        self.facts: dict[str, FactsOf] = {}
        """Key of a message → what is noted with it late."""
        self._untold = Untold(data)
        self._standing = ActiveDeliveries(engine.ledger, entry.session, self._planned_so_far, self._taken)

    def _planned_so_far(self) -> list[Delivery]:
        return [*self._plan_so_far.deliveries, *self.downstream]

    def _taken(self) -> set[str]:
        gone = {id for each in (*self._plan_so_far.withdrawals, *self.withdrawals) for id in each.removes}
        return gone - self.withheld.now.keys()

    async def arrive(self, due: Sequence[Delivery]) -> None:
        """Accept due deliveries in the order of days. Further tellings that are due by then arrive in their turn."""
        left = list(due)
        for _ in range(MOST_HOPS):
            if not left:
                return
            day = min(each.due for each in left)
            today = [each for each in left if each.due == day]
            left = [each for each in left if each.due != day]
            for group in grouped(today, message_key_of):
                left += await self._arrived(group, day)
        if left:
            self.answers.append(
                Answer(
                    by="core:rumours",
                    failure=f"rumours were stopped after {MOST_HOPS} hops within one change of the day",
                )
            )

    async def go_on(self) -> None:
        """Let arrive what is told on for the days since the state that this began with."""
        before, self._state = self._state.game_day, self._plan_so_far.state_after(self._live.snapshot.state)
        self._until = self._state.game_day
        due = (each for each in self.downstream if before < each.due <= self._until)
        await self.arrive([each for each in due if each.is_active])

    async def _arrived(self, group: Sequence[Delivery], day: float) -> list[Delivery]:
        """Guard the deliveries of one source, then ask the rules who tells it on.

        Returns the further tellings that are due too.
        """
        event, about = await self._about(message_key_of(group[0]), day, learned_channel(group[0].metadata))
        silent = {each.id for each in self.downstream if not each.is_active}
        kept = await self._guarded(event, [each for each in group if each.id not in silent], about)
        downstream = await self._tell_on(event, kept, about)
        self.downstream += downstream
        return [each for each in downstream if each.is_active and each.due <= self._until]

    async def _about(self, source: str, day: float, where: Channel) -> tuple[Event, SettledMessage | None]:
        """What strategies are asked about a source, and the message that it is; if it is none, it was in `where`."""
        said = self._plan_so_far.message
        if said is not None and said.message.key == source:
            messages: Sequence[SettledMessage] = [said]
        else:
            messages = await self._engine.ledger.messages(self._entry.session, keys=[source])
        said_in = messages[0].message.channel if messages else where
        base: dict[str, Any] = {"session": self._entry.session, "cast": self._cast, "state": self._state, "day": day}
        return Event(**base, channel=said_in, as_of=self._judged_as_of), messages[0] if messages else None

    async def _guarded(self, event: Event, group: Sequence[Delivery], about: SettledMessage | None) -> list[Delivery]:
        """Those of one source that guards let arrive. While a guard fails, they wait."""
        if not group:
            return []
        plan = await guarded(self._engine, event, self._plan(group, about), self.data, silence=False)
        self.answers += plan.answers
        refused = [each for each in plan.deliveries if not each.is_active]
        late = [withheld_by(guards, each) for each in refused if (guards := unasked(each, plan))]
        await self._strike([each for each in refused if not unasked(each, plan)])
        await self._withhold(late)
        kept = [each for each in plan.deliveries if each.is_active]
        self.withheld.release(kept)
        return kept

    async def _strike(self, refused: Sequence[Delivery]) -> None:
        """Strike these, and what is told by somebody who would have learned of it by them."""
        self.withheld.drop(refused)
        fresh = {each.id for each in self.downstream}
        old = [each for each in refused if each.id not in fresh]
        self.withdrawals += await strikes(self._engine.ledger, self._entry.session, old)
        self._replace([each for each in refused if each.id in fresh], kept_from_knowing)

    async def _withhold(self, late: Sequence[Delivery]) -> None:
        """Let these wait, and what is told by somebody who is to learn of it by them."""
        if not late:
            return
        like = partial(waits_like, late[0])
        fresh = {each.id for each in self.downstream}
        old = self.withheld.new_among(each for each in late if each.id not in fresh)
        told_on = await downstream(self._engine.ledger, self._entry.session, old) if old else ()
        self.withdrawals += self.withheld.hold([*old, *map(like, self.withheld.new_among(told_on))])
        self._replace([each for each in late if each.id in fresh], like)
        self.withheld.hold([each for each in self.downstream if is_withheld(each)])

    def _replace(self, gone: Sequence[Delivery], then: Callable[[Delivery], Delivery]) -> None:
        """Put those that do not arrive in the place of further tellings, and what becomes of those told by them."""
        by_id = {each.id: each for each in gone}
        self.downstream = without_tellers([by_id.get(each.id, each) for each in self.downstream], gone, then)

    def _plan(self, group: Sequence[Delivery], about: SettledMessage | None) -> Plan:
        return Plan(
            session=self._entry.session,
            sequence=self._asked_at,
            key=message_key_of(group[0]),
            message=about,
            deliveries=tuple(group),
            due_day=self._state.game_day,
        )

    async def _tell_on(self, event: Event, kept: Sequence[Delivery], about: SettledMessage | None) -> list[Delivery]:
        """The further tellings of those it has just reached, by that day's rules."""
        reached = await self._newly_reached(kept)
        if about is None or about.retracted or not reached:
            return []
        sharing = await self._shared(event, reached, about)
        self.answers += sharing.reports
        if sharing.silent:
            self._untold.keep(about.key, sharing.silent, [_who(each) for each in reached])
            self._untold.later(about.key, sharing.later, event.day, self._told_at, self._engine.run, sharing.may_tell)
        return await self._further(event, sharing, reached, about)

    async def tell_what_was_kept(self) -> None:
        """Ask rules again about what was said, or has reached somebody, while they failed. What fails again is kept, in
        silence, and a rule that fails once is not asked again with this entry."""
        away = {each.by for each in self._plan_so_far.answers if each.failure}
        for key, owners_of in self._untold.kept():
            free = await free_to_ask(self._engine, self._entry.session, owners_of)
            labels = [each for each in free if each not in away]
            event, about = await self._about(key, self._state.game_day, Channel()) if labels else (None, None)
            if event is None or about is None:
                continue
            for label in labels:
                self._untold.done(key, label)  # whom it reaches now may be kept anew
                if not await self._tell_late(event, about, label, owners_of[label]):
                    away.add(label)
                    self._untold.keep(key, [label], owners_of[label])
                    self._untold.asked_again(key, label, self._engine.run)

    async def _tell_late(self, event: Event, about: SettledMessage, label: str, owners: Sequence[str]) -> bool:
        """Ask one rule again about a message. Whether it has answered, or there is nothing left to tell."""
        asked_on = day_asked(owners)
        event = event if asked_on is None else event.model_copy(update={"day": asked_on})
        there = {} if about.retracted else await self._there(about.key, owners)
        with self._as_of(about.message.sequence) as knew:
            said = [there[id] for id in about.participants if id in there and knew(id)] if SAID in owners else []
            if said:  # it is asked as if the message were just said
                standing = await self._standing.deliveries([about.key])
                changes = tuple(as_update(each) for each in standing if each.part.startswith("update-"))
                if not await self._tell_by(label, event, said, about, changes):
                    return False
        with self._as_of(entry_asked(owners)) as knew:
            reached = [there[id] for id in owners if id in there and knew(id)]
            return not reached or await self._tell_by(label, event, reached, about)

    @contextmanager
    def _as_of(self, entry: int | None) -> Iterator[Callable[[str], bool]]:
        """Tell by and to those only who had joined by this entry, and those hops on that have become due meanwhile;
        `None` = today's cast. Yields whether an id was theirs by then."""
        before = self._cast, self._told_at

        def there(id: str) -> bool:
            return entry is None or self._joined.get(id, 0) <= entry

        if entry is not None:
            self._cast, self._told_at = Cast(members=tuple(each for each in self._cast if there(each.id))), entry
        try:
            yield there
        finally:
            self._cast, self._told_at = before

    async def _tell_by(
        self,
        label: str,
        event: Event,
        tellers: Sequence[Delivery],
        about: SettledMessage,
        just_said: tuple[Update, ...] | None = None,
    ) -> bool:
        """Let one rule tell of a message late. Whether it has answered."""
        event = event.model_copy(update={"cast": self._cast})
        await self._knowers_of(about.key)
        sharing = await self._shared(event, tellers, about, [label], just_said)
        if sharing.silent:
            return False
        self.answers += sharing.reports
        if sharing.facts and just_said is not None:
            self.facts[about.key] = {**self.facts.get(about.key, {}), **sharing.facts}
        downstream = await self._further(event, sharing, tellers, about)
        self.downstream += downstream
        await self.arrive([each for each in downstream if each.is_active and each.due <= self._state.game_day])
        return True

    async def _there(self, source: str, reached: Sequence[str]) -> dict[str, Delivery]:
        """Owner, or id of a memory in a hub → the first delivery by which a message has reached them and still does."""
        found = [each for each in await self._standing.deliveries([source]) if each.part == "message"]
        found += [each for each in await self._standing.memories(reached) if is_hub_memory(each)]
        there = [each for each in found if each.due <= self._state.game_day and each.id not in self.withheld.now]
        return {_who(each): each for each in reversed(there)}

    async def _shared(
        self,
        event: Event,
        reached: Sequence[Delivery],
        about: SettledMessage,
        only: Collection[str] | None = None,
        just_said: tuple[Update, ...] | None = None,
    ) -> Sharing:
        """What rules say of a message that has reached some, or that was `just_said` to them and changed the world."""
        known = tellers_of([*self._knowers.get(about.key, {}).values(), *reached], about)
        base = {name: getattr(event, name) for name in Event.model_fields}
        now = tuple(each.owner for each in reached if not each.beyond_session)
        tellable, at = about.as_tellable(), self._told_at
        asked = SharingEvent(**base, message=tellable, knowers=now, told_at=at)
        arrived = {"arrived": tuple(reached), "joined": self._joined}
        how = arrived if just_said is None else {"updates": just_said}
        asked = asked.model_copy(update=how)
        return await shared(self._engine, asked, known, self.data, self._standing, only)

    async def _further(
        self, event: Event, sharing: Sharing, reached: Sequence[Delivery], about: SettledMessage
    ) -> list[Delivery]:
        """The deliveries of further tellings, after guards."""
        self.derived += [(by, resting_on(each, (about.key,))) for by, each in sharing.derived]
        ids = self._live.snapshot.ids
        world = world_copy(about, self._cast, ids, self._asked_at)
        name = self._cast.name_of(about.message.speaker)
        tellings = [of_telling(world, each, about, name, ids) for each in sharing.shares if each.share.shared_from]
        tellings = as_known(tellings, about, self._live.snapshot)
        there = {each.id for each in self._planned_so_far()}
        if not (new := [each for each in tellings if each.id not in there]):
            return []
        plan = await guarded(self._engine, event, self._plan(new, about), self.data, silence=False)
        self.answers += plan.answers
        return list(plan.deliveries)

    async def _newly_reached(self, kept: Sequence[Delivery]) -> list[Delivery]:
        """Those of the arriving deliveries by which somebody learns of the message for the first time."""
        about = [each for each in kept if each.owner != WORLD and (each.part == "message" or is_hub_memory(each))]
        if not about or not self._engine.sharing_rules:
            return []
        knew = await self._knowers_of(message_key_of(about[0]))
        first = {_who(each): each for each in reversed(about) if _who(each) not in knew}
        knew |= first
        return [each for each in about if first.get(_who(each)) is each]

    async def _knowers_of(self, source: str) -> dict[str, Delivery]:
        if source not in self._knowers:
            self._knowers[source] = await self._knew(source)
        return self._knowers[source]

    async def _knew(self, source: str) -> dict[str, Delivery]:
        """Owner → what has arrived of a source before this change."""
        deliveries = await self._engine.ledger.deliveries(self._entry.session, sources=[source])
        gone = self._taken()
        has_arrived = self._live.has_arrived()
        there = [each for each in deliveries if each.status == "applied" or has_arrived(each)]
        there = [each for each in there if each.id not in gone]
        there += [each for each in self._plan_so_far.deliveries if each.source == source and each.owner != WORLD]
        return {_who(each): each for each in there if each.is_active and each.due <= self._state.game_day}


async def with_arrivals(engine: Engine, live: Live, entry: Entry, plan: Plan, data: Mapping[str, PluginData]) -> Plan:
    """The plan of a change of the day, with the strikes of its guards and the further tellings of what arrives."""
    if plan.due_day is None:
        return plan
    due = await due_deliveries(engine, live, entry, plan.due_day)
    if not (engine.guards or engine.sharing_rules or live.withheld):
        return plan
    taken = _taken_by(plan)
    due = [each for each in due if each.id not in taken]
    arrivals = await arrivals_of(engine, live, entry, plan, data)
    if live.untold:
        await arrivals.tell_what_was_kept()
    await arrivals.arrive([*due, *arrivals.withheld.due_by(plan.due_day)])
    return await with_outcome(engine, live, plan, arrivals)


async def arrivals_of(
    engine: Engine, live: Live, entry: Entry, plan: Plan, data: Mapping[str, PluginData], state: State | None = None
) -> Arrivals:
    """The arrivals of an entry, with what was withheld before."""
    held = await engine.ledger.deliveries(entry.session, status="archived") if live.withheld else ()
    return Arrivals(engine, live, entry, plan, data, held, state)


async def with_outcome(engine: Engine, live: Live, plan: Plan, arrivals: Arrivals) -> Plan:
    """The plan with what was found out about arrivals. Raises as `with_proposals`."""
    arrivals.withheld.note(arrivals.data)
    degraded = plan.degraded or any(answer.failure for answer in arrivals.answers)
    plan = plan.model_copy(
        update={
            "deliveries": (*plan.deliveries, *arrivals.downstream),
            "withdrawals": (*plan.withdrawals, *arrivals.withdrawals),
            "restorations": (*plan.restorations, *arrivals.withheld.released),
            "answers": (*plan.answers, *arrivals.answers),
            "facts": {**plan.facts, **arrivals.facts},
            "degraded": degraded,
        }
    )
    return await with_proposals(engine, live.snapshot, plan, arrivals.derived)


def _taken_by(plan: Plan) -> set[str]:
    return {id for each in plan.withdrawals for id in each.removes}


def _who(delivery: Delivery) -> str:
    """Who learns of it: somebody, or those who read one memory of it."""
    return delivery.memory_id if delivery.is_derived else delivery.owner


async def due_deliveries(engine: Engine, live: Live, entry: Entry, day: float) -> list[Delivery]:
    """Deliveries that arrive with this change, without those of an earlier plan that is still being applied.

    While the store is away these may be very many, so the ledger is asked only if something else may be among them.
    """
    if live.next_due is not None and day < live.next_due:
        return []
    pending = await engine.ledger.deliveries(entry.session, status="pending")
    has_arrived = live.has_arrived()
    late = [each for each in pending if not has_arrived(each)]
    live.next_due = min((each.due for each in late), default=float("inf"))
    return [each for each in late if each.due <= day]
