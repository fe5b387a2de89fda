"""The walk: from a message and those who know it to everybody who learns it, hop by hop and day by day. Pure.

What happens in which order:

- Tellings arrive by day and, within a day, by hop. The first telling of a listener counts; of several with the same day
  and hop, the strongest, then that of the first teller by id. The others are further supports. So nobody supports
  somebody who told them.
- A telling that takes days arrives only if the teller may still tell the listener by the same rule on that day.
- A listener tells it on from the day they learned it. Whom they may tell is asked by weight, then id. Those who know it
  already are passed over; then come the carrier's conditions, its coin and its fan-out. Whoever is not told because of
  a coin does not count for the fan-out.
- Budgets are spent as tellings arrive, in the order above. Further supports cost nothing.
"""

from __future__ import annotations

from collections.abc import Callable, Container, Iterable, Iterator, Sequence
from dataclasses import dataclass
from heapq import heappop, heappush
from itertools import chain

from ..compiled.adjacency import Adjacency
from ..compiled.carriers import Carrier
from ..compiled.coins import Coins
from .lapsed import RulesOnArrival
from .records import Seed, Spread, Stop, Telling
from .refusals import GOSSIP, message_refusal, teller_refusal

MOST_HOPS = 64
"""The most hops of one message."""
AT_FIRST_HAND = frozenset({"speaker", "addressee", "present"})
"""The roles of a direct interaction."""
EVERY_KIND = frozenset({"direct", "user", "gossip"})
"""What is passed on of a message that a user's persona took part in, if the rule that brought it allows more hops."""
BUT_USERS = frozenset({"direct", "gossip"})
"""The same where no user took part."""
FOREVER = float("inf")

Arrival = tuple[float, int]
"""Game day and hop."""
HeardOn = Callable[[str, float], int]
"""Listener and game day → how many tellings they have had on that day."""


@dataclass(frozen=True, slots=True, eq=False)
class TellingWay:
    """How all those are told whom the tellers of a level, reached alike, tell by one carrier."""

    carrier: Carrier
    refusal: str | None
    """Why they are not told; `None` = they are."""
    strength: float
    trust: float
    level: Arrival
    """When and how they learn it."""
    waiting: list[Offered]
    """Where their tellings wait for that."""
    is_plain: bool
    """Whether everybody is told who does not know it yet."""
    lasts: bool = True
    """Whether its carrier still holds on the day they learn it. If not, another by the same rule may."""


ByTeller = tuple[str, TellingWay]
"""A teller, and how they tell."""
Offered = tuple[ByTeller, Iterable[str]]
"""A teller, and those they tell that way."""


def spread(
    adjacency: Adjacency,
    seed: Seed,
    *,
    until: float = FOREVER,
    heard: HeardOn | None = None,
    tellings_before: int = 0,
    among: Container[str] | None = None,
) -> Spread:
    """Who learns a message, through whom, when and by which rule; and who does not, and why.

    Only those who know it by the day `until` tell it on, and only those `among` are told (`None` = everybody). `heard`
    and `tellings_before`, the number of earlier tellings of this message, are for budgets.
    """
    walk = Walk(adjacency, seed, until=until, heard=heard, tellings_before=tellings_before, stops=Stops(), among=among)
    walk.run()
    return Spread(tellings=tuple(walk.tellings()), stops=tuple(walk.stopped()))


class Stops:
    """Those who were not told, each with the first reason for each rule."""

    def __init__(self) -> None:
        self._found: dict[tuple[str, str], Stop] = {}

    def add(self, listener: str, teller: str, rule: str, why: str) -> None:
        """Take note of one."""
        self._found.setdefault((listener, rule), Stop(listener=listener, teller=teller, rule=rule, why=why))

    def of(self, learned: Iterable[str]) -> list[Stop]:
        """The stops of everybody but those who learned it after all."""
        known = set(learned)
        return [each for each in self._found.values() if each.listener not in known]


class Walk:
    """One walk."""

    def __init__(
        self,
        adjacency: Adjacency,
        seed: Seed,
        *,
        until: float = FOREVER,
        heard: HeardOn | None = None,
        tellings_before: int = 0,
        stops: Stops | None = None,
        when: str = "message",
        among: Container[str] | None = None,
    ) -> None:
        """Only those `among` are told. `stops` collects who is not; `None` = nobody asks. `when` chooses the rules."""
        self._adjacency, self._carriers = adjacency, adjacency.carriers
        self._seed, self._until, self._when = seed, until, when
        self._heard, self._tellings_count = heard, tellings_before
        self._stops, self._among = stops, among
        self._coins: Coins | None = None
        self._refusals: dict[int, str | None] = {}
        self._on_arrival: dict[float, RulesOnArrival] = {}
        self._absent = frozenset(seed.about).difference(seed.direct)
        self.known: dict[str, ByTeller | None] = dict.fromkeys(chain(seed.direct, seed.heard))
        """Everybody who knows it → how they were told; `None` = they knew it before."""
        self.supports: list[tuple[str, ByTeller]] = []
        """Further tellings of those who were told already."""
        self._farther: dict[str, int] = {}
        """Those whom several have told at once by different rules → the most hops that one of the rules allows."""
        self._levels: list[Arrival] = []
        self._waiting: dict[Arrival, list[Offered]] = {}

    def run(self) -> None:
        """Walk until everybody was told whom somebody may tell."""
        self._begin()
        while self._levels:
            level = heappop(self._levels)
            fresh = self._arrive(self._waiting.pop(level), level)
            if level[0] <= self._until and level[1] < MOST_HOPS:
                self._tell_on(fresh, level)

    def tellings(self) -> Iterator[Telling]:
        """The tellings, those that count and their supports, by day, hop, listener and teller."""
        every = [(listener, by) for listener, by in self.known.items() if by is not None]
        every += self.supports
        every.sort(key=_in_order)
        return (telling_of(listener, *by) for listener, by in every)

    def most_on_a_day(self) -> dict[str, int]:
        """Listener → the `budget.listener_day` of the rule by which they were told, if it has one."""
        by = ((listener, arrival[1].carrier.per_listener_day) for listener, arrival in self.known.items() if arrival)
        return {listener: most for listener, most in by if most is not None}

    def stopped(self) -> list[Stop]:
        """Who was not told, and why."""
        return self._stops.of(self.known) if self._stops is not None else []

    def _begin(self) -> None:
        seed = self._seed
        self.known.update(dict.fromkeys(each.listener for each in seed.arrived))
        for teller, role in seed.direct.items():
            self._tell([teller], (seed.day, 0), 1.0, 1.0, self._kinds_at_first_hand(teller, role))
        for each in seed.arrived:
            kinds = self._kinds_to_tell(goes_on=each.max_hops > each.hop)
            self._tell([each.listener], (each.day, each.hop), each.strength, each.trust, kinds)

    def _tell_on(self, fresh: Iterable[str], level: Arrival) -> None:
        """Those who have just learned it tell it on."""
        alike: dict[tuple[TellingWay, int], list[str]] = {}
        for listener in fresh:
            if (by := self.known[listener]) is not None:
                farthest = self._farther.get(listener, by[1].carrier.max_hops) if self._farther else 0
                alike.setdefault((by[1], farthest), []).append(listener)
        for (way, farthest), tellers in alike.items():
            goes_on = (farthest or way.carrier.max_hops) > level[1]
            if goes_on or self._adjacency.has_gossip or self._stops is not None:
                self._tell(tellers, level, way.strength, way.trust, self._kinds_to_tell(goes_on=goes_on))

    def _kinds_at_first_hand(self, teller: str, role: str) -> frozenset[str]:
        """What somebody who perceived the message can tell of it: what they lived, and what others said of a third."""
        kinds = {"direct"} if role in AT_FIRST_HAND else set()
        if kinds and self._seed.users:
            kinds.add("user")
        if teller != self._seed.speaker and self._absent:
            kinds.add("gossip")
        return frozenset(kinds)

    def _kinds_to_tell(self, *, goes_on: bool) -> frozenset[str]:
        """What somebody who was told can pass on: it is always about a third person, its speaker."""
        if not goes_on:
            return GOSSIP
        return EVERY_KIND if self._seed.users else BUT_USERS

    def _tell(
        self, tellers: Iterable[str], level: Arrival, strength: float, trust: float, kinds: frozenset[str]
    ) -> None:
        """These tellers, who all know it alike, tell all whom their carriers name."""
        ways: dict[int, TellingWay] = {}
        runs_of = self._adjacency.runs
        for teller in tellers:
            counted: set[str] = set()
            for number, listeners in runs_of[teller]:
                way = ways.get(number)
                if way is None:
                    way = ways[number] = self._way(number, level, strength, trust, kinds)
                if way.is_plain:
                    way.waiting.append(((teller, way), listeners))
                elif way.refusal is None or self._stops is not None:
                    way.waiting.append(((teller, way), self._let_through(teller, way, listeners, counted)))

    def _way(self, number: int, level: Arrival, strength: float, trust: float, kinds: frozenset[str]) -> TellingWay:
        carrier, (day, hop) = self._carriers[number], level
        weaker = strength * carrier.decay
        why = self._refusal(number, carrier) or teller_refusal(carrier, kinds, level, weaker)
        arrival = (day + carrier.delay, hop + 1)
        waiting = [] if why is not None else self._waiting_at(arrival)
        limited = carrier.fan_out is not None or carrier.chance is not None
        lasts = carrier.holds_on(arrival[0])
        plain = why is None and lasts and not limited and self._among is None
        return TellingWay(carrier, why, weaker, trust * carrier.trust, arrival, waiting, plain, lasts)

    def _waiting_at(self, level: Arrival) -> list[Offered]:
        waiting = self._waiting.get(level)
        if waiting is None:
            waiting = self._waiting[level] = []
            heappush(self._levels, level)
        return waiting

    def _let_through(self, teller: str, way: TellingWay, listeners: Iterable[str], counted: set[str]) -> Iterable[str]:
        """Those whom coins, the fan-out and the kind of talk let through. `counted` are those told so far."""
        carrier, known = way.carrier, self.known
        through = [each for each in listeners if each not in known]
        if self._among is not None:
            among = self._among
            through = [each for each in through if each in among]
        if way.refusal is not None:
            self._stop(teller, carrier.rule, through, way.refusal)
            return []
        if not way.lasts:
            through = self._still_told(teller, carrier.rule, through, way.level[0])
        if carrier.chance is not None:
            through = self._coins_fall(teller, carrier, carrier.chance, through)
        if carrier.fan_out is not None:
            through = self._fanned_out(teller, carrier, carrier.fan_out, through, counted)
        return through

    def _still_told(self, teller: str, rule: str, listeners: Sequence[str], day: float) -> list[str]:
        """Those whom the teller still tells by this rule on the day on which it arrives."""
        then = self._on_arrival.get(day)
        if then is None:
            seed, when = self._seed, self._when
            then = RulesOnArrival(self._adjacency, day, lambda each: message_refusal(each, seed, when))
            self._on_arrival[day] = then
        reasons = {each: then.lapsed(teller, each, rule) for each in listeners}
        for each, why in reasons.items():
            if why is not None:
                self._stop(teller, rule, [each], why)
        return [each for each, why in reasons.items() if why is None]

    def _coins_fall(self, teller: str, carrier: Carrier, below: bytes, listeners: Sequence[str]) -> list[str]:
        if self._coins is None:
            self._coins = Coins(self._seed.key)
        falls, rule = self._coins.falls, carrier.rule
        through = [each for each in listeners if falls(teller, each, rule, below)]
        if self._stops is not None and len(through) < len(listeners):
            missed = [each for each in listeners if each not in set(through)]
            self._stop(teller, rule, missed, f"the coin of a chance of {carrier.odds:g} fell against it")
        return through

    def _fanned_out(
        self, teller: str, carrier: Carrier, most: int, listeners: Sequence[str], counted: set[str]
    ) -> list[str]:
        fresh = [each for each in listeners if each not in counted]
        first = fresh[: max(0, most - len(counted))]
        self._stop(teller, carrier.rule, fresh[len(first) :], f"{teller} tells no more than {most} (fan_out)")
        counted.update(first)
        return [each for each in listeners if each in counted]

    def _refusal(self, number: int, carrier: Carrier) -> str | None:
        """Why a carrier does not carry this message at all; `None` if it does."""
        if number not in self._refusals:
            by_model = None if carrier.spreading is None else f"the model {carrier.spreading} tells it"
            self._refusals[number] = by_model or message_refusal(carrier, self._seed, self._when)
        return self._refusals[number]

    def _arrive(self, waiting: list[Offered], level: Arrival) -> list[str]:
        """Those who learn it now. Tellings of others who have learned it now too go to the supports."""
        return self._learn(self._within_budgets(waiting) if self._adjacency.has_budgets else waiting, level)

    def _learn(self, waiting: Iterable[Offered], level: Arrival) -> list[str]:
        known, fresh = self.known, list[str]()
        for by, listeners in waiting:
            for listener in listeners:
                if listener not in known:
                    known[listener] = by
                    fresh.append(listener)
                elif (first := known[listener]) is not None and first[1].level == level:
                    self._support(listener, first, by)
        return fresh

    def _support(self, listener: str, first: ByTeller, second: ByTeller) -> None:
        """Of two tellings of the same listener at once, the stronger counts; of the same rule, the first."""
        if first[1] is not second[1]:
            farther = self._farther.get(listener, first[1].carrier.max_hops)
            self._farther[listener] = max(farther, second[1].carrier.max_hops)
        if first[0] == second[0] and first[1].carrier.rule == second[1].carrier.rule:
            return
        one, other = first[1].strength, second[1].strength
        if other > one or (other == one and second[0] < first[0]):
            self.known[listener], second = second, first
        self.supports.append((listener, second))

    def _within_budgets(self, waiting: list[Offered]) -> list[Offered]:
        """The tellings that a budget is left for."""
        kept, fresh = list[Offered](), dict[str, int]()
        every = [(by, listener) for by, listeners in waiting for listener in listeners if listener not in self.known]
        for by, listener in sorted(every, key=lambda each: (-each[0][1].strength, each[0][0])):
            teller, way = by
            tellings = fresh.get(listener, self._tellings_count + len(fresh))
            if why := self._overspent(way.carrier, listener, way.level[0], tellings):
                self._stop(teller, way.carrier.rule, [listener], why)
                continue
            fresh.setdefault(listener, tellings)
            kept.append((by, (listener,)))
        self._tellings_count += len(fresh)
        return kept

    def _overspent(self, carrier: Carrier, listener: str, day: float, tellings: int) -> str | None:
        if carrier.per_message is not None and tellings >= carrier.per_message:
            return f"the message has been told {carrier.per_message} times (budget.message)"
        most = carrier.per_listener_day
        if most is not None and self._heard is not None and self._heard(listener, day) >= most:
            return f"{listener} has heard enough on day {day:g} (budget.listener_day {most})"
        if most == 0:
            return f"{listener} may be told nothing (budget.listener_day 0)"
        return None

    def _stop(self, teller: str, rule: str, listeners: Iterable[str], why: str) -> None:
        if self._stops is not None:
            for each in listeners:
                if each not in self.known:
                    self._stops.add(each, teller, rule, why)


def _in_order(arrived: tuple[str, ByTeller]) -> tuple[Arrival, str, float, str]:
    listener, (teller, way) = arrived
    return way.level, listener, -way.strength, teller


def telling_of(listener: str, teller: str, way: TellingWay) -> Telling:
    """The telling of a listener."""
    day, hop = way.level
    carrier = way.carrier
    return Telling(
        listener=listener,
        teller=teller,
        hop=hop,
        day=day,
        rule=carrier.rule,
        pantheon=carrier.pantheon,
        how=carrier.how,
        strength=way.strength,
        trust=way.trust,
        retell=carrier.retell,
        triage=carrier.triage,
        max_hops=carrier.max_hops,
    )
