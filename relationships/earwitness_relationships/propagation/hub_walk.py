"""The walk of a message where members of large pantheons read it in their hubs, instead of a copy.

Members who are told together are one listener, and those who would tell it on alike are one teller: the first by id. So
what a message into a hub costs does not grow with the number of its members. Who tells it on to somebody has it as
their own, as if there were no hub.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import islice
from typing import NamedTuple

from earwitness.records.memory import STRENGTH

from ..compiled.adjacency import Adjacency
from ..compiled.hub_members import HubMembers, HubMembersBut
from .hub_before import HubBefore
from .records import HubTelling, Seed, Telling
from .walk import Arrival, ByTeller, HeardOn, Offered, TellingWay, Walk, telling_of


@dataclass(slots=True, eq=False)
class HubReached:
    """Members who have learned of a message in a hub."""

    members: HubMembers
    level: Arrival
    """When, and at which hop."""
    bys: list[ByTeller]
    """Who told them, the strongest first; none if they knew it before the walk."""
    before: HubBefore | None = None
    """What the hub has held since before the walk."""
    apart: frozenset[str] = frozenset()
    """Those of the members whom one of the tellers tells otherwise: they do not read it there."""

    def __contains__(self, member: str) -> bool:
        return member in self.members.ids and member not in self.apart

    @property
    def ids(self) -> frozenset[str]:
        """Those of the members who read it there."""
        return self.members.ids - self.apart if self.apart else self.members.ids

    def add(self, by: ByTeller) -> None:
        """Somebody else tells them, too."""
        self.bys.append(by)
        self.bys.sort(key=_strongest_first)

    def is_by(self, by: ByTeller) -> bool:
        """Whether the teller has told them by this rule already."""
        return any(each[0] == by[0] and each[1].carrier.rule == by[1].carrier.rule for each in self.bys)


class ToHub(NamedTuple):
    """A telling to the members of a hub."""

    by: ByTeller
    members: HubMembers
    but: frozenset[str] = frozenset()
    """Those whom the teller tells otherwise."""
    apart: frozenset[str] = frozenset()
    """Those whom one of those who tell the hub tells otherwise: all of them tell these one by one."""


class HubWalk(Walk):
    """One walk."""

    def __init__(
        self,
        adjacency: Adjacency,
        seed: Seed,
        *,
        until: float,
        heard: HeardOn | None,
        tellings_before: int,
        among: Collection[str],
        hubs: Sequence[HubBefore] | None,
    ) -> None:
        """`hubs` are those that hold the message already; `None` = nobody reads hubs, and everybody has a copy."""
        super().__init__(adjacency, seed, until=until, heard=heard, tellings_before=tellings_before, among=among)
        self._before, self._reads_hubs = hubs or (), hubs is not None
        self._present = among
        self._hubs: dict[HubMembers, HubReached] = {}
        """Those who have read it in a hub, in the order in which they learned it."""
        self.texts: dict[str, str] = {}
        """Those who tell on what a hub held before → what it says. Known once the `tellings` are."""

    def tellings(self) -> Iterator[Telling]:
        """The tellings of those who do not read it in a hub, or tell it on from there."""
        before = self._own_copies() if self._hubs else {}
        self.texts = {id: hub.before.text for id, hub in before.items() if hub.before is not None}
        return iter([*_tellings_before(before), *super().tellings()])

    def hub_tellings(self) -> Iterator[HubTelling]:
        """What hubs are told. To be asked for after the `tellings`."""
        made = [(_hub_telling(slug, hubs, self._seed.day), hubs) for slug, hubs in self._fresh_by_slug().items()]
        earlier = [each for each in self._hubs.values() if not each.bys]
        for hub, hubs in sorted(made, key=lambda each: _in_order(each[0])):
            ids = frozenset[str]().union(*(each.ids for each in hubs))
            before = [each for each in earlier if each.level < hubs[0].level]
            found = [tuple(sorted({*overlapping(hub.slug, ids, those)})) for those in (earlier, before)]
            apart = frozenset[str]().union(*(each.apart for each in hubs))
            yield hub.model_copy(update={"others": found[0], "earlier": found[1], "apart": tuple(sorted(apart))})
            earlier += hubs

    def readers_of(self, hub: HubTelling) -> Iterator[str]:
        """Those in the cast who read it in a hub."""
        ids = {id for each in self._fresh_by_slug()[hub.slug] for id in each.ids}
        return (id for id in ids.difference(hub.others) if self._is_reader(id))

    def read(self, hub: HubTelling) -> Iterator[Telling]:
        """A telling for each of those who read it in a hub."""
        return (hub.tellings[0].model_copy(update={"listener": id}) for id in self.readers_of(hub))

    def _fresh_by_slug(self) -> dict[str, list[HubReached]]:
        """The hubs that are told now, if anybody reads them: by pantheon."""
        found: dict[str, list[HubReached]] = {}
        for each in self._hubs.values():
            if each.bys and any(self._is_reader(id) for id in each.members if id not in each.apart):
                found.setdefault(each.members.slug, []).append(each)
        return found

    def _begin(self) -> None:
        super()._begin()
        for each in self._before:
            self._begin_in_hub(each)

    def _begin_in_hub(self, before: HubBefore) -> None:
        """What a hub holds, its members know. If it has just arrived, they tell it on."""
        first = before.tellings[0]
        hub = HubReached(before.members, (self._seed.day, first.hop), [], before)
        hub = self._hubs.setdefault(before.members, hub)
        if before.arrives:
            goes_on = any(each.max_hops > each.hop for each in before.tellings)
            self._tell(
                self._tellers_in(hub), hub.level, first.strength, first.trust, self._kinds_to_tell(goes_on=goes_on)
            )

    def _tell_on(self, fresh: Iterable[str], level: Arrival) -> None:
        super()._tell_on(fresh, level)
        alike: dict[tuple[TellingWay, bool], list[str]] = {}
        for hub in [each for each in self._hubs.values() if each.bys and each.level == level]:
            for teller in self._tellers_in(hub):
                bys = self._bys_of(teller, hub)
                goes_on = max(way.carrier.max_hops for _, way in bys) > level[1]
                if goes_on or self._adjacency.has_gossip:
                    alike.setdefault((bys[0][1], goes_on), []).append(teller)
        for (way, goes_on), tellers in alike.items():
            self._tell(tellers, level, way.strength, way.trust, self._kinds_to_tell(goes_on=goes_on))

    def _let_through(self, teller: str, way: TellingWay, listeners: Iterable[str], counted: set[str]) -> Iterable[str]:
        if self._reads_hubs and isinstance(listeners, HubMembers | HubMembersBut) and way.refusal is None and way.lasts:
            return listeners
        if self._hubs:
            listeners = [each for each in listeners if self._hub_of(each) is None]
        return super()._let_through(teller, way, listeners, counted)

    def _arrive(self, waiting: list[Offered], level: Arrival) -> list[str]:
        offered = [_to_hub(by, listeners) for by, listeners in waiting] if self._reads_hubs else []
        told = [each for each in offered if each is not None and not self._is_late(each, level)]
        if not told and not self._hubs:
            return super()._arrive(waiting, level)
        to_hubs = {each.by: each._replace(apart=self._apart(each, told)) for each in told}
        fresh = self._learn(self._one_by_one(waiting, to_hubs), level)
        for each in to_hubs.values():
            self._reach(each, level, fresh)
        return fresh

    def _is_late(self, told: ToHub, level: Arrival) -> bool:
        """Whether these members came after the hub was told of it: they are told one by one."""
        if told.members in self._hubs:
            return False
        return any(each.members.slug == told.members.slug and each.level != level for each in self._hubs.values())

    def _apart(self, hub: ToHub, to_hubs: Iterable[ToHub]) -> frozenset[str]:
        """Those whom one of those who tell a hub tells otherwise now, or did when it was told first."""
        now = (each.but for each in to_hubs if each.members.slug == hub.members.slug)
        reached = self._hubs.get(hub.members)
        return frozenset[str]().union(*now, reached.apart if reached else ())

    def _one_by_one(self, waiting: Iterable[Offered], to_hubs: Mapping[ByTeller, ToHub]) -> list[Offered]:
        """The tellings of those who do not read it in a hub. Where there are budgets, those who do count as well."""
        if self._adjacency.has_budgets:
            every: list[Offered] = [(by, self._not_read_yet(listeners)) for by, listeners in waiting]
            within = self._within_budgets(every)
            return [(by, ids) for by, ids in within if by not in to_hubs or to_hubs[by].apart.issuperset(ids)]
        few = [(each.by, sorted(each.members.ids & (each.apart - each.but))) for each in to_hubs.values() if each.apart]
        left = [*(each for each in waiting if each[0] not in to_hubs), *few]
        return [(by, self._not_read_yet(listeners)) for by, listeners in left]

    def _not_read_yet(self, listeners: Iterable[str]) -> list[str]:
        """Those of them in the story who have not read it in a hub before."""
        return [each for each in listeners if each in self._present and self._hub_of(each) is None]

    def _reach(self, told: ToHub, level: Arrival, fresh: Iterable[str]) -> None:
        """Let members learn it in their hub."""
        by, members = told.by, told.members
        hub = self._hubs.get(members)
        if hub is not None and (hub.level != level or not hub.bys or hub.is_by(by)):
            return
        if hub is None:
            hub = self._hubs[members] = HubReached(members, level, [by], apart=told.apart)
        else:
            hub.add(by)
        for each in fresh:
            first = self.known[each]
            if first is not None and first[1].level == level and each in hub:
                self._support(each, first, by)

    def _hub_of(self, member: str) -> HubReached | None:
        """The hub in which somebody has learned it first."""
        return next((each for each in self._hubs.values() if member in each), None)

    def _bys_of(self, member: str, first: HubReached) -> Sequence[ByTeller]:
        """Who has told somebody, in all hubs in which they learned it at once; the strongest first."""
        hubs = [each for each in self._hubs.values() if each.bys and each.level == first.level]
        hubs = [each for each in hubs if member in each]
        if len(hubs) == 1:
            return first.bys
        ways = {(teller, way.carrier.rule): (teller, way) for each in hubs for teller, way in each.bys}
        return sorted(ways.values(), key=_strongest_first)

    def _is_reader(self, member: str) -> bool:
        return member not in self.known and member in self._present

    def _tellers_in(self, hub: HubReached) -> Iterator[str]:
        """Those who tell on what they learned in a hub; of many who would tell the same, the first."""
        tellers = self._adjacency.hub_tellers(hub.members)
        for alike in (*tellers.alike, *((each,) for each in tellers.own)):
            found = (each for each in alike if self._is_reader(each) and self._hub_of(each) is hub)
            yield from islice(found, 1)

    def _own_copies(self) -> dict[str, HubReached]:
        """Those who tell what a hub held before. Who learned it in a hub now, and tells it, is put to the known."""
        ways = [by for by in self.known.values() if by is not None]
        ways += [by for _, by in self.supports]
        ways += [by for hub in self._hubs.values() for by in hub.bys]
        found: dict[str, HubReached] = {}
        for teller in dict.fromkeys(teller for teller, _ in ways):
            if teller not in self.known and (hub := self._hub_of(teller)) is not None:
                if hub.bys:
                    self.known[teller], *others = self._bys_of(teller, hub)
                    self.supports += [(teller, each) for each in others]
                else:
                    found[teller] = hub
        return found


def _to_hub(by: ByTeller, listeners: Iterable[str]) -> ToHub | None:
    if isinstance(listeners, HubMembersBut):
        return ToHub(by, listeners.members, listeners.but)
    return ToHub(by, listeners) if isinstance(listeners, HubMembers) else None


def _strongest_first(by: ByTeller) -> tuple[float, str]:
    return -by[1].strength, by[0]


def _tellings_before(tellers: Mapping[str, HubReached]) -> Iterator[Telling]:
    for teller, hub in tellers.items():
        if hub.before is not None:
            yield from (each.model_copy(update={"listener": teller}) for each in hub.before.tellings)


def _hub_telling(slug: str, hubs: Sequence[HubReached], day: float) -> HubTelling:
    """What the hub of a pantheon is told: by everybody who tells those who learn it there first."""
    first = min(each.level for each in hubs)
    ways = {(by[0], by[1].carrier.rule): by for each in hubs if each.level == first for by in each.bys}
    tellings = [telling_of(slug, *by).model_copy(update={"hub": True}) for by in ways.values()]
    return HubTelling(slug=slug, told_on=day, tellings=tuple(sorted(tellings, key=shown_first_of_day)))


def _in_order(hub: HubTelling) -> tuple[object, ...]:
    first = hub.tellings[0]
    return (first.day, first.hop, *shown_first_of_day(first))


def shown_first_of_day(telling: Telling) -> tuple[int, float, str, str]:
    """Sort key: of several tellings of one day and one moment, the one that a memory shows comes first. Core orders the
    supports of a copy, and memories of several hubs, in the same way, once their days and moments are compared."""
    return STRENGTH.index(telling.how), -telling.trust, telling.teller, telling.rule


def overlapping(slug: str, members: frozenset[str], earlier: Iterable[HubReached]) -> Iterator[str]:
    """Those of the members of a hub who read it in the hub of another pantheon."""
    for each in earlier:
        if each.members.slug != slug:
            yield from each.ids & members
