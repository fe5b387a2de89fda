"""What the tests of recalls share."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Iterable
from typing import Any

from earwitness import (
    Session,
    Turn,
)

Begin = Callable[..., Awaitable[Session]]
EVERYBODY = ("alice", "bob", "charlie")


async def tell(story: Session, *lines: str, by: str = "alice", audience: Iterable[str] = EVERYBODY) -> None:
    """Messages under the keys they begin with: `m1 Hello.`."""
    for line in lines:
        key, _, words = line.partition(" ")
        await story.say(by, words, key=key, audience=audience)
    await story.settled()


def keys(turn: Turn) -> list[str]:
    return [key for each in turn.memories for key in each.memory.message_keys]


SWORDS = ("m1 a sword lies here", "m2 a sword", "m3 sword of old", "m4 nothing", "m5 soup", "m6 bread", "m7 ale")


async def swords(begin: Begin, **recall: Any) -> Turn:
    story = await begin()
    await tell(story, *SWORDS)
    return await story.turn("alice", query="old sword", **recall)
