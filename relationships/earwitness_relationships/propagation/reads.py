"""Hubs are read by the members of a pantheon, each for the days of their membership: a read provider and a guard."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from earwitness import PlanEvent, ReadEvent, ReadProviderEvent, ReadRequest, Settings, Strike
from earwitness.containers import pantheon_container
from earwitness.filters import EVERYTHING, NOTHING, And, Compare, Filter, In, Not, Or, equals
from earwitness.loading.resources import Resources
from earwitness.loading.strategies import Strategies

from ..graph.view import GraphView
from ..model import RelationshipsModel
from ..pantheons.graph_form import joined_after
from ..rules.records import Member, Pantheon
from .hubs import GRAPH, KNOWN_TO, TOLD, TOLD_AT, TOLD_MESSAGE, TOLD_ON

PANTHEON = "pantheon"
"""The kind of container."""
SECTION = "pantheon"
HEADING = "What your circle knows"
NUMBER = 8


NOT_TOLD = Not(Compare("type", "==", TOLD))
"""What somebody wrote into a pantheon's container by hand."""


class HubReads:
    """Asks for what was told to all members of the reader's pantheons in this story while the reader was one."""

    def __init__(self, *, settings: Settings, resources: Resources, strategies: Strategies, path: str) -> None:
        self._model = RelationshipsModel.shared(settings, resources, strategies, path)

    async def open(self) -> None:
        """Open the graph."""
        await self._model.open()

    async def close(self) -> None:
        """Close the graph."""
        await self._model.close()

    async def reads(self, event: ReadProviderEvent) -> list[ReadRequest]:
        """A request for each hub that exists."""
        picture = await self._model.picture(event.session, event.state)
        wanted = {each.container: each for each in _wanted(picture.book.pantheons, event)}
        if not wanted:
            return []
        there = await event.containers.readable(names=list(wanted))
        return [wanted[each.name] for each in there]


class HubGuard:
    """Of a pantheon's container a member may read what was told while they were one, and others nothing."""

    def __init__(self, *, settings: Settings, resources: Resources, strategies: Strategies, path: str) -> None:
        self._model = RelationshipsModel.shared(settings, resources, strategies, path)

    async def open(self) -> None:
        """Open the graph."""
        await self._model.open()

    async def close(self) -> None:
        """Close the graph."""
        await self._model.close()

    async def filter(self, event: ReadEvent) -> Filter:
        """Hides what was told while the reader was no member, or in a pantheon that no longer exists."""
        if event.kind != PANTHEON:
            return EVERYTHING
        picture = await self._model.picture(event.session, event.state)
        for pantheon in picture.book.pantheons:
            if pantheon_container(pantheon.slug).name == event.container:
                held = [each for each in pantheon.members if each.personality_id == event.personality]
                days = Or(tuple(_read_by(each, pantheon.slug, picture.graph) for each in held)) if held else NOTHING
                return And((days, _not_before(event.joined))) if event.joined else days
        return NOT_TOLD

    def strike(self, event: PlanEvent) -> tuple[Strike, ...]:
        """Nothing: what is written is the sharing rule's concern."""
        return ()


def _wanted(pantheons: Iterable[Pantheon], event: ReadProviderEvent) -> Iterator[ReadRequest]:
    here = And((equals("sessionId", event.session), Not(In(KNOWN_TO, (event.personality,)))))
    for pantheon in pantheons:
        if has_hub(pantheon) and any(each.personality_id == event.personality for each in pantheon.members):
            name = pantheon_container(pantheon.slug).name
            yield ReadRequest(
                container=name, section=SECTION, heading=HEADING, number=NUMBER, filter=here, unless_own=True
            )


def has_hub(pantheon: Pantheon) -> bool:
    """Whether what all members learn is kept in a hub, or was while there were more of them."""
    levels = (pantheon.rules, *(each.rules for each in pantheon.members))
    return any(each.hub_from is not None for each in levels)


def _not_before(joined: int) -> Filter:
    """What was told once somebody had joined the story with this entry. Earlier versions did not note when."""
    return Or((Not(Compare(TOLD_AT, "<", joined)), NOT_TOLD))


def _read_by(member: Member, slug: str, graph: GraphView) -> Filter:
    """What was told on the days of a membership, after somebody was made a member."""
    joined = joined_after(graph, slug, member) or {}
    bounds = [_days(member)]
    if isinstance(version := joined.get("version"), int):
        bounds.append(Or((Not(Compare(GRAPH, "<=", version)), NOT_TOLD)))
    messages, day = joined.get("messages"), joined.get("day")
    if isinstance(messages, int) and isinstance(day, int | float):
        bounds.append(Or((Not(Compare(TOLD_MESSAGE, "<=", messages)), Compare(TOLD_ON, ">", day), NOT_TOLD)))
    return And(tuple(bounds))


def _days(member: Member) -> Filter:
    """What was told while somebody was a member."""
    bounds = [] if member.since is None else [Compare(TOLD_ON, ">=", member.since)]
    bounds += [] if member.until is None else [Compare(TOLD_ON, "<=", member.until)]
    return Or((And(tuple(bounds)), NOT_TOLD))
