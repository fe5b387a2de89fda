"""Who knows something: the records with which backstage answers."""

from __future__ import annotations

from collections.abc import Callable

from ..records.learned import Learned
from ..records.prose import number
from .records import BackstageRecord, DatedRecord, doubt_text


class Contrary(BackstageRecord):
    """The contrary of what was asked, as one character learned it."""

    learned: Learned
    """How they learned it."""
    since: float | None
    """The game day on which they first learned it; `None` = before the story."""
    memory_id: str
    """The memory that proves it."""
    text: str
    """The text of that memory."""
    trust: float = 1.0
    """How far they trust in it, from 0 to 1."""
    strength: float = 1.0
    """What was left of it when they were told, from 0 to 1."""
    read_in: str | None = None
    """The shared container where they read it, in words, such as `the hub of olympus`; `None` = they remember it."""
    until: float | None = None
    """The last game day on which they may read it there; `None` = no end."""
    in_other_words: bool = False
    """Whether they were told otherwise without a word of denial: another place, day or name, or the opposite."""

    def __str__(self) -> str:
        day = "" if self.since is None or self.learned.way == "before" else f" on day {number(self.since)}"
        return f"{self.learned.words(what=self.what)}{day}{doubt_text(self.trust)}"

    @property
    def what(self) -> str:
        """`the contrary` or `otherwise`."""
        return "otherwise" if self.in_other_words else "the contrary"


class HeardOf(BackstageRecord):
    """What one character heard of it, without learning it."""

    learned: Learned
    """How they heard of it."""
    since: float | None
    """The game day on which they first heard of it; `None` = before the story."""
    memory_id: str
    """The memory that proves it."""
    text: str
    """The text of that memory."""
    lacks: tuple[str, ...] = ()
    """The words of the question that were not told to them; none if they only heard that there is something to know."""

    def words(self, name: Callable[[str], str] = str) -> str:
        """How they heard of it, without the day. `name` turns a character id into a display name."""
        if self.learned.way == "said" and not self.lacks:
            return "spoke of it"
        return self.learned.words(name, "less of it" if self.lacks else "of it")


class Forgotten(BackstageRecord):
    """What one character once learned, and recalls no more: it is archived, and nothing else tells it."""

    learned: Learned
    """How they learned it."""
    since: float | None
    """The game day on which they first learned it; `None` = before the story."""
    memory_id: str
    """The archived memory; `restore` puts it back."""
    text: str
    """Its text."""


class Knower(DatedRecord):
    """Whether one character knows something, and how."""

    character: str
    """Character id."""
    learned: Learned | None = None
    """How they learned it: `said it`, `heard it from alice`, `was told by bob`, …; `None` = nothing found."""
    since: float | None = None
    """The game day on which they first learned it; `None` = before the story, or nothing found."""
    memory_id: str | None = None
    """The memory that proves it; `None` = nothing found, or the wearer of a mask knows who they are."""
    text: str | None = None
    """The text of that memory."""
    trust: float = 1.0
    """How far they trust in it, from 0 to 1."""
    strength: float = 1.0
    """What was left of it when they were told, from 0 to 1."""
    read_in: str | None = None
    """The shared container where they read it, in words, such as `the hub of olympus`; `None` = they remember it."""
    until: float | None = None
    """The last game day on which they may read it there; `None` = no end."""
    contrary: Contrary | None = None
    """How they learned the contrary, such as "he did not die of fever"; `None` = nothing found."""
    together: tuple[str, ...] = ()
    """Several memories that only together prove it, in the order learned; `memory_id` is the last that was needed."""
    is_unsure: bool = False
    """Whether their memories do not decide: the memory that tells it may be one that they have, or another; or they
    heard it with less detail (`heard_of`)."""
    heard_of: HeardOf | None = None
    """How they heard of it, if they do not know it: with less detail, or that there is something to know."""
    forgotten: Forgotten | None = None
    """How they once learned it, if only an archived memory tells it, such as one that a summary replaces; `None` = they
    know it, or never did."""

    @property
    def knows(self) -> bool:
        """Whether anything was found. Whoever learned only the contrary, or has forgotten it, does not know it."""
        return self.learned is not None

    @property
    def believes_the_contrary(self) -> bool:
        """Whether they have reason to believe the contrary: they know only that, or trust in it more, or as much and
        learned it later. Trust counts times the strength of what was told."""
        if self.contrary is None or self.learned is None:
            return self.contrary is not None
        known, against = self.trust * self.strength, self.contrary.trust * self.contrary.strength
        return (against, self.contrary.since or 0) > (known, self.since or 0)

    def __str__(self) -> str:
        return f"{self.character}: {self.words() or 'nothing found'}"

    def words(self, name: Callable[[str], str] = str) -> str:
        """How they know it, and the contrary, as text; empty if nothing was found.

        `name` turns a character id into a display name.
        """
        found = []
        if self.learned is not None:
            way = self._way(self, self.learned, self.learned.words(name), "it")
            found.append(f"probably {way}" if self.is_unsure else way)
        elif self.heard_of is not None:
            found.append(f"cannot tell: {self._heard_of(name)}" if self.is_unsure else self._heard_of(name))
        elif self.is_unsure:
            found.append("cannot tell")
        elif self.forgotten is not None:
            learned = self.forgotten.learned
            found.append(f"recalls it no more: {learned.words(name)}{self._on_day(self.forgotten)} (archived)")
        if self.contrary is not None:
            learned = self.contrary.learned
            what = self.contrary.what
            found.append(self._way(self.contrary, learned, learned.words(name, what), what))
        both = " and believes " + ("the contrary" if self.believes_the_contrary else "the first")
        return ", and ".join(found) + (both if len(found) > 1 and self._differ else "")

    def _heard_of(self, name: Callable[[str], str]) -> str:
        """`heard less of it from alice on day 3 (nothing of: cellar)`."""
        if self.heard_of is None:
            return ""
        lacks = f" (nothing of: {', '.join(self.heard_of.lacks)})" if self.heard_of.lacks else ""
        return f"{self.heard_of.words(name)}{self._on_day(self.heard_of)}{lacks}"

    def _on_day(self, found: HeardOf | Forgotten) -> str:
        is_dated = found.since is not None and found.learned.way != "before"
        return f" on {self.calendar.show(found.since)}" if found.since is not None and is_dated else ""

    @property
    def _differ(self) -> bool:
        """Whether there is a reason to believe one more than the other, besides the day."""
        other = self.contrary
        return other is not None and self.trust * self.strength != other.trust * other.strength

    def _way(self, found: Knower | Contrary, learned: Learned, words: str, what: str) -> str:
        """One of the two, with its day and how far it is doubted."""
        since = None if learned.way == "before" else found.since
        if found.read_in is None:
            dated = words if since is None else f"{words} on {self.calendar.show(since)}"
        else:
            dated = f"reads {what} in {found.read_in}"
            dated += "" if since is None else f" since {self.calendar.show(since)}"
            dated += "" if found.until is None else f" until {self.calendar.show(found.until)}"
        return dated + doubt_text(found.trust)


class WhoKnows(BackstageRecord):
    """The answer to who knows something, for every character of the cast."""

    question: str
    """The question."""
    knowers: dict[str, Knower]
    """Character id → what was found."""
    failures: tuple[str, ...] = ()
    """Read providers and guards that failed. Nobody counts as reading what they may have to do with."""

    def __str__(self) -> str:
        return "\n".join([*map(str, self.knowers.values()), *self.failures])
