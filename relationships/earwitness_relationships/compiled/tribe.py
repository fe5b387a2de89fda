"""A pantheon, looked up by teller: which carriers its rules give to somebody, and whom each of them tells."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from math import inf, nextafter
from typing import NamedTuple, Protocol

from ..graph.columns import Edge
from ..rules.records import Lasting, Member, Pantheon, RelationshipRule, Rules
from .carriers import EVERYBODY, OPTIONS, Carrier, as_meant, carrier, carriers_of, over


class EdgesBySource(Protocol):
    """The part of the graph that rules ask: a `GraphView` has it."""

    def edges(self, source: str) -> Sequence[Edge]:
        """EdgesBySource that start at a node, on whatever days they hold."""
        ...


DaySpan = tuple[float, float]
"""The first and the last game day of something, or infinities."""
ALL_DAYS: DaySpan = (-inf, inf)


class PossibleListener(NamedTuple):
    """Somebody whom a teller may tell."""

    listener: str
    weight: float = 1.0
    days: DaySpan = ALL_DAYS


class Whom(NamedTuple):
    """A carrier, with those it tells one by one, and the slugs of pantheons all of which it tells."""

    carrier: Carrier
    listeners: Sequence[PossibleListener]
    slugs: tuple[str, ...] = ()
    but: frozenset[str] = frozenset()
    """Those of a hub who are told in another way, by relationships of the teller."""


class Standing(NamedTuple):
    """What a teller is in the pantheon on some days."""

    member: Rules | None
    """A member's own rules; `None` = no member then, so that only relationships with rules count."""
    days: DaySpan


class Tribe:
    """A pantheon by teller."""

    def __init__(self, pantheon: Pantheon, pantheons: Mapping[str, Pantheon]) -> None:
        """`pantheons` are all of them, by slug: in `share_with` a slug stands for all members."""
        self.slug = pantheon.slug
        self.rules = as_meant(pantheon.rules, pantheon.rules)
        self.members = pantheon.members
        self.memberships: dict[str, tuple[Member, ...]] = {}
        for member in pantheon.members:
            self.memberships[member.personality_id] = (*self.memberships.get(member.personality_id, ()), member)
        self.relationships: dict[str, tuple[RelationshipRule, ...]] = {}
        for each in pantheon.relationships:
            self.relationships[each.source] = (*self.relationships.get(each.source, ()), each)
        self._pantheons, self._confined_to = pantheons, pantheon.confined_to
        self._common = carriers_of(self.slug, self.rules)

    @property
    def tellers(self) -> Iterable[str]:
        """Ids of those who may tell by this pantheon's rules."""
        return dict.fromkeys([*self.memberships, *self.relationships])

    def omniscient(self, listener: str) -> list[DaySpan]:
        """The days on which somebody learns whatever chance, fan-out and budgets say."""
        held = self.memberships.get(listener, ())
        return [days_of(each) for each in held if over(self.rules, each.rules).omniscient]

    def common_standings(self, teller: str) -> list[tuple[str, DaySpan]] | None:
        """The pantheon and the days on which a member tells whom every other member would tell; `None` for somebody
        who tells others than they do: by rules of their own, by relations, or as coins fall."""
        held = [each for each in self.memberships.get(teller, ()) if each.role != "observer"]
        if teller in self.relationships or any(each.rules.model_fields_set for each in held):
            return None
        if not self._common or not held:
            return []
        if asks_for_relations(self.rules) or any(each.is_limited for each in self._common.values()):
            return None
        return [(self.slug, days_of(each)) for each in held]

    def tellings(self, teller: str, relations: EdgesBySource) -> Iterator[Whom]:
        """Whom a teller tells, by carrier."""
        for standing in self._standings(teller):
            for whom in self._tellings(teller, standing.member, relations):
                told = whom if self._confined_to is None else self._among_members(whom)
                yield told._replace(carrier=told.carrier.within(*standing.days).confined(self._confined_to))

    def _among_members(self, whom: Whom) -> Whom:
        """Those of them who are members, on the days on which they are: a player's group tells nobody else."""
        days = ((each, held.days) for each in whom.listeners for held in self._all_of(self.slug, each.listener))
        both = [(each, _overlap(each.days, held)) for each, held in days]
        listeners = [each._replace(days=on) for each, on in both if on is not None]
        return whom._replace(listeners=listeners, slugs=tuple(each for each in whom.slugs if each == self.slug))

    def _standings(self, teller: str) -> list[Standing]:
        """Of an observer there is none. Relationships with rules hold for those who are not members, too, but not in a
        player's group."""
        held = self.memberships.get(teller, ())
        found = [Standing(each.rules, days_of(each)) for each in held if each.role != "observer"]
        if teller in self.relationships and self._confined_to is None:
            found += [Standing(None, days) for days in _besides([days_of(each) for each in held])]
        return found

    def _tellings(self, teller: str, member: Rules | None, relations: EdgesBySource) -> Iterator[Whom]:
        rules = self.rules if member is None else as_meant(member, over(self.rules, member))
        edges = self.relationships.get(teller, ())
        in_hubs: dict[str, frozenset[str]] = {}
        if member is not None:
            apart = _apart(edges)
            common = self._common if rules is self.rules else carriers_of(self.slug, rules)
            for option, each in common.items():
                if self._is_read_in_hub(option, each, rules):
                    in_hubs[option] = frozenset(self._told_otherwise(option, each, member, edges))
                    yield self._in_hub(each, in_hubs[option], apart)
                else:
                    yield self._whom(teller, option, each, rules, relations, apart)
        for edge in edges:
            alike = [option for option, but in in_hubs.items() if edge.target not in but]
            yield from self._related(edge, member, relations, alike)

    def _is_read_in_hub(self, option: str, each: Carrier, rules: Rules) -> bool:
        """Whether it tells all members alike, and there are so many that they read it in the hub."""
        is_large = rules.hub_from is not None and len(self.members) >= rules.hub_from
        return is_large and option in EVERYBODY and not each.is_limited and not asks_for_relations(rules)

    def _in_hub(self, each: Carrier, but: frozenset[str], apart: Mapping[str, list[DaySpan]]) -> Whom:
        """All members as one, but those whom the teller tells otherwise on the days of a relationship."""
        others = [possible for possible in self._all_of(self.slug) if possible.listener in but] if but else []
        return Whom(replace(each, hub=True), _without(others, apart), (self.slug,), but)

    def _told_otherwise(
        self, option: str, common: Carrier, member: Rules, edges: Iterable[RelationshipRule]
    ) -> Iterator[str]:
        """Members whom a teller tells by an option otherwise than the others, since a relationship says so."""
        for edge in edges:
            if edge.target in self.memberships:
                rules = self._rules_of(edge, member)
                is_told = getattr(rules, option) and not asks_for_relations(rules)
                if not is_told or carrier(self.slug, option, rules) != common:
                    yield edge.target

    def _whom(
        self,
        teller: str,
        option: str,
        each: Carrier,
        rules: Rules,
        relations: EdgesBySource,
        apart: Mapping[str, list[DaySpan]],
    ) -> Whom:
        """Whom an option tells, but on the days of a relationship with rules, which then decides."""
        if asks_for_relations(rules):
            near = _without(_neighbours(teller, rules, relations), apart)
            return Whom(each, [named for possible in near for named in self._named(possible, option, rules)])
        names, slugs = self._names(option, rules)
        if apart:
            listeners = [
                *map(PossibleListener, names),
                *(possible for slug in slugs for possible in self._all_of(slug)),
            ]
            return Whom(each, _without(listeners, apart))
        return Whom(each, [*map(PossibleListener, names)], slugs)

    def _names(self, option: str, rules: Rules) -> tuple[Sequence[str], tuple[str, ...]]:
        """The ids and slugs that an option tells by name."""
        if option in EVERYBODY:
            return (), (self.slug,)
        named = rules.share_with or ()
        slugs = tuple(name for name in named if name in self._pantheons)
        return [name for name in named if name not in slugs], slugs

    def _named(self, possible: PossibleListener, option: str, rules: Rules) -> list[PossibleListener]:
        """A neighbour, on the days on which an option names them; all of them if it names nobody."""
        if option not in EVERYBODY and rules.share_with is None:
            return [possible]
        names, slugs = self._names(option, rules)
        if possible.listener in names:
            return [possible]
        return [
            possible._replace(days=both)
            for slug in slugs
            for each in self._all_of(slug, possible.listener)
            if (both := _overlap(possible.days, each.days)) is not None
        ]

    def _all_of(self, slug: str, only: str | None = None) -> Iterator[PossibleListener]:
        members = self._pantheons[slug].members
        found = members if only is None else [each for each in members if each.personality_id == only]
        return (PossibleListener(each.personality_id, days=days_of(each)) for each in found)

    def _rules_of(self, edge: RelationshipRule, member: Rules | None) -> Rules:
        """The effective rules of a relationship."""
        if member is None:
            return over(self.rules, edge.rules)
        return as_meant(member, over(over(self.rules, member), edge.rules))

    def _related(
        self, edge: RelationshipRule, member: Rules | None, relations: EdgesBySource, in_hub: Collection[str]
    ) -> Iterator[Whom]:
        """The carriers of one relationship: what its own rules switch on, and what names its target anyway. By the
        options `in_hub`, the target is told with all the others."""
        rules = self._rules_of(edge, member)
        ways = self._ways(edge, rules, relations)
        for option in (*OPTIONS, *EVERYBODY):
            if not getattr(rules, option) or option in in_hub:
                continue
            if option in OPTIONS and getattr(edge.rules, option):
                yield Whom(carrier(self.slug, option, rules), ways)
            elif member is not None and (option in EVERYBODY or rules.share_with is not None):
                possible = [named for way in ways for named in self._named(way, option, rules)]
                yield Whom(carrier(self.slug, option, rules), possible)

    def _ways(self, edge: RelationshipRule, rules: Rules, relations: EdgesBySource) -> list[PossibleListener]:
        """The target of a relationship, on the days on which a relation that the rules ask for leads there."""
        lasting = PossibleListener(edge.target, edge.weight, days_of(edge))
        if not asks_for_relations(rules):
            return [lasting]
        edges = [each for each in self.relationships[edge.source] if _carries(each, rules)]
        found = [PossibleListener(each.target, each.weight, days_of(each)) for each in edges]
        found += _neighbours(edge.source, rules, relations)
        return [
            possible._replace(days=both)
            for possible in found
            if possible.listener == edge.target and (both := _overlap(possible.days, lasting.days)) is not None
        ]


def asks_for_relations(rules: Rules) -> bool:
    """Whether only relations of the graph carry the rules."""
    return rules.relation_types is not None or rules.min_weight is not None


def _carries(edge: RelationshipRule, rules: Rules) -> bool:
    is_one = rules.relation_types is None or edge.type in rules.relation_types
    return is_one and edge.weight >= (rules.min_weight or 0.0)


def _neighbours(teller: str, rules: Rules, relations: EdgesBySource) -> list[PossibleListener]:
    types, least = rules.relation_types, rules.min_weight or 0.0
    return [
        PossibleListener(each.target, each.weight, (each.begins, each.ends))
        for each in relations.edges(teller)
        if each.weight >= least and (types is None or each.type in types)
    ]


def _apart(edges: Iterable[RelationshipRule]) -> dict[str, list[DaySpan]]:
    """Those to whom a teller has relationships with rules → the days on which there is none of them."""
    held: dict[str, list[DaySpan]] = {}
    for edge in edges:
        held.setdefault(edge.target, []).append(days_of(edge))
    return {target: _besides(days) for target, days in held.items()}


def _without(listeners: Iterable[PossibleListener], apart: Mapping[str, list[DaySpan]]) -> list[PossibleListener]:
    """These; those who stand apart are among them only on the days on which they do not."""
    return [
        possible._replace(days=both)
        for possible in listeners
        for days in apart.get(possible.listener, [ALL_DAYS])
        if (both := _overlap(possible.days, days)) is not None
    ]


def days_of(each: Lasting) -> DaySpan:
    """The days on which it holds."""
    return (-inf if each.since is None else each.since, inf if each.until is None else each.until)


def _overlap(one: DaySpan, other: DaySpan) -> DaySpan | None:
    since, until = max(one[0], other[0]), min(one[1], other[1])
    return None if since > until else (since, until)


def _besides(held: Iterable[DaySpan]) -> list[DaySpan]:
    """All days but these."""
    free: list[DaySpan] = [ALL_DAYS]
    for since, until in held:
        outside = [(-inf, nextafter(since, -inf))] if since > -inf else []
        outside += [(nextafter(until, inf), inf)] if until < inf else []
        parts = [_overlap(days, part) for days in free for part in outside]
        free = [each for each in parts if each is not None]
    return free
