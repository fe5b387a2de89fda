"""The three hooks: each receives one frozen record and may answer with one record, or `None`.

Write a class with one, two or three of the methods of `Plugin`; plainly or `async`, as you like. All plugins are asked
at once and their answers are combined in the order in which the plugins stand. A plugin that raises, takes too long or
answers something else is named in the turn's report, and the others' answers stand. Work that blocks the thread cannot
be interrupted: await it.
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
    """Base class of plugins. Override one, two or three hooks; nothing else is needed."""

    order: ClassVar[Literal["first", "middle", "last"]] = "middle"
    """Where its answers stand among the others'."""

    @_spec
    def on_recall(self, event: RecallEvent) -> Soon[RecallAnswer | None]:
        """START: a character's memories have been searched.

        :param event: who recalls, on which day, by which query, and what was found.
        :return: notes, weights, memories to add or drop; `None` changes nothing.

        Answers combine in plugin order: notes are joined, weights multiply, dropping beats adding.
        May run at every turn; it delays the host, so its time limit is short.
        """
        return None

    @_spec
    def on_message(self, event: MessageEvent) -> Soon[MessageAnswer | None]:
        """END: a message is being settled.

        :param event: the moment and the detector's presence.
        :return: who perceives it too, who must not, knowledge and world updates; `None` proposes nothing.

        Answers combine so: the host's word, then withholding, then adding. Runs once a message, in the background,
        strictly in the order of the journal; a settled message is never asked about again, but by `replan`.
        """
        return None

    @_spec
    def on_state_change(self, event: StateChangeEvent) -> Soon[StateChangeAnswer | None]:
        """CHANGE: the host has changed the state.

        :param event: the state before and after, and which keys differ.
        :return: updates for the world container; `None` leaves it to the others.

        All answers' updates are told, in plugin order. A key of which nobody tells is told in a default sentence,
        such as `Weather changed to storm`, unless the host has described the change.
        """
        return None
