"""The three hooks. Each receives one frozen record and answers with one record, or `None`.

Write a class with one, two or three of the methods of `Plugin`, plain or `async`. All plugins are asked at once. Their
answers are combined in the plugins' order. A plugin that raises, takes too long or answers something else is named in
the report, and the other answers count as usual. Work that blocks the thread cannot be interrupted, so await it.
"""

from __future__ import annotations

from typing import ClassVar, Literal

import pluggy

from .events import MessageAnswer, MessageEvent, RecallAnswer, RecallEvent, StateChangeAnswer, StateChangeEvent
from .protocols import Soon

PROJECT = "earwitness"
HOOKS = ("on_recall", "on_message", "on_state_change")
_spec = pluggy.HookspecMarker(PROJECT)


class Plugin:
    """Base class of plugins. Override one, two or three of the hooks."""

    order: ClassVar[Literal["first", "middle", "last"]] = "middle"
    """Whether its answers come before, among or after those of other plugins."""
    follows_updates: ClassVar[bool] = False
    """Whether `on_state_change` is also asked when the host reports updates, comings or goings, and no other change."""

    @_spec
    def on_recall(self, event: RecallEvent) -> Soon[RecallAnswer | None]:
        """START: the search for a character's memories is done.

        :param event: who recalls, on which day, with which query, and what was found.
        :return: notes, weights, memories to add or drop; `None` changes nothing.

        Answers combine in plugin order: notes are joined, weights multiply, dropping wins over adding. The hook runs at
        every turn, and the host waits for it.
        """
        return None

    @_spec
    def on_message(self, event: MessageEvent) -> Soon[MessageAnswer | None]:
        """END: a message is being settled.

        :param event: the moment and the detector's presence.
        :return: who else perceives it, who must not, knowledge, world updates; `None` proposes nothing.

        The host's word wins over withholding, and withholding over adding. The hook runs once for each message, in the
        background, strictly in the order of the journal. Only `edit`, `reroll` and `replan` ask again.
        """
        return None

    @_spec
    def on_state_change(self, event: StateChangeEvent) -> Soon[StateChangeAnswer | None]:
        """CHANGE: the host has changed the state.

        :param event: the state before and after, and which keys differ.
        :return: updates for the world container; `None` leaves the change to the others.

        The world remembers all updates, in plugin order. A changed key that no update covers gets a default
        sentence, such as `Weather changed to storm`, unless the host has described the change.
        """
        return None
