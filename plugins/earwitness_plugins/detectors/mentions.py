"""The detector that takes for present whoever is named. A baseline: being talked about is not being there."""

from __future__ import annotations

from functools import lru_cache
from typing import ClassVar

from earwitness.records.moment import Moment, Perceived, Presence

from .text import THREAD_FROM
from .text.first_messages import on_thread
from .text.names import Names
from .text.vocatives import addressed
from .warm_up import warm_up


class Mentions:
    """Whoever is named in a message perceives it. What one gets without asking who is there."""

    thread_from: ClassVar[int] = THREAD_FROM
    """Longer messages are judged on a thread."""
    on_thread = staticmethod(on_thread)
    """So are the first ones of a process."""

    def __init__(self) -> None:
        self._names = lru_cache(maxsize=64)(Names)

    def warm_up(self) -> None:
        """What it reads with is loaded before the first message."""
        warm_up(self)

    def detect(self, moment: Moment) -> Presence:
        """The speaker, those spoken to by name, and those talked about; nobody moves."""
        text = moment.message.content
        mentions = self._names(moment.cast.members).find(text)
        characters = {
            mention.id: Perceived(
                probability=0.6, role="mentioned", evidence=(f"named: {text[mention.start : mention.end]!r}",)
            )
            for mention in mentions
        }
        for id in addressed(text, mentions):
            characters[id] = Perceived(probability=0.9, role="addressee", evidence=("spoken to by name",))
        speaker = Perceived(probability=1, role="speaker", evidence=("said it",))
        return Presence(characters={**characters, moment.message.speaker: speaker})
