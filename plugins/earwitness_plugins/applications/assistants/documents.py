"""What is uploaded of a conversation: its messages in documents of a good size, in order. Pure."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from earwitness import Memory
from earwitness.ids import derive

from .records import AssistantMessage

ROOM = 4_000
"""Characters of a document, unless a single message is longer: that stays whole."""


def documents(container: str, key: str, first: int, messages: Sequence[AssistantMessage]) -> list[Memory]:
    """The documents of a conversation, of which the first message here has the number `first`.

    All ids begin with `session_{key}`, and end with the number of the first message in the document: what is uploaded
    again replaces itself, and what comes later adds to it.
    """
    return [
        Memory(
            id=f"session_{key}_{number}",
            container=container,
            content="\n".join(map(str, group)),
            metadata={
                "type": "conversation",
                "sessionId": f"session_{key}",
                "timestamp": group[0].timestamp,
                "messages": len(group),
            },
        )
        for number, group in _grouped(first, messages)
    ]


def digest(document: Memory) -> str:
    """The same for the same text."""
    return derive(document.content)


def _grouped(first: int, messages: Sequence[AssistantMessage]) -> Iterator[tuple[int, list[AssistantMessage]]]:
    group: list[AssistantMessage] = []
    begin, room = first, ROOM
    for number, message in enumerate(messages, first):
        length = len(str(message)) + 1
        if group and length > room:
            yield begin, group
            group, begin, room = [], number, ROOM
        group.append(message)
        room -= length
    if group:
        yield begin, group
