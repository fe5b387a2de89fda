"""Who may tell whom by a rule book, as edges: for warnings, tables and pictures. The engine does not use them."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from earwitness.loading.problems import Loc

from .precedence import DEFAULTS, merged
from .records import Member, Pantheon, RelationshipRule, RuleBook, Rules

LIVED = ("share_direct_interactions", "share_all_direct_user_interactions")
GOSSIP = "gossip_about_others"
TO_EVERYBODY = ("propagate_all", "propagate_all_user_interactions")
"""The options that reach all members."""
TO_NAMED = (*LIVED, GOSSIP)
"""The options that reach those who are named."""
TELLING = (*TO_NAMED, *TO_EVERYBODY)
"""The options that tell anything."""


@dataclass(frozen=True)
class RuleEdge:
    """One teller and one listener, or a whole pantheon."""

    pantheon: str
    """Slug of the pantheon whose rules they are."""
    teller: str
    """Personality id."""
    listener: str
    """Personality id; the slug of a pantheon if `to_all`."""
    to_all: bool
    """Whether all members of a pantheon listen."""
    tells: tuple[str, ...]
    """The options that are on."""
    options: Rules
    """The options that any level sets."""
    relationship: RelationshipRule | None
    """The relationship whose rules they are, if any."""
    loc: Loc
    """Place in the rule book."""


def edges(book: RuleBook) -> Iterator[RuleEdge]:
    """All edges of a rule book. What depends on the graph at run time is not in it."""
    slugs = {each.slug for each in book.pantheons}
    for number, pantheon in enumerate(book.pantheons):
        loc: Loc = ("pantheons", number)
        for at, member in enumerate(pantheon.members):
            yield from _of_member(pantheon, member, slugs, (*loc, "members", at))
        members = members_by_id(pantheon)
        for at, each in enumerate(pantheon.relationships):
            yield from _of_relationship(pantheon, each, members.get(each.source), (*loc, "relationships", at))


def members_by_id(pantheon: Pantheon) -> dict[str, Member]:
    """Personality id → the first membership in a pantheon."""
    return {each.personality_id: each for each in reversed(pantheon.members)}


def named_by(pantheon: Pantheon, teller: str, options: Rules) -> Sequence[str]:
    """Whom these options name: `share_with`; where that is not set, the teller's relations of the `relation_types`."""
    if options.share_with or not options.relation_types:
        return options.share_with or ()
    least = options.min_weight or 0
    own = (each for each in pantheon.relationships if each.source == teller and each.type in options.relation_types)
    return [*dict.fromkeys(each.target for each in own if each.weight >= least)]


def to_named(options: Rules, pantheon: Rules, member: Rules) -> tuple[str, ...]:
    """The options that tell those who are named. `share_with` alone on a level means direct interactions."""
    alone = [level for level in (pantheon, member) if level.share_with and not any(getattr(level, n) for n in TELLING)]
    is_meant = bool(alone) and all(getattr(level, LIVED[0]) is None for level in (pantheon, member))
    return tuple(name for name in TO_NAMED if getattr(options, name) or (is_meant and name == LIVED[0]))


def _of_member(pantheon: Pantheon, member: Member, slugs: set[str], loc: Loc) -> Iterator[RuleEdge]:
    if member.role == "observer":
        return
    options = merged(pantheon.rules, member.rules)
    everybody = tuple(name for name in TO_EVERYBODY if getattr(options, name))
    if everybody:
        yield RuleEdge(pantheon.slug, member.personality_id, pantheon.slug, True, everybody, options, None, loc)
    if named := to_named(options, pantheon.rules, member.rules):
        own = member.personality_id
        for name in (each for each in named_by(pantheon, own, options) if each != own):
            yield RuleEdge(pantheon.slug, own, name, name in slugs, named, options, None, loc)


def _of_relationship(pantheon: Pantheon, each: RelationshipRule, member: Member | None, loc: Loc) -> Iterator[RuleEdge]:
    if member is not None and member.role == "observer":
        return
    options = merged(pantheon.rules, member.rules if member else None, each.rules)
    if tells := tuple(name for name in TO_NAMED if getattr(each.rules, name)):
        yield RuleEdge(pantheon.slug, each.source, each.target, False, tells, options, each, loc)


def limits(options: Rules) -> dict[str, object]:
    """The options that differ from the defaults and tell nothing by themselves."""
    defaults = DEFAULTS.options
    return {
        name: value for name, value in options.options.items() if name not in TELLING and value != defaults.get(name)
    }
