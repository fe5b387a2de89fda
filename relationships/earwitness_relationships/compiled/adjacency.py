"""The rule book and the graph, compiled: for every teller, whom they may tell under which carrier.

A teller's entries are made when the teller first tells something, or all at once by `compile_all`. An edit of the graph
makes those of its source anew, and nothing else. Entries hold for all days: a carrier that holds only on some days says
so.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Iterator
from itertools import groupby
from typing import NamedTuple

from ..graph.view import GraphView
from ..rules.records import Budget, RuleBook, Rules
from .carriers import Carrier
from .hub_members import HubMembers, HubMembersBut, HubTellers
from .tribe import ALL_DAYS, DaySpan, EdgesBySource, PossibleListener, Tribe, Whom, days_of


class ListenerRun(NamedTuple):
    """Consecutive listeners of one teller, or all members of a pantheon, under one carrier."""

    carrier: int
    """Number of the carrier."""
    listeners: Iterable[str]
    """In the order in which they are told: by weight (highest first), then by id."""


class TellerEntry(NamedTuple):
    """One listener of a teller."""

    listener: str
    weight: float
    carrier: int
    """Number of the carrier."""


class TellerRuns(dict[str, tuple[ListenerRun, ...]]):
    """Teller → whom they tell. A teller who is asked for the first time is compiled."""

    def __init__(self, compile: Callable[[str], tuple[ListenerRun, ...]]) -> None:
        super().__init__()
        self._compile = compile

    def __missing__(self, teller: str) -> tuple[ListenerRun, ...]:
        self[teller] = made = self._compile(teller)
        return made


class Adjacency:
    """Teller → whom they may tell, by carrier."""

    def __init__(self, book: RuleBook, relations: EdgesBySource | None = None) -> None:
        self.book = book
        self.relations: EdgesBySource = GraphView() if relations is None else relations
        self.carriers: list[Carrier] = []
        """Every carrier by its number."""
        self.runs = TellerRuns(self.compiled)
        """Teller → whom they tell."""
        self.has_budgets = any(each.budget not in (None, Budget()) for each in self._levels())
        """Whether some rule limits how much is told of a message, or to a listener on a day."""
        self.has_gossip = self.any_rule("gossip_about_others")
        """Whether some rule lets a listener pass on what they were told."""
        self.counts_days = any(each.budget and each.budget.listener_day is not None for each in self._levels())
        """Whether some rule asks how much a listener has heard on a day."""
        self.has_triages = any(each.triage for each in self._levels())
        """Whether some rule names a triage."""
        self.has_hubs = self.any_rule("hub_from")
        """Whether some rule asks for hubs."""
        self.models = frozenset(each.spreading for each in self._levels() if each.spreading)
        """Names of the spreading models that some rules choose."""
        self._numbers: dict[Carrier, int] = {}
        self._by_identity: dict[int, int] = {}
        self._listed: dict[tuple[str, int], tuple[ListenerRun, ...]] = {}
        self._hub_members: dict[tuple[str, frozenset[str]], HubMembers] = {}
        self._hub_tellers: dict[HubMembers, HubTellers] = {}
        by_slug = {pantheon.slug: pantheon for pantheon in book.pantheons}
        self._tribes = {slug: Tribe(pantheon, by_slug) for slug, pantheon in by_slug.items()}
        self._by_teller: dict[str, list[Tribe]] = {}
        for tribe in self._tribes.values():
            for id in tribe.tellers:
                self._by_teller.setdefault(id, []).append(tribe)

    def compiled(self, teller: str) -> tuple[ListenerRun, ...]:
        """Whom one teller tells, by the rules and the graph as they are."""
        return self._compiled(teller, self.relations)

    def _compiled(self, teller: str, relations: EdgesBySource) -> tuple[ListenerRun, ...]:
        entries, groups = self._entries_of(teller, relations)
        if groups and self._competes([*entries, *groups]):
            limited = [each for each in groups if self.carriers[each.carrier].fan_out is not None]
            entries, groups = [*entries, *_one_by_one(limited)], [each for each in groups if each not in limited]
        entries.sort(key=_by_weight)
        runs = [ListenerRun(number, tuple(each.listener for each in run)) for number, run in groupby(entries, _carrier)]
        return (*runs, *groups)

    def of_story(self, relations: EdgesBySource, own_sources: Collection[str]) -> StoryAdjacency:
        """The same rules on the graph of one story, in which the relations of some nodes are others."""
        return StoryAdjacency(self, relations, own_sources)

    def compile_all(self) -> None:
        """Make the entries of every teller."""
        for teller in self._by_teller:
            self.runs[teller]

    def entries(self, teller: str) -> list[TellerEntry]:
        """Everybody whom a teller may tell, one by one, with the weight of what joins them."""
        entries, groups = self._entries_of(teller, self.relations)
        return sorted([*entries, *_one_by_one(groups)], key=_by_weight)

    @property
    def tellers(self) -> Iterable[str]:
        """Everybody who may tell somebody, as far as pantheons say."""
        return self._by_teller.keys()

    def invalidate(self, sources: Iterable[str]) -> None:
        """Forget the entries of these tellers, because a relation that starts at them has changed."""
        for source in sources:
            self.runs.pop(source, None)

    def any_rule(self, option: str) -> bool:
        """Whether some level of some pantheon sets an option, other than to false."""
        return any(getattr(rules, option) for rules in self._levels())

    def _levels(self) -> Iterator[Rules]:
        for pantheon in self.book.pantheons:
            yield pantheon.rules
            yield from (each.rules for each in pantheon.members)
            yield from (each.rules for each in pantheon.relationships)

    def _entries_of(self, teller: str, relations: EdgesBySource) -> tuple[list[TellerEntry], list[ListenerRun]]:
        """Those whom a teller tells one by one, and the lists of members."""
        entries: dict[tuple[str, int], float] = {}
        groups: dict[ListenerRun, None] = {}
        for tribe in self._by_teller.get(teller, ()):
            for whom in tribe.tellings(teller, relations):
                self._add(entries, tribe, whom)
                runs = (run for slug in whom.slugs for run in self._groups(slug, whom.carrier, tribe))
                groups |= dict.fromkeys(_but(each, whom.but) if whom.but else each for each in runs)
        return [TellerEntry(listener, weight, number) for (listener, number), weight in entries.items()], list(groups)

    def _competes(self, entries: Iterable[TellerEntry | ListenerRun]) -> bool:
        """Whether several carriers share a teller's fan-out, so that whom they tell must be put into one order."""
        limited = {each.carrier for each in entries if self.carriers[each.carrier].fan_out is not None}
        return len(limited) > 1

    def _add(self, entries: dict[tuple[str, int], float], tribe: Tribe, whom: Whom) -> None:
        plain = self._number(whom.carrier) if whom.listeners else 0
        for possible in whom.listeners:
            for number in self._limited(plain, tribe, whom.carrier, possible):
                key = (possible.listener, number)
                entries[key] = max(possible.weight, entries.get(key, possible.weight))

    def _limited(self, plain: int, tribe: Tribe, carrier: Carrier, possible: PossibleListener) -> list[int]:
        """Numbers of the carrier as it holds for one listener, without limits on the days on which they see all."""
        seeing = tribe.omniscient(possible.listener)
        limited = plain if possible.days == ALL_DAYS else self._number(carrier.within(*possible.days))
        if not seeing:
            return [limited]
        free = [self._number(carrier.unlimited().within(*possible.days).within(*days)) for days in seeing]
        return free if ALL_DAYS in seeing else [*free, limited]

    def _groups(self, slug: str, carrier: Carrier, tribe: Tribe) -> tuple[ListenerRun, ...]:
        """All members of a pantheon, in lists that all tellers share."""
        key = (slug, self._number(carrier))
        if (found := self._listed.get(key)) is None:
            found = self._listed[key] = tuple(self._lists(slug, carrier, tribe))
        return found

    def _lists(self, slug: str, carrier: Carrier, tribe: Tribe) -> Iterator[ListenerRun]:
        by_number: dict[int, list[str]] = {}
        for member in self._tribes[slug].members:
            possible = PossibleListener(member.personality_id, days=days_of(member))
            for number in self._limited(self._number(carrier), tribe, carrier, possible):
                by_number.setdefault(number, []).append(possible.listener)
        for number, ids in by_number.items():
            in_hub = self.carriers[number].hub
            yield ListenerRun(number, self.hub_members(slug, ids) if in_hub else tuple(sorted(ids)))

    def hub_members(self, slug: str, ids: Iterable[str]) -> HubMembers:
        """These members of a pantheon; the same ones are the same object."""
        members = HubMembers.of(slug, ids)
        return self._hub_members.setdefault((slug, members.ids), members)

    def hub_tellers(self, members: HubMembers) -> HubTellers:
        """Those of some members who may tell on what they read in a hub."""
        if members not in self._hub_tellers:
            self._hub_tellers[members] = self._tellers_among(members)
        return self._hub_tellers[members]

    def _tellers_among(self, members: Iterable[str]) -> HubTellers:
        alike: dict[frozenset[tuple[str, DaySpan]], list[str]] = {}
        own: list[str] = []
        for id in members:
            standings = [tribe.common_standings(id) for tribe in self._by_teller.get(id, ())]
            if None in standings:
                own.append(id)
            elif common := frozenset(each for standing in standings for each in standing or ()):
                alike.setdefault(common, []).append(id)
        return HubTellers(tuple(map(tuple, alike.values())), tuple(own))

    def _number(self, carrier: Carrier) -> int:
        known = self._by_identity.get(id(carrier))
        if known is not None and self.carriers[known] is carrier:
            return known
        if (number := self._numbers.get(carrier)) is None:
            number = self._numbers[carrier] = len(self.carriers)
            self._by_identity[id(carrier)] = number
            self.carriers.append(carrier)
        return number


class StoryAdjacency(Adjacency):
    """The rules on the graph of one story. What its facts leave alone is compiled once for all stories."""

    def __init__(self, below: Adjacency, relations: EdgesBySource, own_sources: Collection[str]) -> None:
        self.__dict__.update(below.__dict__)
        self._below, self._own = below, own_sources
        self.relations = relations
        self.runs = TellerRuns(self.compiled)

    def compiled(self, teller: str) -> tuple[ListenerRun, ...]:
        """Whom one teller tells, by the story's own facts where they say something of that teller."""
        return self._compiled(teller, self.relations) if teller in self._own else self._below.runs[teller]


def _but(run: ListenerRun, but: frozenset[str]) -> ListenerRun:
    """The same members, without a few of them."""
    members = run.listeners
    return run._replace(listeners=HubMembersBut(members, but)) if isinstance(members, HubMembers) else run


def _one_by_one(groups: Iterable[ListenerRun]) -> list[TellerEntry]:
    return [TellerEntry(listener, 1.0, number) for number, listeners in groups for listener in listeners]


def _by_weight(entry: TellerEntry) -> tuple[float, str]:
    """Sort key. The same listener by several carriers stays in the order of the rule book."""
    return -entry.weight, entry.listener


def _carrier(entry: TellerEntry) -> int:
    return entry.carrier
