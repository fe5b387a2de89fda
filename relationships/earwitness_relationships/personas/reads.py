"""The read provider `personas`: her canon, what she lived with the personas of this story, and facts about users."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from contextlib import suppress
from functools import partial
from typing import Any

from earwitness import Container, ReadProviderEvent, ReadRequest, Settings
from earwitness.containers import global_canon_container, persona_container, user_container
from earwitness.errors import InvalidId
from earwitness.filters import And, In, Not, Or, equals

from ..settings import RelationshipsSettings
from .lived import LIVED, RECONCILED


class CanonReads:
    """Asks for what the reader may know beyond this session. The guard decides what of it may be read here."""

    def __init__(self, *, settings: Settings) -> None:
        self._sizes = settings.table(RelationshipsSettings).personas

    async def reads(self, event: ReadProviderEvent) -> list[ReadRequest]:
        """A section for each scope, of the containers that are registered and that the reader may read today."""
        wanted = [*self._wanted(event)]
        names = list(dict.fromkeys(each.container for each in wanted))
        there = {each.name for each in await event.containers.readable(names=names)}
        return [each for each in wanted if each.container in there]

    def _wanted(self, event: ReadProviderEvent) -> Iterator[ReadRequest]:
        sizes, story = self._sizes, (event.session, *event.forked_from, *event.forgotten_as)
        here = Or((In("sessionId", story), In("forkedFrom", story)))
        elsewhere = And((equals("type", LIVED), Not(here)))  # what she lived here is her own; what in a branch, no past
        earlier = Or((equals("type", RECONCILED), elsewhere))
        facts = Not(In("type", (LIVED, RECONCILED)))
        with_her = partial(persona_container, personality=event.personality)
        for name in _names(global_canon_container, [event.personality]):
            heading = sizes.global_canon_heading
            yield from _asked(
                container=name, section="global_canon", number=sizes.global_canon, heading=heading, always=True
            )
        for name in _names(with_her, (each.persona_id for each in event.cast)):
            heading = sizes.personal_canon_heading
            yield from _asked(
                container=name, section="personal_canon", number=sizes.personal_canon, heading=heading, filter=earlier
            )
            yield from _asked(
                container=name, section="facts", number=sizes.facts, heading=sizes.facts_heading, filter=facts
            )
        for name in _names(user_container, (each.user_id for each in event.cast)):
            heading = sizes.general_facts_heading
            yield from _asked(container=name, section="general_facts", number=sizes.general_facts, heading=heading)


def _asked(*, number: int, **given: Any) -> Iterator[ReadRequest]:
    """The request; none for a section that is left out."""
    if number:
        yield ReadRequest(number=number, any_day=True, **given)


def _names(make: Callable[[str], Container], ids: Iterable[str | None]) -> list[str]:
    """The container's name for each id. An id that no container can have is nobody's."""
    made = []
    for id in dict.fromkeys(id for id in ids if id):
        with suppress(InvalidId):
            made.append(make(id).name)
    return made
