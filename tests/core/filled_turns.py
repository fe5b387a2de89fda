"""What the tests of fill share."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from typing import Any

from earwitness import Session, Turn

Begin = Callable[..., Awaitable[Session]]


BLOCK = (
    "<earwitness-memories>\n"
    "1. Alice, on day 1: The sword is in the cave.\n"
    "2. Alice, on day 1: The soup is hot.\n"
    "</earwitness-memories>"
)


async def a_turn(begin: Begin, *more: str, **given: Any) -> Turn:
    story = await begin(**given)
    for words in (*more, "The sword is in the cave.", "The soup is hot."):
        await story.say("alice", words, audience=["bob"])
    return await story.turn("bob", in_prompt=[])
