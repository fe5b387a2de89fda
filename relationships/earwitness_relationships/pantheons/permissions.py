"""Who may create and change pantheons, their rules, and relations: by role, and by pantheon.

An `owner` may do everything. An `author` or `designer` may do all but change a pantheon that somebody else made. A
`player` may make a `friend_group`, and change and remove the one that they made; in a story they must play in it, and
include characters of it and their own personas. What their group tells, it tells among its members, and nothing that
concerns another user's persona (`Pantheon.confined_to`). Pure functions.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator

from earwitness import Cast, Record
from earwitness.backstage.roles import PERMISSIONS
from earwitness.errors import InputError, NotPermitted, unknown

from ..graph import timeline
from ..graph.records import Relation
from ..graph.view import GraphView
from ..rules.graph_form import node_id
from ..rules.records import Pantheon, RelationshipRule, RuleBook, Rules

FRIENDS = "friend_group"
OWNER = "owner"


class Actor(Record):
    """Who asks for a change."""

    role: str = "owner"
    """A backstage role: `owner`, `author`, `designer` or `player`."""
    user: str | None = None
    """Id of the user; a player must have one."""

    @property
    def edits(self) -> bool:
        """Whether the role edits what nobody made."""
        return "edit" in PERMISSIONS[self.role]


def actor(role: str, user: str | None) -> Actor:
    """An actor. Raises `UnknownName` for an unknown role, and `InputError` for a player without a user."""
    if role not in PERMISSIONS:
        raise unknown("role", role, PERMISSIONS)
    if user is None and "edit" not in PERMISSIONS[role]:
        raise InputError(f"role {role!r} needs the user who acts: give user='…'.")
    return Actor(role=role, user=user)


def may_create(who: Actor, type: str) -> None:
    """Raise `NotPermitted` unless the actor may make a pantheon of this type."""
    if not who.edits and type != FRIENDS:
        raise NotPermitted(f"role {who.role!r} may not make a {type!r}. A user may make a {FRIENDS!r} of their own.")


def may_change(who: Actor, pantheon: Pantheon) -> None:
    """Raise `NotPermitted` unless the actor may change this pantheon.

    The owner may, and who made it: a player only if it is a group of friends. What nobody made, such as a pantheon of
    the rule file, authors and designers may change, too.
    """
    own = pantheon.owner is not None and pantheon.owner == who.user
    nobodys = who.edits and pantheon.owner is None
    if who.role == OWNER or nobodys or (own and (who.edits or pantheon.type == FRIENDS)):
        return
    made = "the roles author and designer" if pantheon.owner is None else f"user {pantheon.owner!r}, who made it"
    raise NotPermitted(f"role {who.role!r} may not change {pantheon.slug!r}. The role owner may, and {made}.")


def may_play(who: Actor, cast: Cast | None) -> None:
    """Raise `NotPermitted` if a player changes something in a story in which they play nobody."""
    if who.edits or cast is None or any(each.user_id == who.user for each in cast):
        return
    raise NotPermitted(f"user {who.user!r} plays nobody in this story, and may change no pantheons in it.")


def may_name(who: Actor, slug: str, book: RuleBook, cast: Cast | None) -> None:
    """Raise `NotPermitted` if a player gives a pantheon the name of a character, or one that rules share with: in
    `share_with` a slug stands for all its members."""
    people = {each.personality_id for each in cast or ()}
    people.update(member.personality_id for each in book.pantheons for member in each.members)
    named = {id for _, rules in _every_rules(book) for id in rules.share_with or ()}
    if not who.edits and slug in people | named:
        raise NotPermitted(
            f"role {who.role!r} may not name a pantheon {slug!r}: that is somebody's name. Choose another."
        )


def may_reuse(who: Actor, slug: str, graph: GraphView, *, has_hub: bool) -> None:
    """Raise `NotPermitted` if a player gives a pantheon the name of one that is gone: its hub may be left, with what
    was written there by hand. `has_hub` says whether a container of this name exists, as of a former rule file."""
    node = node_id(slug)
    if not who.edits and (has_hub or graph.node(node) is not None or graph.sources_of(node)):
        raise NotPermitted(
            f"role {who.role!r} may not name a pantheon {slug!r}: one that is gone had that name. Choose another."
        )


def may_include(who: Actor, personality: str, cast: Cast | None) -> None:
    """Raise `NotPermitted` unless the actor may make somebody a member.

    In a story, a player who plays in it includes its characters and their own personas. Of all stories (no cast), it is
    not known whose persona somebody is.
    """
    may_play(who, cast)
    if who.edits or cast is None:
        return
    found = [each for each in cast if each.personality_id == personality]
    if not found:
        raise NotPermitted(f"role {who.role!r} may not include {personality!r}, who is not in this story.")
    if any(each.kind == "persona" and each.user_id != who.user for each in found):
        raise NotPermitted(f"role {who.role!r} may not include {personality!r}, a persona of another user.")


def may_tell(who: Actor, rules: Iterable[Rules], slug: str, members: Collection[str]) -> None:
    """Raise `NotPermitted` unless these rules of a pantheon tell its members only; whoever edits may tell anybody."""
    for each in () if who.edits else rules:
        if strangers := [id for id in each.share_with or () if id not in {*members, slug}]:
            raise NotPermitted(f"role {who.role!r} may not share with {strangers[0]!r}, {_no_member(slug, members)}")
        if set(each.options) & {"relation_types", "min_weight"}:
            why = "they may lead to anybody: name members in share_with"
            raise NotPermitted(f"role {who.role!r} may not share along relations of the graph, since {why}.")


def may_relate_in(who: Actor, pantheon: Pantheon, ends: Iterable[str], cast: Cast | None) -> None:
    """Raise `NotPermitted` unless the actor may make a relationship with rules in this pantheon: a player between
    members whom they may include."""
    may_change(who, pantheon)
    may_play(who, cast)
    members = {each.personality_id for each in pantheon.members}
    for end in () if who.edits else ends:
        may_include(who, end, cast)
        if end not in members:
            no_member = _no_member(pantheon.slug, members)
            raise NotPermitted(f"role {who.role!r} may not give rules to a relationship of {end!r}, {no_member}")


def may_relate_as(who: Actor, type: str, slug: str, book: RuleBook) -> None:
    """Raise `NotPermitted` if a player makes a relation along which the rules of another pantheon tell."""
    for other, rules in () if who.edits else _every_rules(book):
        types = rules.relation_types
        if other != slug and (rules.min_weight is not None if types is None else type in types):
            raise NotPermitted(
                f"role {who.role!r} may not relate anybody as {type!r}: rules of {other!r} tell along such relations. "
                "Choose another type."
            )


def _every_rules(book: RuleBook) -> Iterator[tuple[str, Rules]]:
    """The rules of every level, each with the slug of its pantheon."""
    for each in book.pantheons:
        yield each.slug, each.rules
        yield from ((each.slug, member.rules) for member in each.members)
        yield from ((each.slug, relationship.rules) for relationship in each.relationships)


def _no_member(slug: str, members: Collection[str]) -> str:
    return f"who is not a member of {slug!r}. Members: {', '.join(sorted(members)) or 'none'}."


def may_relate(who: Actor) -> None:
    """Raise `NotPermitted` unless the actor may change the graph."""
    if not who.edits:
        raise NotPermitted(f"role {who.role!r} may not change relations. The roles owner, author and designer may.")


def may_end(who: Actor, periods: timeline.Periods, last: float, cast: Cast | None) -> None:
    """Raise `NotPermitted` if a player ends a relation without rules. Whose rules end is for `may_change`."""
    held = timeline.holding(periods, last)
    if held is not None and held.attributes.get("pantheon") is None:
        may_relate(who)
    may_play(who, cast)


def may_say(who: Actor, said: Relation, graph: GraphView, book: RuleBook) -> None:
    """Raise unless the actor may say this relation beside what is said of the same two and type.

    `NotPermitted` if it shares a day with one that is not of the player's own pantheon, or has or replaces rules
    in a pantheon that the actor may not change; `InputError` if it would take the rules of another pantheon away.
    """
    slug, periods = said.attributes.get("pantheon"), graph.periods(timeline.key(said))
    if (own := book.pantheon(str(slug))) is not None:
        may_change(who, own)
    if not who.edits:
        _refuse_anothers(who, said, slug, periods, book)
    for each in periods:
        other = each.attributes.get("pantheon")
        if other != slug and each.since == said.since and (pantheon := book.pantheon(str(other))) is not None:
            may_change(who, pantheon)
            raise InputError(_would_move(said, slug, pantheon.slug))


def _refuse_anothers(who: Actor, said: Relation, slug: object, periods: Iterable[Relation], book: RuleBook) -> None:
    found: list[tuple[object, Relation | RelationshipRule]] = [
        (each.attributes.get("pantheon"), each) for each in periods
    ]
    for pantheon in book.pantheons:
        same = (each for each in pantheon.relationships if (each.source, each.target, each.type) == timeline.key(said))
        found += ((pantheon.slug, each) for each in same)
    for other, each in found:
        if other != slug and _overlap(each, said):
            raise NotPermitted(
                f"role {who.role!r} may not change {_named(said)}, {_held(other)} already. Choose another type."
            )


def _overlap(one: Relation | RelationshipRule, other: Relation | RelationshipRule) -> bool:
    pairs = ((one, other), (other, one))
    return all(a.until is None or b.since is None or b.since <= a.until for a, b in pairs)


def _named(said: Relation) -> str:
    return f"the relation {said.type!r} of {said.source!r} to {said.target!r}"


def _held(pantheon: object) -> str:
    return "which was said without rules" if pantheon is None else f"which has rules in {pantheon!r}"


def _would_move(said: Relation, slug: object, other: str) -> str:
    begins = "without a beginning" if said.since is None else f"since day {said.since:g}"
    new = "said without rules it would lose them" if slug is None else f"in {slug!r} it would lose them"
    then = (
        f"Give pantheon={other!r} and rules to change it, or choose another type, or end it and give another since=…."
    )
    return f"{_named(said)}, {begins}, has rules in {other!r}: {new}. {then}"
