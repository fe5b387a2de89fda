"""What the tests of edits, rerolls and retractions share."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Iterable, Sequence
from typing import Protocol

from earwitness import Memory, Moment, Session
from earwitness.events import Share, SharingEvent

Begin = Callable[..., Awaitable[Session]]
Memories = Callable[[Session, str], Awaitable[Sequence[Memory]]]
KNOWLEDGE = "\n\n###Newly discovered world knowledge###\n"


class Directions(Protocol):
    moments: list[Moment]


async def said(memories: Memories, story: Session, owner: str) -> list[str]:
    """What was said in the memories of one container, the speaker's name and the day left out."""
    lines = [memory.content.partition(KNOWLEDGE)[0] for memory in await memories(story, owner)]
    return [line.rpartition("Message: ")[2].partition(": ")[2].partition(" GameDay")[0] for line in lines]


class Gossip:
    """Whatever Bob hears, Charlie hears from him, on the day given or at once; and Dana from Charlie."""

    def __init__(self, due: float | None = None) -> None:
        self.due = due

    def share(self, event: SharingEvent) -> Iterable[Share]:
        if "bob" in event.message.participants:
            yield Share(character="charlie", shared_from="bob", rule="gossip", due=self.due)
            yield Share(character="dana", shared_from="charlie", rule="gossip", due=self.due)
