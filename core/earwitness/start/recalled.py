"""What a turn remembers: memories in sections, each with why it came to mind."""

from __future__ import annotations

from ..records.base import Record
from ..records.learned import Learned
from ..records.memory import Memory

OWN_SECTION = "memories"
"""The section of what a character remembers herself."""


class Section(Record):
    """A part of a recall that is shown by itself."""

    name: str = OWN_SECTION
    """Such as `pantheon`; settings of `fill` name it."""
    heading: str | None = None
    """What stands above it where there are several; by default its name."""


OWN = Section()
"""The section of the character's own memories."""


class Recalled(Record):
    """One memory a recall brought back. Only these can be filled into a prompt."""

    memory: Memory
    """The memory, from a container this reader may read."""
    section: str = OWN_SECTION
    """Name of the section it belongs to."""
    score: float
    """What it was ranked by, all parts together; in a section of several containers the reciprocal of its rank in its
    own, since scores of different containers are not comparable."""
    parts: dict[str, float]
    """The score by part: `words`, `meaning`, `rerank`, `recency`, `weight`, …."""

    unsayable: str | None = None
    """Why it is known but not sayable here; `None` where it is sayable."""

    @property
    def sayable(self) -> bool:
        """Whether it may be said here: a guard has not marked it."""
        return self.unsayable is None

    @property
    def text(self) -> str:
        """The content, as it goes into a prompt: without the line of words that find a piece of lore."""
        return self.memory.text

    @property
    def learned(self) -> Learned:
        """How the character came to know it; what was told along with a message in the prompt is news."""
        return Learned(way="news") if "news" in self.parts else self.memory.learned

    @property
    def why(self) -> str:
        """Why it was recalled, in words: `words 0.81, meaning 0.44`."""
        if not self.parts:
            return "always in mind"
        return ", ".join(f"{name} {value:.2f}" for name, value in self.parts.items())


class Recall(Record):
    """Everything one START brought back."""

    character: str
    """Whose recall."""
    query: str
    """What was asked."""
    memories: tuple[Recalled, ...]
    """Section by section; in each in a stable order: permanent ones first, then as they were learned."""
    sections: tuple[Section, ...] = (OWN,)
    """Every section that was asked for, her own first, also where nothing was found."""
    notes: tuple[str, ...] = ()
    """Plugins' lines to show before the memories."""
    pending: tuple[str, ...] = ()
    """Keys of messages the recall did not wait for."""
    failures: tuple[str, ...] = ()
    """Plugins, guards and read providers that failed, and reads that were refused. A failing guard withheld all."""
