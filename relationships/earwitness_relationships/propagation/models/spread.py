"""From a spreading model to tellings: the model says who tells whom in which round, the rule all the rest. Pure.

Each round is decided on its day, with that day's rules and relations. A round in which nobody learns anything wakes
nobody up, so the next one is decided with it.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping
from dataclasses import dataclass

from pydantic import JsonValue

from earwitness import Record
from earwitness.records.state import Day

from ...compiled.adjacency import Adjacency
from ...compiled.carriers import Carrier
from ...compiled.coins import Coins
from ..records import Seed, Telling
from ..refusals import MIN_STRENGTH, message_refusal
from ..walk import AT_FIRST_HAND
from .protocol import MOST_ROUNDS, Contact, SpreadingModel, SpreadSoFar, Tie, Ties

DEFAULT_MODELS = (
    "independent_cascade",
    "linear_threshold",
    "daley_kendall",
    "maki_thompson",
    "push",
    "pull",
    "push_pull",
    "sir",
)
"""The models that come with this package."""


Joint = tuple[str, str]
"""Teller and listener."""
JointBy = tuple[float, Carrier]
"""The weight of what joins them, and the rule."""
Joints = dict[Joint, JointBy]


class ModelSpread(Record):
    """Where the spread of one message by one model stands."""

    pantheon: str
    """Slug of the pantheon."""
    model: str
    """Name of the model."""
    number: int = 1
    """Number of the next round."""
    day: Day
    """The game day of the next round."""
    active: tuple[str, ...] = ()
    """Those who spread it."""
    notes: dict[str, JsonValue] = {}
    """What the model noted."""

    @property
    def goes_on(self) -> bool:
        """Whether there is a next round."""
        return bool(self.active) and self.number <= MOST_ROUNDS


@dataclass(frozen=True)
class SpreadByModels:
    """What models bring until a day."""

    tellings: tuple[Telling, ...] = ()
    """In the order of rounds."""
    left: tuple[ModelSpread, ...] = ()
    """What goes on after that day."""


def begun(adjacency: Adjacency, seed: Seed, among: Collection[str]) -> tuple[ModelSpread, ...]:
    """The spreads that begin with a message: one for each pantheon and model that its rules name."""
    if not adjacency.models:
        return ()
    informed = tuple(sorted(id for id, role in seed.direct.items() if role in AT_FIRST_HAND))
    groups = dict.fromkeys(
        (carrier.pantheon, carrier.spreading)
        for teller in informed
        for _, _, number in adjacency.entries(teller)
        if (carrier := adjacency.carriers[number]).spreading is not None and teller in among
    )
    every = [ModelSpread(pantheon=slug, model=str(name), day=seed.day, active=informed) for slug, name in groups]
    return tuple(every)


def spread_by_models(
    adjacency: Adjacency,
    seed: Seed,
    models: Mapping[str, SpreadingModel],
    known: Mapping[str, Telling | None],
    spreads: Iterable[ModelSpread],
    among: Collection[str],
    until: float,
) -> SpreadByModels:
    """The rounds of these spreads until a day. `known` are those who know it, or will: how they were told, or `None`.

    A round takes the `delay` of the rule.
    """
    reached, tellings, left = dict(known), list[Telling](), list[ModelSpread]()
    for each in spreads:
        if each.model in models:
            rounds = ModelRounds(each, adjacency, seed, models[each.model], reached, among)
            tellings += rounds.until(until)
            left += [rounds.spread] if rounds.spread.goes_on else []
    return SpreadByModels(tuple(tellings), tuple(left))


class ModelRounds:
    """The rounds of one spread. `tellings` grows by those who are told."""

    def __init__(
        self,
        spread: ModelSpread,
        adjacency: Adjacency,
        seed: Seed,
        model: SpreadingModel,
        tellings: dict[str, Telling | None],
        among: Collection[str],
    ) -> None:
        self.spread = spread.model_copy(update={"day": max(spread.day, seed.day)})
        """Where it stands."""
        self._seed, self._model, self._tellings = seed, model, tellings
        self._every = [*_joints(adjacency, spread, among)]
        self._coins = Coins(seed.key)

    def until(self, day: float) -> list[Telling]:
        """The tellings of all rounds until a day, and of those after them until somebody is told."""
        found = list[Telling]()
        waits = False
        while self.spread.goes_on and (self.spread.day <= day or not waits):
            reached = self._round()
            waits = bool(reached)
            found += reached
        return found

    def _round(self) -> list[Telling]:
        """One round, and what is left to do after it."""
        spread, today = self.spread, self._seed.model_copy(update={"day": self.spread.day})
        joints = {joint: each for joint, each in reversed(self._every) if _carries(each[1], today)}
        known = frozenset(id for id, each in self._tellings.items() if each is None or each.day <= spread.day)
        on_the_way = [id for id in spread.active if id in self._tellings and id not in known]
        active = tuple(id for id in spread.active if id in known)
        found = self._model.round(self._ties(joints), SpreadSoFar(spread.number, known, active, spread.notes))
        tellings = [telling for each in found.contacts if (telling := self._telling(each, joints)) is not None]
        self._tellings.update((each.listener, each) for each in tellings)
        takes = max((carrier.delay for _, carrier in joints.values()), default=0)
        listeners = {each.listener for each in tellings}
        refused = {each.listener for each in found.contacts} - listeners
        after = tuple(sorted({*found.active, *on_the_way} - refused))
        is_over = not tellings and not on_the_way and not self._leads_on(joints)
        self.spread = spread.model_copy(
            update={
                "number": spread.number + 1,
                "day": min((each.day for each in tellings), default=spread.day + takes),
                "active": () if is_over else after,
                "notes": dict(found.notes),
            }
        )
        return tellings

    def _leads_on(self, joints: Joints) -> bool:
        """Whether somebody who knows it may tell somebody who does not."""
        return any(teller in self._tellings and listener not in self._tellings for teller, listener in joints)

    def _ties(self, joints: Joints) -> Ties:
        of: dict[str, list[Tie]] = {id: [] for id in sorted({id for joint in joints for id in joint})}
        for (teller, listener), (weight, carrier) in sorted(joints.items(), key=lambda each: each[0]):
            of[teller].append(Tie(listener, weight, carrier.odds))
        return Ties(of, None, self._coins)

    def _telling(self, contact: Contact, joints: Joints) -> Telling | None:
        """The telling of a contact, if it can be: the teller knows it, and something of it is left."""
        joint = joints.get((contact.teller, contact.listener))
        before = self._tellings.get(contact.teller)
        is_known = contact.teller in self._tellings and (before is None or before.day <= self.spread.day)
        if joint is None or not is_known or contact.listener in self._tellings:
            return None
        telling = _telling(contact.listener, contact.teller, before, joint[1], self.spread.day)
        is_told = telling.strength >= MIN_STRENGTH and self._holds_on(telling)
        return telling if is_told else None

    def _holds_on(self, telling: Telling) -> bool:
        """Whether the teller may still tell the listener by the same rule on the day on which it arrives."""
        joint = (telling.teller, telling.listener)
        ways = (carrier for pair, (_, carrier) in self._every if pair == joint and carrier.rule == telling.rule)
        then = self._seed.model_copy(update={"day": telling.day})
        return any(_carries(each, then) for each in ways)


def _joints(adjacency: Adjacency, spread: ModelSpread, among: Collection[str]) -> Iterator[tuple[Joint, JointBy]]:
    """Who may tell whom by the rules of a pantheon that name the model; of several that carry it, the first counts."""
    for teller in sorted(among):
        for listener, weight, number in adjacency.entries(teller):
            carrier = adjacency.carriers[number]
            is_one = (carrier.pantheon, carrier.spreading) == (spread.pantheon, spread.model)
            if is_one and listener in among and listener != teller:
                yield (teller, listener), (weight, carrier)


def _carries(carrier: Carrier, seed: Seed) -> bool:
    kind = carrier.kind == "direct" or (carrier.kind == "user" and bool(seed.users))
    return kind and carrier.holds_on(seed.day) and message_refusal(carrier, seed, "message") is None


def _telling(listener: str, teller: str, before: Telling | None, carrier: Carrier, day: float) -> Telling:
    return Telling(
        listener=listener,
        teller=teller,
        hop=1 if before is None else before.hop + 1,
        day=day + carrier.delay,
        rule=carrier.rule,
        pantheon=carrier.pantheon,
        how=carrier.how,
        strength=carrier.decay * (1.0 if before is None else before.strength),
        trust=carrier.trust * (1.0 if before is None else before.trust),
        retell=carrier.retell,
        triage=carrier.triage,
        max_hops=1 if before is None else before.hop + 1,
    )
