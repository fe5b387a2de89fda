"""Other words of a message: what is told of them for a day since then, judged as the story was when that day came.

An edit or reroll so tells nobody who would not have been told, had the message read like this from the beginning.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import TypeAlias

from ..carried_hubs import is_hub_memory, message_key_of, tells_a_hub
from ..engine import Engine
from ..events import Event
from ..live import Live, written
from ..protocols import Ledger
from ..records.derived import Derivation
from ..records.journal import Derived, Entry
from ..records.message import SettledMessage
from ..records.plan import Delivery, Plan
from ..records.read_only import ReadOnlyDict
from ..records.snapshot import Snapshot
from .derivations import resting_on
from .derived import of_derivation
from .due import Arrivals, with_outcome
from .grounds import Grounds
from .guards import struck
from .shares import Sharing
from .snapshots import DaysSince, days_since

TellingKey: TypeAlias = tuple[str, str, str | None, str | None, float]
"""Container, owner, teller, rule and day: the same for every wording of a message."""


async def with_replaced(engine: Engine, live: Live, entry: Entry, plan: Plan) -> Plan:
    """The plan of an edit or reroll: tellings whose day has come since the message arrive anew, each on its day.

    Guards and rules are asked again, as the story was on that day, and what was struck on its day in the old words
    stays struck. Whoever is reached tells it on: also those who read it in a hub, though the hub's memory is an entry
    of its own, decided later.
    """
    said, today = plan.message, plan.state_after(live.snapshot.state).game_day
    if said is None or not (engine.guards or engine.sharing_rules):
        return plan
    then = said.message.game_day
    copies = [each for each in plan.deliveries if each.is_active and then < each.due <= today]
    hubs = [each for each in plan.derived if tells_a_hub(each) and each.due is not None and then < each.due <= today]
    if not copies and not hubs:
        return plan
    days = await days_since(engine, live, said.message.sequence, entry.sequence - 1)
    left = tuple(each for each in plan.deliveries if each not in copies)
    arrivals = PastArrivals(engine, live, entry, plan.model_copy(update={"deliveries": left}), days)
    arrivals.struck_before = await _struck_on_their_day(engine.ledger, plan, in_hubs=bool(hubs))
    await arrivals.arrive_anew(copies)
    plan = await with_outcome(engine, live, arrivals.plan, arrivals)
    return plan.model_copy(update={"plugin_data": written(arrivals.data)})


class PastArrivals(Arrivals):
    """What other words of a message tell for the days since it was said."""

    def __init__(self, engine: Engine, live: Live, entry: Entry, plan: Plan, days: DaysSince) -> None:
        """`days` is the story as it was after the message, and when each later day came."""
        super().__init__(engine, live, entry, plan, live.data_after(plan))
        self._days = days
        self._in_hubs: dict[str, Derivation] = {}
        """Id of a delivery → what it tells a hub; the hub's memory will be an entry of its own."""
        self.struck_before: Mapping[TellingKey, str | None] = {}
        """What was struck on its day in the old words → why."""

    async def arrive_anew(self, copies: Iterable[Delivery]) -> None:
        """Let these arrive, and what the plan tells hubs."""
        with self._as_it_was(self._days.first):
            told = [each.model_copy(update={"sequence": self._asked_at}) for each in copies]
            told += self._told_hubs(self._plan_so_far.derived)
        self.downstream += told
        await self.arrive([each for each in told if each.due <= self._until])
        gone = [self._in_hubs[each.id] for each in self.downstream if each.id in self._in_hubs and not each.is_kept]
        self._plan_so_far = _without_derived(self._plan_so_far, gone)
        self.derived = [each for each in self.derived if each[1] not in gone]
        left = (each for each in self.downstream if each.id not in self._in_hubs)
        self.downstream = [each.model_copy(update={"sequence": self._entry.sequence}) for each in left]

    @property
    def plan(self) -> Plan:
        """The plan without what it tells a hub and was struck on its day."""
        return self._plan_so_far

    def _told_hubs(self, derived: Iterable[Derivation]) -> list[Delivery]:
        """What is told to hubs for a later day, as it will be delivered."""
        found = []
        for each in derived:
            if tells_a_hub(each) and (container := each.registers) is not None:
                told = _entry_of(self._plan_so_far, each, self._asked_at)
                delivery = of_derivation(
                    told, each, container, Grounds(), self._state.game_day, self._live.snapshot.ids
                )
                if delivery.due > self._state.game_day:
                    self._in_hubs[delivery.id] = each
                    found.append(delivery)
        return found

    async def _arrived(self, group: Sequence[Delivery], day: float) -> list[Delivery]:
        then = await self._days.when(day) or self._live.snapshot
        with self._as_it_was(then):
            return await super()._arrived(group, day)

    async def _guarded(self, event: Event, group: Sequence[Delivery], about: SettledMessage | None) -> list[Delivery]:
        """As for what arrives for the first time; what guards note of days that are over is not kept."""
        again = [struck(each, self.struck_before.get(key_of_telling(each))) for each in group]
        await self._strike([each for each in again if not each.is_active])
        kept, self.data = self.data, {name: each.copy() for name, each in self.data.items()}
        try:
            return await super()._guarded(event, [each for each in again if each.is_active], about)
        finally:
            self.data = kept

    async def _further(
        self, event: Event, sharing: Sharing, reached: Sequence[Delivery], about: SettledMessage
    ) -> list[Delivery]:
        found = await super()._further(event, sharing, reached, about)
        return [*found, *self._told_hubs(each for _, each in sharing.derived)]

    @contextmanager
    def _as_it_was(self, then: Snapshot) -> Iterator[None]:
        """Ask about the story as it was, with the message as it reads now."""
        now = self._state, self._cast, self._joined, self._told_at, self._asked_at, self._judged_as_of
        self._state, self._cast = then.state.noting(self._plan_so_far.facts), then.cast
        self._joined = ReadOnlyDict(then.joined)
        self._told_at = self._asked_at = self._judged_as_of = then.decided
        try:
            yield
        finally:
            self._state, self._cast, self._joined, self._told_at, self._asked_at, self._judged_as_of = now


def key_of_telling(delivery: Delivery) -> TellingKey:
    """Who is told by whom, by which rule, and for which day."""
    support = delivery.support
    return delivery.container, delivery.owner, support.shared_from, support.rule, delivery.due


def _entry_of(plan: Plan, derivation: Derivation, sequence: int) -> Entry:
    """What stands for the entry of a memory that a plan proposes."""
    body = Derived(derivation=resting_on(derivation, (plan.key,)))
    return Entry(session=plan.session, sequence=sequence, key=plan.key, body=body, timestamp="")


def _without_derived(plan: Plan, gone: Sequence[Derivation]) -> Plan:
    return plan.model_copy(update={"derived": tuple(each for each in plan.derived if each not in gone)})


async def _struck_on_their_day(ledger: Ledger, plan: Plan, *, in_hubs: bool) -> dict[TellingKey, str | None]:
    """What was struck when it arrived in an earlier wording → why."""
    found = [*await ledger.deliveries(plan.session, sources=[plan.key])]
    if in_hubs:
        every = await ledger.deliveries(plan.session, derived=True)
        found += [each for each in every if is_hub_memory(each) and message_key_of(each) == plan.key]
    gone = [each for each in found if each.status == "struck"]
    told = {each.sequence: await ledger.plan(plan.session, each.sequence) for each in gone}
    active = {each.id for one in told.values() if one is not None for each in one.deliveries if each.is_active}
    return {key_of_telling(each): each.reason for each in gone if each.id in active}
