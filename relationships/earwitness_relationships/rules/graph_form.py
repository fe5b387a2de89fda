"""How pantheons that were made or changed at run time are stored in the graph, and read from there.

A pantheon is a node `pantheon-{slug}` that is `PART_OF` the node `#pantheons`. Its members are `PART_OF` it, with role
and rules as attributes. A relationship with rules is a relation with the attributes `pantheon` and `rules`, and its
source `TELLS_IN` the pantheon. So each is a fact of its own, with a history, and a story can take back each by itself.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from pydantic import JsonValue, ValidationError

from earwitness.ids import PREFIXES

from ..graph.records import Fact, Node, Relation
from ..graph.timeline import Periods
from ..graph.view import GraphView
from .records import Member, Pantheon, RelationshipRule, Rules

ROOT = "#pantheons"
PART_OF, TELLS_IN = "PART_OF", "TELLS_IN"
PREFIX = PREFIXES["pantheon"]
FIELDS = ("id", "name", "description", "type", "owner", "confined_to", "created_at", "changed_at")
"""The fields of a pantheon that its node has as attributes; its rules are another one, as JSON."""
REMOVED, ANEW = "removed", "anew"
"""Attributes: of what the rule file says and the graph takes away; of a pantheon that owes the file nothing."""
JOINED = "joined"
"""Attribute of a membership: after what somebody was made a member, as `RulesNow.moment` says it."""


def node_id(slug: str) -> str:
    """Id of the pantheon's node."""
    return f"{PREFIX}{slug}"


def is_membership(relation: Relation) -> bool:
    """Whether a relation says who is a member of a pantheon, or is one no more."""
    return relation.type == PART_OF and relation.target.startswith(PREFIX)


def is_inner(relation: Relation) -> bool:
    """Whether a relation is part of how pantheons are stored in the graph, rather than something that was asserted."""
    return relation.type == TELLS_IN or relation.target == ROOT


# ── facts ───────────────────────────────────────────────────────────────────────────────────────────────────────────


def pantheon_facts(pantheon: Pantheon, *, anew: bool) -> Iterator[Fact]:
    """A pantheon without its members and relationships. `anew`: nothing of the rule file's pantheon counts."""
    said = {name: value for name in FIELDS if (value := getattr(pantheon, name)) is not None}
    attributes = {**said, "rules": rules_json(pantheon.rules), **({ANEW: True} if anew else {})}
    node = Node(id=node_id(pantheon.slug), kind="Pantheon", name=pantheon.name, attributes=attributes)
    yield Fact(node=node)
    yield link(pantheon.slug)


def link(slug: str) -> Fact:
    """The relation by which a pantheon is found."""
    return Fact(relation=Relation(source=node_id(slug), target=ROOT, type=PART_OF))


def member_facts(
    slug: str, member: Member, changed_at: str, joined: Mapping[str, JsonValue] | None = None
) -> Iterator[Fact]:
    """A membership."""
    attributes: dict[str, JsonValue] = {
        "role": member.role,
        "rules": rules_json(member.rules),
        "changed_at": changed_at,
        **({JOINED: dict(joined)} if joined else {}),
    }
    relation = Relation(
        source=member.personality_id,
        target=node_id(slug),
        type=PART_OF,
        since=member.since,
        until=member.until,
        attributes=attributes,
    )
    yield link(slug)
    yield Fact(relation=relation)


def relationship_facts(
    slug: str, each: RelationshipRule, changed_at: str, attributes: Mapping[str, Any] | None = None
) -> Iterator[Fact]:
    """A relationship with rules, and other attributes."""
    rules: dict[str, JsonValue] = {"pantheon": slug, "rules": rules_json(each.rules), "changed_at": changed_at}
    yield link(slug)
    yield Fact(relation=Relation(source=each.source, target=node_id(slug), type=TELLS_IN))
    said = {**(attributes or {}), **rules}
    yield Fact(relation=Relation(**each.model_dump(exclude={"rules"}), attributes=said))


def removed_pantheon(slug: str, graph: GraphView, *, in_file: bool) -> Iterator[Fact]:
    """A pantheon with all its memberships goes; what the rule file says of it counts no more."""
    if graph.node(node_id(slug)) is not None:
        yield Fact(op="remove", node=Node(id=node_id(slug), kind="Pantheon"))
    if in_file:
        yield gone(slug)
        yield link(slug)


def gone(slug: str) -> Fact:
    """The node of a pantheon that was removed."""
    return Fact(node=Node(id=node_id(slug), kind="Pantheon", attributes={REMOVED: True}))


def removed_member(slug: str, personality: str, graph: GraphView, *, in_file: bool) -> Iterator[Fact]:
    """All memberships of somebody in a pantheon go, as if they had never been."""
    for period in graph.periods((personality, node_id(slug), PART_OF)):
        yield Fact(op="remove", relation=period)
    if in_file:
        yield link(slug)
        gone = Relation(source=personality, target=node_id(slug), type=PART_OF, attributes={REMOVED: True})
        yield Fact(relation=gone)


def rules_json(rules: Rules) -> dict[str, Any]:
    """The options that are set, as JSON."""
    return rules.model_dump(mode="json", exclude_none=True)


# ── what the graph says ─────────────────────────────────────────────────────────────────────────────────────────────


def slugs_in(graph: GraphView) -> tuple[str, ...]:
    """The slugs of the pantheons that the graph says anything of."""
    found = graph.relations_of(ROOT, (PART_OF,), direction="in")
    return tuple(each.source.removeprefix(PREFIX) for each in found)


def attributes_of(graph: GraphView, slug: str) -> dict[str, Any]:
    """What the pantheon's node says."""
    node = graph.node(node_id(slug))
    return dict(node.attributes) if node else {}


def memberships_in(graph: GraphView, slug: str) -> dict[str, tuple[Member, ...]]:
    """Personality id → the memberships in the graph; none for a member whom it removes."""
    node = node_id(slug)
    found = {source: graph.periods((source, node, PART_OF)) for source in sorted(graph.sources_of(node))}
    return {who: tuple(_members(periods)) for who, periods in found.items() if periods}


def joined_after(graph: GraphView, slug: str, member: Member) -> dict[str, JsonValue] | None:
    """After what a member was made one, if the graph says so."""
    periods = graph.periods((member.personality_id, node_id(slug), PART_OF))
    found = next((each.attributes.get(JOINED) for each in periods if each.since == member.since), None)
    return found if isinstance(found, dict) else None


def relationships_in(graph: GraphView, slug: str) -> Iterator[RelationshipRule]:
    """The relationships with rules of this pantheon that the graph says."""
    for teller in graph.relations_of(node_id(slug), (TELLS_IN,), direction="in"):
        for periods in graph.outgoing(teller.source).values():
            yield from _relationships(periods, slug)


def changes_in(graph: GraphView, slug: str) -> Iterator[str]:
    """When memberships of a pantheon were changed."""
    node = node_id(slug)
    for source in graph.sources_of(node):
        for period in graph.periods((source, node, PART_OF)):
            if isinstance(at := period.attributes.get("changed_at"), str):
                yield at


def _members(periods: Periods) -> Iterator[Member]:
    for each in periods:
        if not each.attributes.get(REMOVED):
            values = {name: each.attributes[name] for name in ("role", "rules") if name in each.attributes}
            yield from usable(Member, personality_id=each.source, since=each.since, until=each.until, **values)


def _relationships(periods: Periods, slug: str) -> Iterator[RelationshipRule]:
    for each in periods:
        if each.attributes.get("pantheon") == slug:
            days = {"since": each.since, "until": each.until, "weight": each.weight}
            ends = {"source": each.source, "target": each.target, "type": each.type}
            yield from usable(RelationshipRule, rules=each.attributes.get("rules", {}), **ends, **days)


def usable(record: type[Any], **values: Any) -> Iterator[Any]:
    """The record; nothing for what another program wrote into the graph and no rule can be."""
    try:
        yield record.model_validate(values)
    except ValidationError:
        return
