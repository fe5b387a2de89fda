"""Who reads what a hub was told: those who were members at that moment, and in the story.

A walk asks who they are, and a guard asks the store for what one of them may read: both by the same bounds.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Iterator, Mapping
from dataclasses import dataclass

from pydantic import JsonValue

from earwitness.filters import And, Compare, Filter, Not, Or, equals, matches
from earwitness.records.memory_types import TOLD_AT, MetaValue

from ..bubble_mark import HubsThen
from ..compiled.adjacency import Adjacency
from ..compiled.hub_members import HubMembers
from ..graph.view import GraphView
from ..pantheons.held import Away, HeldMembership, held_memberships, named_in
from ..rules.records import Pantheon, RuleBook
from .personalities import Personalities
from .records import HubTelling

TOLD = "told"
"""The type of what is read in a hub."""
TOLD_ON = "toldOn"
"""Metadata: the game day on which it was told. It may arrive later."""
ARRIVES = "learnedDay"
"""Metadata: the game day on which it arrives."""
TOLD_MESSAGE, GRAPH = "toldMessage", "graphVersion"
"""Metadata: how many messages the story had by then, and the version of the graph of all stories. Who was made a member
after that does not read it."""

HUB_DAYS = "hubDays"
"""Where the guard of hubs keeps `HubDays`."""
SAID_TIME = "saidTime"
"""Metadata: when the message was said (seconds since 1970, UTC)."""


def when_written(hub: HubTelling) -> dict[str, MetaValue]:
    """The metadata that say when a hub was told. What an earlier version told does not say everything."""
    said = {TOLD_ON: hub.told_on, TOLD_AT: hub.told_at, TOLD_MESSAGE: hub.messages, GRAPH: hub.graph}
    return {name: value for name, value in said.items() if value is not None}


@dataclass(frozen=True)
class HubDays:
    """On which game days of a story something that took days arrived in hubs, by the version of the graph of all
    stories."""

    days: Mapping[int, tuple[float, float]]
    """Version → the first and the last day."""

    @classmethod
    def of(cls, noted: object) -> HubDays:
        """As `noted` says it: a list of versions, each with its first and last day."""
        found = [each for each in noted if isinstance(each, list)] if isinstance(noted, list) else []
        return cls({int(version): (float(first), float(last)) for version, first, last in found})

    def noting(self, version: int, arrived: Collection[float]) -> HubDays:
        """With what arrives now."""
        days = [*arrived, *self.days.get(version, ())]
        return HubDays({**self.days, version: (min(days), max(days))})

    def note(self) -> list[JsonValue]:
        """As `of` reads it."""
        return [[version, *days] for version, days in sorted(self.days.items())]

    def up_to(self, version: int) -> float | None:
        """The last day that came while the graph had at most this version."""
        return max((last for each, (_, last) in self.days.items() if each <= version), default=None)

    def after(self, version: int) -> float | None:
        """The first day that came after that."""
        return min((first for each, (first, _) in self.days.items() if each > version), default=None)


def read_by(held: Iterable[HeldMembership], days: HubDays) -> Filter:
    """What somebody with these memberships may read of what a hub was told: they were a member when it was told, would
    be one on the day of its arrival as it was known then, and were one when it arrived, perhaps by another membership
    each."""
    every = [*held]
    told = [And((equals("type", TOLD), *_bounds(each, TOLD_ON))) for each in every]
    lasting = [And(tuple(_bounds(each, ARRIVES))) for each in every]
    there = [And(tuple(_bounds_of_arrival(each, days))) for each in every]
    return And((Or(tuple(told)), Or(tuple(lasting)), Or(tuple(there))))


def read_since(joined: int) -> Filter:
    """What was told once somebody had joined the story with this entry. Earlier versions did not note when."""
    return Not(Compare(TOLD_AT, "<", joined))


def told_by(hubs: HubsThen) -> Filter:
    """What had been told, and had arrived, when a bubble began. Earlier versions did not note when."""
    return And(
        (
            equals("type", TOLD),
            Compare(TOLD_AT, "<=", hubs.entry),
            Compare(SAID_TIME, "<=", hubs.time),
            Compare("learnedDay", "<=", hubs.day),
        )
    )


def _bounds(held: HeldMembership, day: str) -> Iterator[Filter]:
    """What was told while this membership counted, on its days or for them: `day` is the metadata with the day."""
    if held.since is not None:
        yield Compare(day, ">=", held.since)
    if held.until is not None:
        yield Compare(day, "<=", held.until)
    if held.joined:
        yield Not(_by_then(held.joined))
    if held.left:
        yield _by_then(held.left)
    yield from (Not(_told_while(each, day)) for each in held.away)


def _told_while(away: Away, day: str) -> Filter:
    """What was told while a membership did not count."""
    after = () if away.until is None else (Compare(day, ">", away.until),)
    return And((Not(_by_then(away.left)), *after, _by_then(away.back)))


def _arrived_while(away: Away, days: HubDays) -> Filter:
    """What was told before, and arrived while a membership did not count."""
    left, back = _day(away.left, days.after), _day(away.back, days.up_to)
    if left is None or back is None:
        return Or(())
    last = left if away.until is None else max(left, away.until)
    return And((Compare(ARRIVES, ">", last), Compare(ARRIVES, "<=", back), _by_then(away.back)))


def _bounds_of_arrival(held: HeldMembership, days: HubDays) -> Iterator[Filter]:
    if held.since is not None:
        yield Compare(ARRIVES, ">=", held.since)
    if held.until is not None:
        yield Compare(ARRIVES, "<=", held.until)
    if (joined := _day(held.joined, days.up_to)) is not None:
        yield Or((Not(_by_then(held.joined)), Compare(ARRIVES, ">", joined)))
    if (left := _day(held.left, days.after)) is not None:
        yield Compare(ARRIVES, "<" if "version" in held.left else "<=", left)
    yield from (Not(_arrived_while(each, days)) for each in held.away)


def _day(moment: Mapping[str, object], day_of: Callable[[int], float | None]) -> float | None:
    """The game day of a moment; of one of the graph of all stories, each of which has days of its own, what `day_of`
    says of its version."""
    day, version = moment.get("day"), moment.get("version")
    if isinstance(version, int):
        return day_of(version)
    return day if isinstance(day, int | float) else None


def _by_then(moment: Mapping[str, object]) -> Filter:
    """What was told by a moment, as `RulesNow.moment` says it."""
    version, messages, day = (moment.get(each) for each in ("version", "messages", "day"))
    if isinstance(version, int):
        return Compare(GRAPH, "<=", version)
    if isinstance(messages, int) and isinstance(day, int | float):
        return And((Compare(TOLD_MESSAGE, "<=", messages), Compare(TOLD_ON, "<=", day)))
    return Or(())


@dataclass(frozen=True)
class HubReaders:
    """Who reads in hubs, by the rules and the graph of a story."""

    book: RuleBook
    graph: GraphView
    adjacency: Adjacency
    people: Personalities
    joined: Mapping[str, int]
    """Character id → number of the entry with which they joined the story."""

    def of(self, hub: HubTelling) -> HubMembers:
        """Those who read it there, also if they were removed as members since."""
        others = self._late(hub).union(hub.apart)
        ids = (id for id in self._members_then(hub) if id not in others)
        return self.adjacency.hub_members(hub.slug, ids)

    def _late(self, hub: HubTelling) -> set[str]:
        """Those who joined the story later."""
        if hub.told_at is None:
            return set()
        return {self.people.personality.get(id, id) for id, at in self.joined.items() if at > hub.told_at}

    def _members_then(self, hub: HubTelling) -> Iterator[str]:
        pantheon = self.book.pantheon(hub.slug)
        named = named_in(self.graph, hub.slug)
        of_file = [each for each in (pantheon.members if pantheon else ()) if each.personality_id not in named]
        there = {each.personality_id for each in of_file if each.holds_on(hub.tellings[0].day)}
        for each in of_file:
            if each.holds_on(hub.told_on) and each.personality_id in there:
                yield each.personality_id
        due, at = hub.tellings[0].day, self.graph.version if hub.arrived is None else hub.arrived
        days = HubDays({at: (due, due)} if due > hub.told_on else {})
        metadata = {**when_written(hub), "type": TOLD, ARRIVES: due}
        for id in named:
            if matches(read_by(self._held(pantheon, hub.slug, id), days), metadata):
                yield id

    def _held(self, pantheon: Pantheon | None, slug: str, personality: str) -> list[HeldMembership]:
        return held_memberships(pantheon, self.graph, slug, personality)
