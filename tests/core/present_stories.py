"""What the tests of who is there share."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Sequence
from typing import Any

from earwitness import (
    Channel,
    Memory,
    Session,
)

Begin = Callable[..., Awaitable[Session]]
Memories = Callable[[Session, str], Awaitable[Sequence[Memory]]]
FOUR = ("alice", "bob", "charlie", "kenji")
DIRECT = Channel(context="dm", channel_id="d1")
DEN = Channel(channel_id="den")
HALL = Channel(context="public_channel", channel_id="hall", guild_id="g7")


async def heard(story: Session, speaker: str, content: str, **more: Any) -> set[str]:
    """Who perceives the message, besides its speaker."""
    settled = await (await story.say(speaker, content, **more)).settled()
    return {*settled.participants} - {speaker}


async def words(memories: Memories, story: Session, character: str) -> list[str]:
    """What a character remembers of each message."""
    return [
        each.content.partition("Message: ")[2].partition(" GameDay:")[0] for each in await memories(story, character)
    ]
