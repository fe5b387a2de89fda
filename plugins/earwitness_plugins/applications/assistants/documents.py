"""What is uploaded of a conversation: its messages in documents of a good size, in order. Pure."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from earwitness import Memory
from earwitness.ids import derive

from .file import ConversationHead
from .records import AssistantMessage

ROOM = 4_000
"""Characters of a document, unless a single message is longer: that stays whole."""


def documents(container: str, head: ConversationHead, messages: Sequence[AssistantMessage]) -> list[Memory]:
    """The documents of a conversation, of which the first message here has the number `head.first`.

    All ids begin with `session_{key}_{run}`, and end with the number of the first message in the document: what is
    uploaded again from the same file replaces itself, and nothing else; what comes later adds to it.
    """
    session = f"session_{head.key}"
    run = f"{session}_{head.run}" if head.run else session
    return [
        Memory(
            id=f"{run}_{number}",
            container=container,
            content="\n".join(map(str, group)),
            metadata={
                "type": "conversation",
                "sessionId": session,
                "timestamp": group[0].timestamp,
                "messages": len(group),
            },
        )
        for number, group in _grouped(head.first, messages)
    ]


def unconfirmed(container: str, head: ConversationHead, messages: Sequence[AssistantMessage]) -> set[int]:
    """The numbers of the messages in documents that the store has not confirmed."""
    every = zip(documents(container, head, messages), _grouped(head.first, messages), strict=True)
    return {
        number
        for document, (first, group) in every
        if head.confirmed.get(document.id) != digest(document)
        for number in range(first, first + len(group))
    }


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
