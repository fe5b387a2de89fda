"""The detector that follows who is on the scene: comings, goings, whispers; silence says nothing."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import ClassVar, Literal

from earwitness.records.moment import Moment, Presence

from .inference.message_case import Confidences
from .rules import RulesDetector
from .text import THREAD_FROM
from .text.directions import FragmentKind
from .text.first_messages import on_thread


class PresenceDetector:
    """The state machine of `rules` alone: whoever came stays until the story says that they go, however silent."""

    thread_from: ClassVar[int] = THREAD_FROM
    """Longer messages are judged on a thread."""
    on_thread = staticmethod(on_thread)
    """So are the first ones of a process."""

    def __init__(
        self,
        *,
        confidences: Confidences | None = None,
        perception: Literal["segments", "whole"] = "segments",
        markup: Mapping[str, FragmentKind] | None = None,
        phrases: Mapping[str, Sequence[str]] | None = None,
    ) -> None:
        """The settings mean what they mean for `rules`."""
        self._rules = RulesDetector(
            confidences=confidences, perception=perception, markup=markup, phrases=phrases, fading=False
        )

    def warm_up(self) -> None:
        """What it reads with is loaded before the first message."""
        self._rules.warm_up()

    def detect(self, moment: Moment) -> Presence:
        """Who perceives the message, and who moves by it."""
        return self._rules.detect(moment)
