"""Reads every shared container that concerns the character and the cast, as far as she is a member."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from contextlib import suppress
from functools import partial

from earwitness.containers import Container, global_canon_container, persona_container, user_container
from earwitness.errors import InvalidId
from earwitness.events import ReadProviderEvent, ReadRequest

KINDS = ("global_canon", "pantheon", "persona", "user")
HEADINGS = {
    "global_canon": "Who you are",
    "pantheon": "What your circle knows",
    "persona": "From earlier stories with them",
    "user": "About the user",
}
STORIES_OF_THEIR_OWN = frozenset({"global_canon", "persona", "user"})
"""Kinds whose memories come from stories that count their days each for itself."""


class Memberships:
    """A section for each kind: her canon, her pantheons, what she lived with the personas in the cast, and facts about
    their users. Of any other kind, every container that she is a member of.

    `kinds` are those to read, in this order; `number` is how many memories each section holds at most.
    """

    def __init__(self, *, kinds: Sequence[str] = KINDS, number: int = 4) -> None:
        self._kinds = tuple(kinds)
        self._number = number

    async def reads(self, event: ReadProviderEvent) -> list[ReadRequest]:
        """Ask for those that may be read today."""
        return [self._request(each) for kind in self._kinds for each in await _readable(event, kind)]

    def _request(self, container: Container) -> ReadRequest:
        kind = container.kind
        return ReadRequest(
            container=container.name,
            section=kind,
            number=self._number,
            heading=HEADINGS.get(kind),
            any_day=kind in STORIES_OF_THEIR_OWN,
        )


async def _readable(event: ReadProviderEvent, kind: str) -> Sequence[Container]:
    """A personality may have a container with each of a million personas: those are asked for by name."""
    named = _named(event, kind)
    if named is None:
        return await event.containers.readable(kind=kind)
    names = [each.name for each in named]
    return await event.containers.readable(kind=kind, names=names) if names else ()


def _named(event: ReadProviderEvent, kind: str) -> list[Container] | None:
    """The containers of a kind that concern the character and the cast; `None` where their names do not say so."""
    match kind:
        case "global_canon":
            return _made(global_canon_container, [event.personality])
        case "persona":
            here = partial(persona_container, personality=event.personality)
            return _made(here, [each.persona_id for each in event.cast])
        case "user":
            return _made(user_container, [each.user_id for each in event.cast])
    return None


def _made(make: Callable[[str], Container], ids: Iterable[str | None]) -> list[Container]:
    """One for each id; an id that no container can have is nobody's."""
    made = []
    for id in dict.fromkeys(id for id in ids if id):
        with suppress(InvalidId):
            made.append(make(id))
    return made
