"""The triage `novelty`: what says little new is merged, what is long comes short, and enough is enough."""

from __future__ import annotations

from pydantic import Field

from earwitness import Record
from earwitness.words import terms

from .retell import summary
from .same_fact import says_the_same
from .triage import Heard, Passing, TriageAnswer


class NoveltySettings(Record):
    """Settings of `novelty`."""

    most: int = Field(default=5, ge=0)
    """What a listener is told on one day, at most; what is merged does not count."""
    alike: float = Field(default=0.8, gt=0, le=1)
    """The least share of words in common of two texts that say the same; they differ only by words such as `alas`."""
    room: int = Field(default=240, ge=40)
    """Characters of what is told to somebody who was told something else on that day."""


class Novelty:
    """Merges what the listener was told in the same words, shortens what is long, and drops what is too much.

    What contradicts something, or says it of others, is always in other words, and so is new.
    """

    def __init__(self, *, most: int = 5, alike: float = 0.8, room: int = 240) -> None:
        self._settings = NoveltySettings(most=most, alike=alike, room=room)

    def triage(self, passing: Passing) -> TriageAnswer:
        """Compare it with what else the listener is told on that day."""
        same = next((each for each in passing.heard if self._is_alike(each, passing)), None)
        if same is not None:
            return TriageAnswer(decision="merge", memory=same.memory, reason="it says nothing new")
        if len({each.memory for each in passing.heard}) >= self._settings.most:
            reason = f"{passing.listener} is told {self._settings.most} other things on day {passing.day:g}"
            return TriageAnswer(decision="drop", reason=reason)
        if passing.heard and len(passing.text) > self._settings.room:
            return TriageAnswer(text=summary([passing.text], self._settings.room))
        return TriageAnswer()

    def _is_alike(self, heard: Heard, passing: Passing) -> bool:
        """Whether both say the same, and the same readers may recall them."""
        if not heard.may_merge or not says_the_same(heard.text, passing.text):
            return False
        one, other = set(terms(heard.text)), set(terms(passing.text))
        return len(one & other) / max(1, len(one | other)) >= self._settings.alike
