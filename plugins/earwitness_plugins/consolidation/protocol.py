"""The kind `consolidator`: what is remembered, in fewer words. One seam for stories and for chat assistants."""

from __future__ import annotations

from typing import Protocol, runtime_checkable

from earwitness import Record
from earwitness.protocols import Soon
from earwitness.records.state import Day
from earwitness.records.usage import Reply


class Remembered(Record):
    """One memory of a character, or one message of a conversation."""

    label: str
    """What it is called in this task: `m1`, `m2`, …"""
    text: str
    """What was said or happened."""
    speaker: str = ""
    """Name of who said it; the role, in a conversation with an assistant; empty for what nobody said."""
    weight: float = 1.0
    """How much it counts beside the others; 0 = it is only context, such as what an assistant says."""
    day: Day | None = None
    """The game day."""

    @property
    def line(self) -> str:
        """As it is read: `Alice: I like apples.` for a message."""
        return f"{self.speaker}: {self.text}" if self.speaker else self.text


class ConsolidationTask(Record):
    """What is to be consolidated."""

    session: str
    """Session id, or the key of a conversation."""
    owner: str = ""
    """Name of the character whose memories they are; empty for a conversation with an assistant."""
    remembered: tuple[Remembered, ...]
    """The memories or messages, oldest first."""
    known: tuple[str, ...] = ()
    """The long-term memory so far, which an assistant's consolidator adds to."""
    people: tuple[tuple[str, ...], ...] = ()
    """Names and aliases of each character in the cast, also of those whom these memories do not name."""
    most: int
    """Characters that the answer may have."""


class Consolidation(Reply):
    """What a consolidator makes of them."""

    history_entry: str = ""
    """What happened, in a few sentences."""
    memory_update: tuple[str, ...] = ()
    """What is worth knowing from now on, one thing a line. It adds to what is known, and replaces nothing."""

    @property
    def text(self) -> str:
        """Both together; empty if there is nothing."""
        return "\n".join(each for each in (self.history_entry, *self.memory_update) if each.strip())


@runtime_checkable
class Consolidator(Protocol):
    """Sums up what is remembered. The kind is `consolidator`."""

    def consolidate(self, task: ConsolidationTask) -> Soon[Consolidation]:
        """The summary. If it raises, everything stays as it is."""
        ...
