"""The rules as they stand between two characters, read anew from the rule book for every question.

Readings taken where the text leaves a choice are numbered in `testing.reference`.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from ..graph.records import Relation
from ..rules.records import Member, Pantheon, RelationshipRule, RuleBook, Rules

LIVED = ("share_direct_interactions", "share_all_direct_user_interactions")
"""The options that tell those who are named what the teller lived."""
GOSSIP = "gossip_about_others"
"""The option that tells them what the teller learned about others."""
TO_ALL = ("propagate_all", "propagate_all_user_interactions")
"""The options that tell all members what the teller lived."""
TELLING = (*LIVED, GOSSIP, *TO_ALL)
"""Every option that tells somebody something."""


@dataclass(frozen=True)
class Offer:
    """One rule by which a teller may tell a listener."""

    teller: str
    """Who tells."""
    listener: str
    """Who is told."""
    pantheon: str
    """Slug of the pantheon whose rule it is."""
    options: Rules
    """The options in force between the two."""
    names: frozenset[str]
    """The options that tell the listener something: each is a rule of its own."""
    certain: bool
    """Whether the listener is omniscient, so that chance, fan-out and budgets do not count."""


@dataclass(frozen=True)
class Encounter:
    """A teller and a listener under the rules of one pantheon."""

    pantheon: Pantheon
    """Whose rules."""
    teller: str
    """Who tells."""
    listener: str
    """Who would be told."""
    member: Member | None
    """The teller as a member; `None` = not a member that day."""
    relationship: RelationshipRule | None
    """The relationship with rules that they have, if any."""
    day: float
    """The day of telling."""

    @property
    def levels(self) -> list[Rules]:
        """What is said about the two, the nearest first."""
        nearer = [each.rules for each in (self.relationship, self.member) if each is not None]
        return [*nearer, self.pantheon.rules]


class RulesAsWritten:
    """A rule book and a graph, and what they offer: at each message, or once a conversation is over."""

    def __init__(self, book: RuleBook, relations: Sequence[Relation] = (), *, over: bool = False) -> None:
        self.book: RuleBook = book
        """The rules."""
        self._when = "conversation" if over else "message"
        self._edges: dict[tuple[str, str], list[Relation]] = {}
        self._neighbours: dict[str, set[str]] = {}
        for each in relations:
            self._edges.setdefault((each.source, each.target), []).append(each)
            self._neighbours.setdefault(each.source, set()).add(each.target)
        self._offers: dict[tuple[str, float], list[Offer]] = {}
        self._options: dict[tuple[int, ...], Rules] = {}

    def offers(self, teller: str, day: float) -> list[Offer]:
        """Every rule by which this teller may tell somebody on this day, whatever the message says.

        Those that say `when: conversation` offer nothing but when it is over, and the others nothing then.
        """
        if (teller, day) not in self._offers:
            found = [met for pantheon in self.book.pantheons for met in self._encounters(pantheon, teller, day)]
            self._offers[teller, day] = [offer for met in found if (offer := self._offer(met)) is not None]
        return self._offers[teller, day]

    def _encounters(self, pantheon: Pantheon, teller: str, day: float) -> Iterator[Encounter]:
        member = members_on(pantheon, day).get(teller)
        if member is not None and member.role == "observer":
            return
        possible = self._possible(pantheon, teller) - {teller}
        if pantheon.confined_to is not None:  # a player's group tells its members, and nobody else
            possible &= {*members_on(pantheon, day)} if member is not None else set()
        for listener in sorted(possible):
            between = relationships_on(pantheon, teller, listener, day)
            yield from (Encounter(pantheon, teller, listener, member, each, day) for each in between)
            if member is not None and not between:
                yield Encounter(pantheon, teller, listener, member, None, day)

    def _possible(self, pantheon: Pantheon, teller: str) -> set[str]:
        """Whoever the rules of this pantheon might mean."""
        slugs = {group.slug for group in self.book.pantheons}
        named = {name for level in levels_of(pantheon) for name in level.share_with or ()}
        groups = [group for group in self.book.pantheons if group.slug in named or group is pantheon]
        members = {member.personality_id for group in groups for member in group.members}
        return (
            (named - slugs) | members | {e.target for e in pantheon.relationships} | self._neighbours.get(teller, set())
        )

    def _offer(self, met: Encounter) -> Offer | None:
        options = self._merged(met.levels)
        if (options.when or "message") != self._when or not self._is_related(met, options):
            return None
        active = {name for name in (*LIVED, GOSSIP) if self._tells(met, options, name)}
        if met.member is not None and met.listener in members_on(met.pantheon, met.day):
            active |= {name for name in TO_ALL if getattr(options, name)}
        if not active:
            return None
        certain = _is_omniscient(met.pantheon, met.listener, met.day)
        return Offer(met.teller, met.listener, met.pantheon.slug, options, frozenset(active), certain)

    def _merged(self, levels: Sequence[Rules]) -> Rules:
        """The options in force, put together once for the same levels of the book."""
        same = tuple(map(id, levels))
        if same not in self._options:
            self._options[same] = merged(levels)
        return self._options[same]

    def _tells(self, met: Encounter, options: Rules, name: str) -> bool:
        """Whether an option that tells those who are named tells this listener."""
        if met.relationship is not None and getattr(met.relationship.rules, name):
            return True
        if met.member is None:
            return False
        if name == LIVED[0] and options.share_direct_interactions is None:
            levels = (met.member.rules, met.pantheon.rules)
            alone = any(each.share_with and not any(getattr(each, on) for on in TELLING) for each in levels)
            return alone and self._is_named(met, options)
        return bool(getattr(options, name)) and self._is_named(met, options)

    def _is_named(self, met: Encounter, options: Rules) -> bool:
        if options.share_with is None:
            return asks_for_relations(options) and met.relationship is None
        groups = (group for group in self.book.pantheons if group.slug in options.share_with)
        return met.listener in options.share_with or any(met.listener in members_on(g, met.day) for g in groups)

    def _is_related(self, met: Encounter, options: Rules) -> bool:
        if not asks_for_relations(options):
            return True
        both = (met.teller, met.listener)
        edges = [(e.type, e.weight) for e in relationships_on(met.pantheon, *both, met.day)]
        edges += [(e.type, e.weight) for e in self._edges.get(both, ()) if e.holds_on(met.day)]
        types, least = options.relation_types, options.min_weight or 0.0
        return any((types is None or type in types) and weight >= least for type, weight in edges)


def merged(levels: Sequence[Rules]) -> Rules:
    """One set of options: for each, what the first level says that says anything."""
    options: dict[str, Any] = {}
    for level in levels:
        for name in level.model_fields_set:
            if options.get(name) is None and (value := getattr(level, name)) is not None:
                options[name] = value
    return NOTHING_SAID.model_copy(update=options)


NOTHING_SAID = Rules()


def members_on(pantheon: Pantheon, day: float) -> dict[str, Member]:
    """The members of a pantheon on a game day, by personality id."""
    return {each.personality_id: each for each in pantheon.members if each.holds_on(day)}


def relationships_on(pantheon: Pantheon, teller: str, listener: str, day: float) -> list[RelationshipRule]:
    """What rules the pantheon has for what one tells another on a game day."""
    both = (teller, listener)
    return [each for each in pantheon.relationships if (each.source, each.target) == both and each.holds_on(day)]


def levels_of(pantheon: Pantheon) -> Iterator[Rules]:
    """The options of every level of a pantheon."""
    yield pantheon.rules
    yield from (each.rules for each in pantheon.members)
    yield from (each.rules for each in pantheon.relationships)


def asks_for_relations(options: Rules) -> bool:
    """Whether only relations of the graph carry the rule."""
    return options.relation_types is not None or options.min_weight is not None


def _is_omniscient(pantheon: Pantheon, listener: str, day: float) -> bool:
    member = members_on(pantheon, day).get(listener)
    return member is not None and bool(merged([member.rules, pantheon.rules]).omniscient)
