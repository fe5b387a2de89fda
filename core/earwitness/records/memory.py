"""Memories, their supports, and what a search finds."""

from __future__ import annotations

from typing import Literal

from .base import Record
from .learned import Learned, learned
from .memory_types import Metadata, MetaValue
from .prose import gist, number
from .state import Day

Interaction = Literal["direct", "witnessed", "shared"]
STRENGTH: tuple[Interaction, ...] = ("direct", "witnessed", "shared")


class Support(Record):
    """One way in which a memory got into a container."""

    how: Interaction = "direct"
    """Perceived directly, witnessed as it happened to others, or shared by somebody."""
    shared_from: str | None = None
    """Id of the character who shared it; `None` = it was perceived at first hand."""
    via: str | None = None
    """Id of the teller's own memory, the previous hop."""
    rule: str | None = None
    """The sharing rule, plugin or evidence of the detector behind it."""
    learned_day: Day
    """The game day it was learned. Recall compares this day."""
    trust: float = 1.0
    """How far the owner believes it, from 0 to 1."""


class Memory(Record):
    """Content and metadata in one container."""

    id: str
    """Derives from session, message key, revision, container and part."""
    container: str
    """Name of its container."""
    content: str
    """The text, in one of the formats of `earwitness.formats`."""
    metadata: dict[str, MetaValue]
    """camelCase keys and their values, as stored and exported."""

    def __str__(self) -> str:
        day = self.learned_day
        since = "" if day is None or self.permanent else f" on day {number(day)}"
        known = f"{self.learned}{since}" if "interactionType" in self.metadata else since.strip()
        return gist(self.text) + (f" ({known})" if known else "")

    @property
    def type(self) -> str:
        """One of `OUR_TYPES`, such as `message` or `lore`, or what a derived memory was given, such as `fact`."""
        return str(self.metadata.get("type", "message"))

    @property
    def text(self) -> str:
        """The content, without the line of search words of a piece of lore."""
        return without_words(self.content, self.metadata)

    @property
    def learned(self) -> Learned:
        """How its owner came to know it, by its strongest support."""
        how, teller = self.metadata.get("interactionType"), self.metadata.get("sharedFrom")
        return learned(self.metadata, str(how), teller if isinstance(teller, str) else None)

    @property
    def game_day(self) -> float | None:
        """The day it was said."""
        return self._number("gameDay")

    @property
    def learned_day(self) -> float | None:
        """The day it was learned."""
        return self._number("learnedDay")

    @property
    def permanent(self) -> bool:
        """Whether it is from before the story: plot, card, dialogue or lore."""
        return self.metadata.get("permanent") is True

    @property
    def message_keys(self) -> tuple[str, ...]:
        """Keys of the messages it is about."""
        value = self.metadata.get("messageIds", [])
        return tuple(value) if isinstance(value, list) else ()

    def _number(self, key: str) -> float | None:
        value = self.metadata.get(key)
        return value if isinstance(value, int | float) and not isinstance(value, bool) else None


def without_words(content: str, metadata: Metadata) -> str:
    """The content, without the line of search words of a piece of lore, `[sword, blade]`."""
    first, _, rest = content.partition("\n")
    return rest if "words" in metadata and first.startswith("[") and first.endswith("]") else content


class Hit(Record):
    """A memory that a search found, and why."""

    memory: Memory
    """What was found."""
    score: float
    """0 to 1, higher is better. Comparable within one search only."""
    parts: dict[str, float] = {}
    """The score by part, such as `words`, `meaning`, `rerank`, `recency`."""

    def __str__(self) -> str:
        return f"{self.score:.2f} {self.memory}"
