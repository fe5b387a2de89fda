"""Who was a member of a pantheon when: also those who were removed since, who keep what they have read in its hub."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from itertools import groupby
from math import inf
from typing import Any, NamedTuple

from pydantic import JsonValue

from earwitness import Record
from earwitness.records.state import WHEN_RETRACTED, Day

from ..graph.records import Fact, Relation
from ..graph.view import GraphView
from ..rules.graph_form import PART_OF, PREFIX, joined_after, node_id, usable
from ..rules.records import Lasting, Member, Pantheon

WAS_PART_OF = "WAS_PART_OF"
"""Type of the relation with which the graph keeps the memberships that were taken from somebody."""
MEMBERSHIPS = "memberships"
"""Its attribute: the memberships."""
AWAY = f"{WAS_PART_OF}:away:"
"""Beginning of the type of a relation that says when somebody was not a member, or only then, because of a change that
was retracted later: nobody is told later what they were not told then, and what they were told stays theirs."""
SINCE_LEFT = "away"
"""Its attribute: `Away`. With `MEMBERSHIPS` instead, the memberships that were retracted."""


class Away(Record):
    """Some days on which a membership did not count, though it counts before and after."""

    left: dict[str, JsonValue] = {}
    """After what it did not count, as `RulesNow.moment` says it."""
    until: Day | None = None
    """Its last day until it was counted again; `None` = it did not count at all."""
    back: dict[str, JsonValue] = {}
    """Up to what it did not count."""


class HeldMembership(Lasting):
    """The days of a membership, and between which moments it counted."""

    joined: dict[str, JsonValue] = {}
    """After what somebody was made a member, as `RulesNow.moment` says it; empty = from the beginning."""
    left: dict[str, JsonValue] = {}
    """Up to what they were one; empty = they still are."""
    away: tuple[Away, ...] = ()
    """When it did not count meanwhile."""


def held_memberships(pantheon: Pantheon | None, graph: GraphView, slug: str, personality: str) -> list[HeldMembership]:
    """Every membership of somebody: those that count, and those that were taken from them."""
    members = () if pantheon is None else pantheon.members
    own = [each for each in members if each.personality_id == personality]
    return [*(_held(each, slug, graph) for each in own), *taken(graph, slug, personality)]


def taken(graph: GraphView, slug: str, personality: str) -> list[HeldMembership]:
    """The memberships that were taken from somebody."""
    kept = [each for found in _was(graph, slug, personality) for each in _listed(found.get(MEMBERSHIPS))]
    return [held for each in kept for held in usable(HeldMembership, **each)]


def aways(graph: GraphView, slug: str, personality: str) -> tuple[Away, ...]:
    """When somebody's memberships did not count meanwhile."""
    found = [each.get(SINCE_LEFT) for each in _was(graph, slug, personality)]
    return tuple(away for each in found if isinstance(each, dict) for away in usable(Away, **each))


def _was(graph: GraphView, slug: str, personality: str) -> Iterator[dict[str, Any]]:
    """What the graph says of somebody's past in a pantheon."""
    for target, type in graph.outgoing(personality):
        if target == node_id(slug) and (type == WAS_PART_OF or type.startswith(AWAY)):
            yield from (each.attributes for each in graph.periods((personality, target, type)))


def pantheons_left(graph: GraphView, personality: str) -> Iterator[str]:
    """Slugs of the pantheons in which somebody had a membership that was taken from them."""
    targets = (target for target, type in graph.outgoing(personality) if type.startswith(WAS_PART_OF))
    return (each.removeprefix(PREFIX) for each in targets if each.startswith(PREFIX))


def named_in(graph: GraphView, slug: str) -> set[str]:
    """Everybody whose membership in a pantheon the graph says something about."""
    node = node_id(slug)
    return {
        id
        for id in graph.sources_of(node)
        if graph.periods((id, node, PART_OF)) or any(True for _ in _was(graph, slug, id))
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
        yield from still_kept(graph, slug, personality)


def still_kept(graph: GraphView, slug: str, personality: str) -> Iterator[Fact]:
    """What is kept of somebody's memberships that were taken before, to be said again: who returns keeps it, too, if
    the change that took them is retracted."""
    if held := taken(graph, slug, personality):
        yield _fact(slug, personality, held)


def _held(member: Member, slug: str, graph: GraphView) -> HeldMembership:
    joined = joined_after(graph, slug, member) or {}
    away = tuple(each for each in aways(graph, slug, member.personality_id) if not _is_later(joined, each.left))
    return HeldMembership(since=member.since, until=member.until, joined=joined, away=away)


def _is_later(joined: Mapping[str, JsonValue], left: Mapping[str, JsonValue]) -> bool:
    """Whether somebody was made a member after that: of a story and of the graph of all stories nobody knows."""
    if joined.keys() != left.keys():
        return False
    one, other = ([at for _, at in sorted(each.items(), reverse=True)] for each in (joined, left))
    return [*map(_number, one)] > [*map(_number, other)]


def _number(value: JsonValue) -> float:
    return value if isinstance(value, int | float) else -inf


class ChangedDays(NamedTuple):
    """What the graph keeps beside a membership whose last day is changed."""

    kept: tuple[Fact, ...]
    """The membership as it was until now; the changed one counts for what is told after that."""
    if_retracted: tuple[Fact, ...]
    """What holds instead if the change is retracted."""


def changed_days(
    pantheon: Pantheon, graph: GraphView, before: Member, member: Member, moment: dict[str, JsonValue]
) -> ChangedDays | None:
    """What is kept where a membership gets another last day, so that its hub answers as copies do; `None` = nothing."""
    if not pantheon.has_hub or before.until == member.until:
        return None
    kept = tuple(kept_facts(pantheon, graph, [before], moment))
    if _last(member) > _last(before):
        return ChangedDays(kept, (never_fact(pantheon.slug, member, moment),))
    return ChangedDays(kept, tuple(away_facts(pantheon, member.personality_id, moment, member.until)))


def _last(member: Member) -> float:
    return inf if member.until is None else member.until


def away_facts(
    pantheon: Pantheon, personality: str, moment: dict[str, JsonValue], until: float | None = None
) -> Iterator[Fact]:
    """What holds of somebody whose membership ends or is taken now, if that is retracted."""
    if pantheon.has_hub:
        away: dict[str, JsonValue] = {"left": dict(moment), "until": until, "back": WHEN_RETRACTED}
        yield _past(pantheon.slug, personality, moment, {SINCE_LEFT: away})


def never_fact(slug: str, member: Member, moment: dict[str, JsonValue]) -> Fact:
    """What holds of somebody who becomes a member now, if that is retracted."""
    days: dict[str, JsonValue] = {"since": member.since, "until": member.until}
    held: dict[str, JsonValue] = {**days, "joined": dict(moment), "left": WHEN_RETRACTED}
    return _past(slug, member.personality_id, moment, {MEMBERSHIPS: [held]})


def _past(slug: str, personality: str, moment: dict[str, JsonValue], attributes: dict[str, JsonValue]) -> Fact:
    type = AWAY + "-".join(str(each) for each in (*moment.values(), *_days_in(attributes)))
    return Fact(relation=Relation(source=personality, target=node_id(slug), type=type, attributes=attributes))


def _days_in(attributes: Mapping[str, Any]) -> Iterator[object]:
    """What tells two changes of one moment apart."""
    for each in (attributes.get(SINCE_LEFT), *_listed(attributes.get(MEMBERSHIPS))):
        if isinstance(each, dict):
            yield from (each[name] for name in ("since", "until") if name in each)


def _fact(slug: str, personality: str, held: Iterable[HeldMembership]) -> Fact:
    said = (each.model_dump(mode="json", exclude_defaults=True) for each in held)
    kept = [each for each, _ in groupby(sorted(said, key=str))]
    return Fact(
        relation=Relation(source=personality, target=node_id(slug), type=WAS_PART_OF, attributes={MEMBERSHIPS: [*kept]})
    )


def _listed(given: Any) -> list[dict[str, Any]]:
    return [each for each in given if isinstance(each, dict)] if isinstance(given, list) else []
