"""A pantheon, looked up by teller: which carriers its rules give to somebody, and whom each of them tells."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from typing import NamedTuple, Protocol

from ..rules.records import Member, Pantheon, RelationshipRule, Rules
from .carriers import EVERYBODY, OPTIONS, Carrier, carrier, carriers_of, of_member, over


class Edge(Protocol):
    """What the graph says of two nodes: a `Relation` has all of it."""

    @property
    def target(self) -> str:
        """Where it points to."""
        ...

    @property
    def type(self) -> str:
        """Its type."""
        ...

    @property
    def weight(self) -> float:
        """How strong it is."""
        ...

    @property
    def since(self) -> float | None:
        """First game day."""
        ...

    @property
    def until(self) -> float | None:
        """Last game day."""
        ...


class Relations(Protocol):
    """The part of the graph that rules ask."""

    def relations_of(self, node: str, types: Collection[str] | None = None, min_weight: float = 0.0) -> Iterable[Edge]:
        """Relations that start at a node, of these types and with at least this weight, whenever they hold."""
        ...


class Told(NamedTuple):
    """Somebody whom a teller may tell."""

    listener: str
    weight: float = 1.0
    since: float | None = None
    until: float | None = None


class Whom(NamedTuple):
    """A carrier, with those it tells one by one and the slugs of pantheons all of which it tells."""

    carrier: Carrier
    tolds: Sequence[Told]
    slugs: tuple[str, ...] = ()


ALL_DAYS: Sequence[tuple[float | None, float | None]] = [(None, None)]


class Tribe:
    """A pantheon by teller."""

    def __init__(self, pantheon: Pantheon, pantheons: Mapping[str, Pantheon]) -> None:
        """`pantheons` are all of them, by slug: in `share_with` a slug stands for all members."""
        self.slug = pantheon.slug
        self.rules = pantheon.rules
        self.members = pantheon.members
        self.memberships: dict[str, tuple[Member, ...]] = {}
        for member in pantheon.members:
            self.memberships[member.personality_id] = (*self.memberships.get(member.personality_id, ()), member)
        self.relationships: dict[str, tuple[RelationshipRule, ...]] = {}
        for each in pantheon.relationships:
            self.relationships[each.source] = (*self.relationships.get(each.source, ()), each)
        self._pantheons = pantheons
        self._common = carriers_of(self.slug, self.rules)
        self._omniscient = {id for id, held in self.memberships.items() if self._sees_all(held)}

    @property
    def tellers(self) -> Iterable[str]:
        """Ids of those who may tell by this pantheon's rules."""
        return dict.fromkeys([*self.memberships, *self.relationships])

    def is_omniscient(self, listener: str) -> bool:
        """Whether somebody learns whatever chance, fan-out and budgets say."""
        return listener in self._omniscient

    def windows(self, listener: str) -> Sequence[tuple[float | None, float | None]]:
        """The days on which somebody is a member; all days for who is none, and is told because a rule names them."""
        held = self.memberships.get(listener)
        return ALL_DAYS if held is None else [(each.since, each.until) for each in held]

    def tellings(self, teller: str, relations: Relations) -> Iterator[Whom]:
        """Whom a teller tells, by carrier."""
        for member in self.memberships.get(teller) or (Member(personality_id=teller),):
            if member.role == "observer":
                continue
            for whom in self._tellings(teller, over(self.rules, of_member(member.rules)), relations):
                yield whom._replace(carrier=whom.carrier.within(member.since, member.until))

    def _tellings(self, teller: str, rules: Rules, relations: Relations) -> Iterator[Whom]:
        common = self._common if rules is self.rules else carriers_of(self.slug, rules)
        edges = self.relationships.get(teller, ())
        near = _neighbours(teller, rules, relations) if rules.relation_types is not None else ()
        for option, each in common.items():
            whom = self._whom(option, each, rules, near)
            yield self._apart(whom, {edge.target for edge in edges}) if edges else whom
        for edge in edges:
            yield from self._related(edge, rules, relations)

    def _whom(self, option: str, each: Carrier, rules: Rules, near: Sequence[Told]) -> Whom:
        if option in EVERYBODY:
            return Whom(each, (), (self.slug,))
        named = rules.share_with or ()
        slugs = tuple(name for name in named if name in self._pantheons)
        return Whom(each, [*(Told(name) for name in named if name not in slugs), *near], slugs)

    def _apart(self, whom: Whom, targets: Collection[str]) -> Whom:
        """One by one, without those to whom the teller has a relationship with rules of its own, which decide."""
        tolds = [*whom.tolds, *(told for slug in whom.slugs for told in self._all_of(slug))]
        return Whom(whom.carrier, [told for told in tolds if told.listener not in targets])

    def _all_of(self, slug: str) -> Iterator[Told]:
        members = self._pantheons[slug].members
        return (Told(each.personality_id, since=each.since, until=each.until) for each in members)

    def _related(self, edge: RelationshipRule, below: Rules, relations: Relations) -> Iterator[Whom]:
        """The carriers of one relationship: what its own rules switch on, and what names its target anyway."""
        rules = over(below, edge.rules)
        yield from self._as_member(edge, rules)
        told = [each for each in _as_related(edge, relations) if each.weight >= (rules.min_weight or 0.0)]
        named = self._is_named(edge.target, rules) or self._is_near(edge, rules, relations)
        for option in OPTIONS:
            if not getattr(rules, option):
                continue
            if getattr(edge.rules, option) and told:
                yield Whom(carrier(self.slug, option, rules), told)
            elif named:
                yield Whom(carrier(self.slug, option, rules), [Told(edge.target, edge.weight)])

    def _as_member(self, edge: RelationshipRule, rules: Rules) -> Iterator[Whom]:
        """The target of a relationship as one of all members."""
        told = [each._replace(weight=edge.weight) for each in self._all_of(self.slug) if each.listener == edge.target]
        yield from (Whom(carrier(self.slug, option, rules), told) for option in EVERYBODY if getattr(rules, option))

    def _is_named(self, target: str, rules: Rules) -> bool:
        named = rules.share_with or ()
        slugs = [name for name in named if name in self._pantheons]
        return target in named or any(told.listener == target for slug in slugs for told in self._all_of(slug))

    def _is_near(self, edge: RelationshipRule, rules: Rules, relations: Relations) -> bool:
        if rules.relation_types is None:
            return False
        is_one = edge.type in rules.relation_types and edge.weight >= (rules.min_weight or 0.0)
        return is_one or any(each.listener == edge.target for each in _neighbours(edge.source, rules, relations))

    def _sees_all(self, held: Iterable[Member]) -> bool:
        return any(over(self.rules, member.rules).omniscient for member in held)


def _neighbours(teller: str, rules: Rules, relations: Relations) -> list[Told]:
    found = relations.relations_of(teller, rules.relation_types, rules.min_weight or 0.0)
    return [Told(each.target, each.weight, each.since, each.until) for each in found]


def _as_related(edge: RelationshipRule, relations: Relations) -> list[Told]:
    """The target of a relationship, on the days on which the graph says that it holds; always, if it says nothing."""
    held = [each for each in relations.relations_of(edge.source, (edge.type,)) if each.target == edge.target]
    return [Told(each.target, each.weight, each.since, each.until) for each in held] or [Told(edge.target, edge.weight)]
