"""What the tests of sessions share."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Sequence
from typing import Any

from earwitness import Earwitness, Memory, Session

Begin = Callable[..., Awaitable[Session]]
OpenApp = Callable[..., Awaitable[Earwitness]]
Memories = Callable[[Session, str], Awaitable[Sequence[Memory]]]


async def entries(story: Session) -> int:
    """How many entries the journal has, the beginning among them."""
    return (await story.backstage().overview()).decided


def keys(memories: Sequence[Memory]) -> list[str]:
    return [key for memory in memories for key in memory.message_keys]


async def changed(story: Session, **changes: Any) -> None:
    await (await story.change(**changes)).settled()
