"""World updates and moves as facts of a story's graph, where the rule file says so. Pure.

`item_acquired: OWNS` makes the item the acquirer's, and no longer anybody else's; `moved: LOCATED_IN` says where
everybody is, each at one place.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from math import inf, nextafter

from pydantic import JsonValue

from earwitness import Cast, Movement, State, Update
from earwitness.formats import camel, snake

from ..graph.records import Direction, Fact, Node, NodeKind, Relation
from ..graph.timeline import key
from ..graph.view import GraphView
from .graph_form import is_inner, is_membership
from .records import MOVED, Feed, RuleBook

TARGETS = ("item", "item_name", "location", "place", "target")
"""Metadata of an update that may name the target of the relation, in either spelling."""
KINDS: dict[str, NodeKind] = {"OWNS": "Item", "LOCATED_IN": "Location"}
"""Type of the relation → kind of its target, where that is not a character."""
ONE_SOURCE, ONE_TARGET = ("OWNS",), ("LOCATED_IN",)
"""Relations that a target has to one source at a time, and those that a source has to one target."""


def noted(
    book: RuleBook,
    updates: Iterable[Update],
    cast: Cast,
    graph: GraphView,
    places: Mapping[str, str | None],
    day: float,
    scene: str | None = None,
) -> tuple[JsonValue, ...]:
    """What updates and places say of the graph, as a story notes it: facts as JSON. `scene` is the current one.

    Feeds are the designer's: they change no relation that has rules in a pantheon that a user made, and none of those
    that they say again loses its rules and attributes.
    """
    if not (feeds := book.feeds):
        return ()
    people = {each.id: each.personality_id for each in cast}
    facts = (*fed_facts(feeds, updates, people, graph, day), *placed_facts(feeds, places, people, graph, day, scene))
    allowed = (_as_allowed(each, graph, book) for each in facts)
    return tuple(each.model_dump(mode="json", exclude_defaults=True) for each in allowed if each is not None)


def _as_allowed(fact: Fact, graph: GraphView, book: RuleBook) -> Fact | None:
    """The fact as a feed may say it, with what the relation had; `None` if it changes what a user's pantheon has, or
    who is a member of any."""
    if fact.relation is None:
        return fact
    if is_inner(fact.relation) or is_membership(fact.relation):
        return None
    found = graph.periods(key(fact.relation))
    before = next((each for each in found if each.since == fact.relation.since), None)
    if before is None:
        return fact
    pantheon = book.pantheon(str(before.attributes.get("pantheon")))
    if pantheon is not None and pantheon.owner is not None:
        return None
    if fact.op != "assert":
        return fact
    kept = {"attributes": before.attributes, "weight": before.weight}
    return fact.model_copy(update={"relation": fact.relation.model_copy(update=kept)})


def fed_facts(
    feeds: Mapping[str, Feed],
    updates: Iterable[Update],
    people: Mapping[str, str],
    graph: GraphView,
    day: float,
) -> Iterator[Fact]:
    """The facts that world updates make. `people` are character ids with their personality ids.

    An update that is about no character, or that names no target, makes none.
    """
    for update in updates:
        feed = feeds.get(update.update_type or "") or feeds.get(snake(update.update_type or ""))
        target = feed and _target(feed, update)
        if feed and target and update.character is not None:
            source = people.get(update.character, update.character)
            yield from _facts(feed, source, people.get(target, target), graph, day)


def placed_facts(
    feeds: Mapping[str, Feed],
    places: Mapping[str, str | None],
    people: Mapping[str, str],
    graph: GraphView,
    day: float,
    scene: str | None = None,
) -> Iterator[Fact]:
    """The facts that the places of characters make, for those who are not there by the graph. `None` = not known, but
    not at the current scene any more."""
    feed = feeds.get(MOVED)
    if feed is None:
        return
    for id, place in places.items():
        source = people.get(id, id)
        if place:
            yield from _facts(feed, source, place, graph, day)
        elif scene:
            held = _held(graph, source, feed.relation, day, "out")
            yield from (_over(each, day) for each in held if each.target == scene)


def _target(feed: Feed, update: Update) -> str | None:
    names = TARGETS if feed.target is None else (feed.target,)
    spelled = (key for name in names for key in (name, camel(name), snake(name)))
    found = (update.metadata[key] for key in spelled if key in update.metadata)
    return next((" ".join(each.split()) for each in found if isinstance(each, str) and each.strip()), None)


def _facts(feed: Feed, source: str, target: str, graph: GraphView, day: float) -> Iterator[Fact]:
    now = next((each for each in _held(graph, source, feed.relation, day, "out") if each.target == target), None)
    if feed.ends or now or source == target:
        yield from [_over(now, day)] if feed.ends and now else []
        return
    kind = feed.kind or KINDS.get(feed.relation)
    if kind is not None and graph.node(target) is None:
        yield Fact(node=Node(id=target, kind=kind))
    yield from _no_longer(feed.relation, source, target, graph, day)
    yield Fact(relation=Relation(source=source, target=target, type=feed.relation, since=day))


def _no_longer(type: str, source: str, target: str, graph: GraphView, day: float) -> Iterator[Fact]:
    """What ends with it: the former owner's relation, or that to the former place."""
    if type in ONE_SOURCE:
        yield from (_over(each, day, _before(day, each)) for each in _held(graph, target, type, day, "in"))
    if type in ONE_TARGET:
        yield from (_over(each, day, _before(day, each)) for each in _held(graph, source, type, day, "out"))


def _held(graph: GraphView, node: str, type: str, day: float, direction: Direction) -> list[Relation]:
    """The relations that hold, and do not end today."""
    found = graph.relations_of(node, (type,), day=day, direction=direction)
    return [each for each in found if each.until is None or each.until > day]


def _before(day: float, relation: Relation) -> float:
    """The last day of a relation whose successor begins today: they never hold both."""
    whole = float(day).is_integer() and float(relation.since or 0).is_integer()
    return day - 1 if whole else nextafter(day, -inf)


def _over(relation: Relation, day: float, last: float | None = None) -> Fact:
    """A relation ends today, or its last day is another one. One that began today has never been."""
    if relation.since == day:
        return Fact(op="remove", relation=relation)
    return Fact(op="end", relation=relation.model_copy(update={"until": day if last is None else last}))


def places_of(state: State, movements: Iterable[Movement] = ()) -> dict[str, str | None]:
    """Character id → where this character is after these movements; `None` = the story does not say."""
    scene = state.current_scene
    places = {id: each.place or (scene if each.here else None) for id, each in state.whereabouts.items()}
    for each in movements:
        if each.kind in ("enter", "move", "leave"):
            places[each.character] = scene if each.kind == "enter" else each.place
    return places
