"""Plugins of the tests of dispatch."""

from __future__ import annotations

from collections.abc import Awaitable, Callable

from earwitness import (
    MessageAnswer,
    MessageEvent,
    Plugin,
    RecallAnswer,
    RecallEvent,
    Session,
    StateChangeAnswer,
    StateChangeEvent,
    Update,
)

Begin = Callable[..., Awaitable[Session]]


class Named(Plugin):
    """Answers every hook with its own name."""

    def __init__(self, name: str) -> None:
        self.name = name

    def on_recall(self, event: RecallEvent) -> RecallAnswer | None:
        return RecallAnswer(notes=(self.name,))

    def on_message(self, event: MessageEvent) -> MessageAnswer | None:
        return MessageAnswer(updates=(Update(description=self.name),))

    def on_state_change(self, event: StateChangeEvent) -> StateChangeAnswer | None:
        return StateChangeAnswer(updates=(Update(description=self.name),))
