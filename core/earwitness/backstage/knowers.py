"""Who knows something: the records with which backstage answers."""

from __future__ import annotations

from collections.abc import Callable

from ..records.learned import Learned
from .records import BackstageRecord, DatedRecord, doubt_text


class Contrary(BackstageRecord):
    """The contrary of what was asked, as one character learned it."""

    learned: Learned
    """How they learned it."""
    since: float
    """The game day on which they learned it."""
    memory_id: str
    """The memory that proves it."""
    text: str
    """The text of that memory."""
    trust: float = 1.0
    """How far they trust in it, from 0 to 1."""
    strength: float = 1.0
    """What was left of it when they were told, from 0 to 1."""


class Knower(DatedRecord):
    """Whether one character knows something, and how."""

    character: str
    """Character id."""
    learned: Learned | None = None
    """How they learned it: `said it`, `heard it from alice`, `was told by bob`, …; `None` = nothing found."""
    since: float | None = None
    """The game day on which they learned it."""
    memory_id: str | None = None
    """The memory that proves it."""
    text: str | None = None
    """The text of that memory."""
    trust: float = 1.0
    """How far they trust in it, from 0 to 1."""
    strength: float = 1.0
    """What was left of it when they were told, from 0 to 1."""
    contrary: Contrary | None = None
    """How they learned the contrary, such as "he did not die of fever"; `None` = nothing found."""

    @property
    def knows(self) -> bool:
        """Whether anything was found. Having learned only the contrary is not knowing it."""
        return self.learned is not None

    @property
    def believes_the_contrary(self) -> bool:
        """Whether they have reason to believe the contrary: they know only that, or trust in it more, or as much and
        learned it later. Trust counts times the strength of what was told."""
        if self.contrary is None or self.learned is None:
            return self.contrary is not None
        known, against = self.trust * self.strength, self.contrary.trust * self.contrary.strength
        return (against, self.contrary.since) > (known, self.since or 0)

    def __str__(self) -> str:
        return f"{self.character}: {self.words() or 'nothing found'}"

    def words(self, name: Callable[[str], str] = str) -> str:
        """How they know it, and the contrary, as text; empty if nothing was found.

        `name` turns a character id into a display name.
        """
        found = []
        if self.learned is not None:
            found.append(self._dated(self.learned.words(name), self.learned, self.since) + doubt_text(self.trust))
        if self.contrary is not None:
            learned = self.contrary.learned
            against = self._dated(learned.words(name, "the contrary"), learned, self.contrary.since)
            found.append(against + doubt_text(self.contrary.trust))
        both = " and believes " + ("the contrary" if self.believes_the_contrary else "the first")
        return ", and ".join(found) + (both if len(found) > 1 and self._differ else "")

    @property
    def _differ(self) -> bool:
        """Whether there is a reason to believe one more than the other, besides the day."""
        other = self.contrary
        return other is not None and self.trust * self.strength != other.trust * other.strength

    def _dated(self, words: str, learned: Learned, since: float | None) -> str:
        before = since is None or learned.way == "before"
        return words if before else f"{words} on {self.calendar.show(since or 0)}"


class WhoKnows(BackstageRecord):
    """The answer to who knows something, for every character of the cast."""

    question: str
    """The question."""
    knowers: dict[str, Knower]
    """Character id → what was found."""

    def __str__(self) -> str:
        return "\n".join(str(knower) for knower in self.knowers.values())
