"""What the tests of backstage share."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Iterable, Sequence

from earwitness import (
    Memory,
    Session,
)
from earwitness.events import PlanEvent, ReadEvent, Share, SharingEvent, Strike
from earwitness.filters import EVERYTHING, Filter

Begin = Callable[..., Awaitable[Session]]
Memories = Callable[[Session, str], Awaitable[Sequence[Memory]]]
FOUR = ("alice", "bob", "charlie", "dana")


class Gossip:
    """Whatever Bob hears, Charlie hears from him, and Dana from Charlie; on the day given, or at once."""

    def __init__(self, due: float | None = None) -> None:
        self.due = due

    def share(self, event: SharingEvent) -> Iterable[Share]:
        if "bob" in event.message.participants:
            yield Share(character="charlie", shared_from="bob", rule="bob talks", due=self.due)
            yield Share(character="dana", shared_from="charlie", rule="charlie talks", due=self.due)


class NotDana:
    """A guard that keeps everything from Dana."""

    def filter(self, event: ReadEvent) -> Filter:
        return EVERYTHING

    def strike(self, event: PlanEvent) -> Iterable[Strike]:
        hers = [each for each in event.plan.deliveries if each.owner == "dana"]
        return [Strike(delivery_id=each.id, reason="too young") for each in hers]
