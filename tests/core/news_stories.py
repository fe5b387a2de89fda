"""What the tests of news share."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Sequence
from typing import Any

from earwitness import (
    Memory,
    Session,
)

Begin = Callable[..., Awaitable[Session]]
Memories = Callable[[Session, str], Awaitable[Sequence[Memory]]]
Story = Callable[..., Awaitable[Session]]


def teller_story(begin: Begin, teller: Callable[..., Any]) -> Story:
    """Begins a story whose World Agent tells everybody's news; Alice and Bob are here, Charlie is not."""

    async def story(most: int | None = None, **given: Any) -> Session:
        return await begin(**{"world_agent": teller(most), "present": ["alice", "bob"], **given})

    return story


async def told(story: Session, words: str = "Well.", *, by: str = "alice", audience: Any = ("bob",)) -> dict[str, Any]:
    """What each participant is told along with the next message, without the day."""
    settled = await (await story.say(by, words, audience=audience)).settled()
    return {
        id: [line.removesuffix(". GameDay: 1") for line in lines] for id, lines in sorted(settled.knowledge.items())
    }
