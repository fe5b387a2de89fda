"""Hubs are read by the members of a pantheon, each for the days of their membership: a read provider and a guard."""

from __future__ import annotations

from collections.abc import Iterator

from earwitness import PlanEvent, ReadEvent, ReadProviderEvent, ReadRequest, Settings, Strike
from earwitness.containers import pantheon_container
from earwitness.filters import EVERYTHING, NOTHING, And, Compare, Filter, In, Not, Or, equals
from earwitness.loading.resources import Resources
from earwitness.loading.strategies import Strategies
from earwitness.protocols import Soon

from ..bubble_mark import mark_of
from ..model import PACKAGE, RelationshipsModel, StoryPicture
from ..pantheons.held import held_memberships, pantheons_left
from ..rules.graph_form import PREFIX
from ..rules.records import Pantheon
from .arrivals import arriving, struck_on_arrival
from .hub_readers import HUB_DAYS, TOLD, HubDays, read_by, read_since, told_by
from .hubs import KNOWN_TO

PANTHEON = "pantheon"
"""The kind of container."""
SECTION = "pantheon"
HEADING = "What your circle knows"


NOT_TOLD = Not(Compare("type", "==", TOLD))
"""What somebody wrote into a pantheon's container by hand."""


class HubReads:
    """Asks for what was told to all members of the reader's pantheons in this story while the reader was one."""

    def __init__(self, *, settings: Settings, resources: Resources, strategies: Strategies, path: str) -> None:
        self._model = RelationshipsModel.shared(settings, resources, strategies, path)
        self._without_hub: set[tuple[str, str]] = set()
        """Sessions, and containers of pantheons without `hub_from` that did not exist when they were looked for there.
        Only an import brings such a container, and with it a session of its own."""

    async def open(self) -> None:
        """Open the graph."""
        await self._model.open()

    async def close(self) -> None:
        """Close the graph."""
        await self._model.close()

    async def reads(self, event: ReadProviderEvent) -> list[ReadRequest]:
        """A request for each hub that exists."""
        picture = await _picture(self._model, event)
        wanted = {pantheon_container(slug).name: None for slug in self._wanted(picture, event)}
        if not wanted:
            return []
        there = [each.name for each in await event.containers.readable(names=list(wanted))]
        may_get_one = {pantheon_container(each.slug).name for each in picture.book.pantheons if each.has_hub}
        self._without_hub |= {(event.session, name) for name in {*wanted}.difference(there, may_get_one)}
        return [_request(each, event) for each in there]

    def _wanted(self, picture: StoryPicture, event: ReadProviderEvent) -> Iterator[str]:
        """Slugs of the pantheons in whose hubs somebody may have something to read."""
        for pantheon in picture.book.pantheons:
            looked_for = (event.session, pantheon_container(pantheon.slug).name) in self._without_hub
            if (pantheon.has_hub or not looked_for) and _is_in(pantheon, event.personality):
                yield pantheon.slug
        yield from pantheons_left(picture.graph, event.personality)


class HubGuard:
    """Of a pantheon's container a member may read what was told while they were one, and others nothing.

    What takes days arrives only if it is told on that day, too."""

    def __init__(self, *, settings: Settings, resources: Resources, strategies: Strategies, path: str) -> None:
        self._model = RelationshipsModel.shared(settings, resources, strategies, path)

    async def open(self) -> None:
        """Open the graph."""
        await self._model.open()

    async def close(self) -> None:
        """Close the graph."""
        await self._model.close()

    async def filter(self, event: ReadEvent) -> Filter:
        """Hides what was told while the reader was not a member, or in a pantheon that no longer exists."""
        if event.kind != PANTHEON:
            return EVERYTHING
        mark = mark_of(event.state)
        hubs = mark.hubs if mark else None
        if hubs and event.character not in hubs.joined:
            return NOTHING
        picture = await _picture(self._model, event)
        slug = event.container.removeprefix(PREFIX)
        pantheon = picture.book.pantheon(slug)
        held = held_memberships(pantheon, picture.graph, slug, event.personality)
        readable = read_by(held, HubDays.of(event.data.get(HUB_DAYS)))
        joined = hubs.joined[event.character] if hubs else event.joined
        readable = And((readable, read_since(joined))) if joined else readable
        if mark and hubs:
            return And((readable, told_by(hubs), equals("sessionId", mark.story_of(event.session))))
        return Or((readable, NOT_TOLD)) if pantheon is None or _is_in(pantheon, event.personality) else readable

    def strike(self, event: PlanEvent) -> Soon[tuple[Strike, ...]]:
        """What arrives after days, if it is no longer told on that day. Nothing waits where nothing arrives."""
        found = arriving(event)
        return struck_on_arrival(self._model, event, found) if found else ()


async def _picture(model: RelationshipsModel, event: ReadEvent | ReadProviderEvent) -> StoryPicture:
    """The rules and the graph: in a bubble that reads its story's hubs, as they were when it began."""
    mark = mark_of(event.state)
    if mark is None or mark.hubs is None:
        return await model.picture(event.session, event.state)
    began_with = event.state.facts_of(PACKAGE)[: mark.hubs.facts]
    return await model.picture_with(f"{event.session} at its beginning", began_with)


def _request(name: str, event: ReadProviderEvent) -> ReadRequest:
    mark = mark_of(event.state)
    session = mark.story_of(event.session) if mark and mark.hubs else event.session
    here = And((equals("sessionId", session), Not(In(KNOWN_TO, (event.personality,)))))
    return ReadRequest(
        container=name, section=SECTION, heading=HEADING, number=event.memories, filter=here, unless_own=True
    )


def _is_in(pantheon: Pantheon, personality: str) -> bool:
    return any(each.personality_id == personality for each in pantheon.members)
