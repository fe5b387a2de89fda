"""Who was a member of a pantheon when: also those who were removed since, who keep what they have read in its hub."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any

from pydantic import JsonValue

from ..graph.records import Fact, Relation
from ..graph.view import GraphView
from ..rules.graph_form import PART_OF, PREFIX, joined_after, node_id, usable
from ..rules.records import Lasting, Member, Pantheon

WAS_PART_OF = "WAS_PART_OF"
"""Type of the relation with which the graph keeps the memberships that were taken from somebody."""
MEMBERSHIPS = "memberships"
"""Its attribute: the memberships."""


class HeldMembership(Lasting):
    """The days of a membership, and between which moments it counted."""

    joined: dict[str, JsonValue] = {}
    """After what somebody was made a member, as `RulesNow.moment` says it; empty = from the beginning."""
    left: dict[str, JsonValue] = {}
    """Up to what they were one; empty = they still are."""


def held_memberships(pantheon: Pantheon | None, graph: GraphView, slug: str, personality: str) -> list[HeldMembership]:
    """Every membership of somebody: those that count, and those that were taken from them."""
    members = () if pantheon is None else pantheon.members
    own = [each for each in members if each.personality_id == personality]
    return [*(_held(each, slug, graph) for each in own), *taken(graph, slug, personality)]


def taken(graph: GraphView, slug: str, personality: str) -> list[HeldMembership]:
    """The memberships that were taken from somebody."""
    found = graph.periods((personality, node_id(slug), WAS_PART_OF))
    kept = [each for period in found for each in _listed(period.attributes.get(MEMBERSHIPS))]
    return [held for each in kept for held in usable(HeldMembership, **each)]


def pantheons_left(graph: GraphView, personality: str) -> Iterator[str]:
    """Slugs of the pantheons in which somebody had a membership that was taken from them."""
    targets = (target for target, type in graph.outgoing(personality) if type == WAS_PART_OF)
    return (each.removeprefix(PREFIX) for each in targets if each.startswith(PREFIX))


def named_in(graph: GraphView, slug: str) -> set[str]:
    """Everybody whose membership in a pantheon the graph says something about."""
    node = node_id(slug)
    return {
        id for id in graph.sources_of(node) if any(graph.periods((id, node, type)) for type in (PART_OF, WAS_PART_OF))
    }


def kept_facts(
    pantheon: Pantheon, graph: GraphView, members: Iterable[Member], moment: dict[str, JsonValue]
) -> Iterator[Fact]:
    """What is kept of memberships that are taken now, if the pantheon has a hub."""
    if not pantheon.has_hub:
        return
    lost: dict[str, list[HeldMembership]] = {}
    for each in members:
        held = _held(each, pantheon.slug, graph).model_copy(update={"left": moment})
        lost.setdefault(each.personality_id, []).append(held)
    for personality, now in lost.items():
        yield _fact(pantheon.slug, personality, [*taken(graph, pantheon.slug, personality), *now])


def all_kept(graph: GraphView, slug: str, but: Iterable[str] = ()) -> Iterator[Fact]:
    """What is kept of everybody's memberships that were taken before, to be said again."""
    for personality in sorted(graph.sources_of(node_id(slug)) - {*but}):
        if held := taken(graph, slug, personality):
            yield _fact(slug, personality, held)


def _held(member: Member, slug: str, graph: GraphView) -> HeldMembership:
    joined = joined_after(graph, slug, member) or {}
    return HeldMembership(since=member.since, until=member.until, joined=joined)


def _fact(slug: str, personality: str, held: Iterable[HeldMembership]) -> Fact:
    kept = [each.model_dump(mode="json", exclude_defaults=True) for each in held]
    return Fact(
        relation=Relation(source=personality, target=node_id(slug), type=WAS_PART_OF, attributes={MEMBERSHIPS: [*kept]})
    )


def _listed(given: Any) -> list[dict[str, Any]]:
    return [each for each in given if isinstance(each, dict)] if isinstance(given, list) else []
