"""The result of a recall: memories in sections, each with the reason why it was recalled."""

from __future__ import annotations

from ..records.base import Record
from ..records.learned import Learned
from ..records.memory import Memory
from ..records.plan import Answer
from ..records.prose import counted, gist, number, numbered

OWN_SECTION = "memories"
"""Name of the section of the character's own memories."""


class Section(Record):
    """A part of a recall that is shown separately."""

    name: str = OWN_SECTION
    """Name of the section, such as `pantheon`. The settings of `fill` refer to it."""
    heading: str | None = None
    """Heading above the section if there are several; `None` = its name."""


OWN = Section()
"""The section of the character's own memories."""


class Recalled(Record):
    """One recalled memory. Only these can be filled into a prompt."""

    memory: Memory
    """The memory, from a container that this character may read."""
    section: str = OWN_SECTION
    """Name of the section it belongs to."""
    score: float
    """The final score by which it was ranked. In a section of several containers it is the reciprocal of the memory's
    rank in its own container, because scores of different containers are not comparable."""
    parts: dict[str, float]
    """The score by part: `words`, `meaning`, `rerank`, `recency`, `weight`, …."""

    excerpt: str | None = None
    """The part of its content that goes into a prompt, with `[…]` where text was left out, if the whole is longer than
    its share of `recall.token_budget`; `None` = all of it."""
    unsayable: str | None = None
    """Why it is known but not sayable here; `None` if it is sayable."""

    def __str__(self) -> str:
        day = self.memory.learned_day
        since = "" if day is None or self.memory.permanent else f" on day {number(day)}"
        unsayable = "" if self.sayable else f" [not to be said here: {self.unsayable}]"
        return f"{gist(self.text)} ({self.learned}{since}; {self.why}){unsayable}"

    @property
    def sayable(self) -> bool:
        """Whether it may be said here, that is, no guard has marked it."""
        return self.unsayable is None

    @property
    def text(self) -> str:
        """The content, or its excerpt, without the line of extra words that find a lore entry."""
        return self.memory.text if self.excerpt is None else self.excerpt

    @property
    def learned(self) -> Learned:
        """How the character came to know it. Knowledge that came with a message in the prompt is news."""
        return Learned(way="news") if "news" in self.parts else self.memory.learned

    @property
    def why(self) -> str:
        """Why it was recalled, as text: `words 0.81, meaning 0.44`."""
        if not self.parts:
            return "always in mind"
        return ", ".join(f"{name} {value:.2f}" for name, value in self.parts.items())


class PerceivedMessage(Record):
    """One of the last messages, as a character perceived it."""

    key: str
    """The message's key."""
    speaker: str
    """Id of who said it."""
    name: str
    """The name under which the character knows the speaker."""
    text: str
    """What the character perceived of it."""
    own: bool = False
    """Whether the character said it."""

    def __str__(self) -> str:
        return f"{self.name}: {self.text}"


class Recall(Record):
    """The result of one START."""

    character: str
    """Id of the character who recalls."""
    query: str
    """The query that was searched for."""
    memories: tuple[Recalled, ...]
    """The memories by section. Each section has a stable order: permanent memories first, then in the order learned."""
    messages: tuple[PerceivedMessage, ...] = ()
    """The last messages that the prompt holds, so that none of them is recalled, oldest first."""
    sections: tuple[Section, ...] = (OWN,)
    """All requested sections, including empty ones. The character's own section is first."""
    notes: tuple[str, ...] = ()
    """Lines from plugins, shown before the memories."""
    pending: tuple[str, ...] = ()
    """Keys of messages that may still bring the character a memory: they were not settled when the recall stopped
    waiting; or a guard failed, and what is due of them waits until it can be asked; or gossip about them waits for a
    model."""
    why_pending: dict[str, str] = {}
    """Key → why, in plain words."""
    failures: tuple[str, ...] = ()
    """Failures of plugins, guards and read providers; refused reads; fields of the host's filter that no memory has. A
    read whose guard failed finds nothing."""
    consulted: tuple[Answer, ...] = ()
    """Plugins and guards that asked a model, left something out or failed, with notes and costs."""

    def __str__(self) -> str:
        lines = [f"{self.character} remembers {counted(len(self.memories), 'memory', 'memories')}", *self.notes]
        lines += numbered(self.memories)
        why = ((key, self.why_pending.get(key)) for key in self.pending)
        lines += [f"not waited for: {key}" + (f" ({reason})" if reason else "") for key, reason in why]
        return "\n".join([*lines, *(f"failed: {each}" for each in self.failures)])
