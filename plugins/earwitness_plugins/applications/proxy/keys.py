"""Keys of what is said through the proxy. They follow from place and text, so that two proxies take a line once."""

from __future__ import annotations

from collections.abc import Collection

from earwitness.ids import derive
from earwitness.session import Session


async def free_key(story: Session, active: Collection[str], *said: str | None, gone: Collection[str] = ()) -> str:
    """The key for what is said at a place of the chat: behind a message, by somebody, in these words.

    What was retracted there, or is `gone`, does not come back: then it is another key. `active` are keys of messages
    that the story has. One of them is returned if another process has said just this meanwhile.
    """
    number = 0
    while True:
        key = f"chat-{derive(*said, number)}"
        if key in gone:
            number += 1
            continue
        if key in active or not await story.has(key):
            return key
        newest = await story.messages(limit=len(active) + 64)
        if any(each.key == key for each in newest):
            return key
        number += 1
