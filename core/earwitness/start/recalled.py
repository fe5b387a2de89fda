"""What a turn remembers: memories of one container, each with why it came to mind."""

from __future__ import annotations

from ..records.base import Record
from ..records.learned import Learned
from ..records.memory import Memory


class Recalled(Record):
    """One memory a recall brought back. Only these can be filled into a prompt."""

    memory: Memory
    """The memory, from a container this reader may read."""
    score: float
    """What it was ranked by, all parts together."""
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
    """In a stable order: permanent ones first, then as they were learned."""
    notes: tuple[str, ...] = ()
    """Plugins' lines to show before the memories."""
    pending: tuple[str, ...] = ()
    """Keys of messages the recall did not wait for."""
    failures: tuple[str, ...] = ()
    """Plugins and guards that failed; a failing guard withheld what it guards."""
