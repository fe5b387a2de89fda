"""What the tests of derived memories share."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Sequence
from typing import Any

from earwitness import (
    Memory,
    MessageAnswer,
    Plugin,
    Session,
    StateChangeAnswer,
)
from earwitness.events import MessageEvent, StateChangeEvent
from earwitness.records.derived import Derivation

Begin = Callable[..., Awaitable[Session]]
Memories = Callable[[Session, str], Awaitable[Sequence[Memory]]]


async def derived(memories: Memories, story: Session, owner: str) -> list[str]:
    """The texts of derived memories in a container."""
    return [each.content for each in await memories(story, owner) if each.type in {"note", "fact", "summary"}]


async def one(memories: Memories, story: Session, owner: str, type: str = "message") -> Memory:
    """The one memory of this type in a container."""
    (found,) = [each for each in await memories(story, owner) if each.type == type]
    return found


class Notes(Plugin):
    """Proposes a memory with every message and change of the day."""

    def __init__(self, owner: str, text: str, **more: Any) -> None:
        self.made = Derivation(owner=owner, content=text, **more)

    def on_message(self, event: MessageEvent) -> MessageAnswer:
        return MessageAnswer(derived=(self.made,))

    def on_state_change(self, event: StateChangeEvent) -> StateChangeAnswer | None:
        return StateChangeAnswer(derived=(self.made,)) if "game_day" in event.changed else None
