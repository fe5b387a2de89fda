"""What a bubble notes in its own journal, so that rules, reads and the guard know that they are in one."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Literal

from earwitness import Record, State
from earwitness.records.state import Day

FACTS = "canon"
"""The name under which canon notes its facts."""
KnownInside = Literal["cards", "global", "personal", "users", "pantheons", "story"]


class HubsThen(Record):
    """What a bubble knows of its story's hubs: what they had told its characters when it began."""

    entry: int
    """Number of the story's last entry by then."""
    day: Day
    """The story's game day."""
    time: float
    """When it was (seconds since 1970, UTC), which tells the story from a later one of the same id."""
    facts: int = 0
    """How many facts about relationships the story had noted. The bubble begins with them."""
    joined: dict[str, int] = {}
    """Character id → number of the entry with which they joined the story; 0 = there from the beginning."""


class BubbleMark(Record):
    """The link from a bubble to its story."""

    bubble_of: str
    """Session id of its story."""
    bubble: str
    """The bubble's name."""
    begun: str | None = None
    """When its story began (ISO 8601), which tells it from a later story of the same id."""
    knows: tuple[KnownInside, ...] = ()
    """What of ordinary life is known in it."""
    hubs: HubsThen | None = None
    """What is known of the story's hubs, if it knows the pantheons; a branch of the story took them along."""

    def story_of(self, session: str) -> str:
        """The story of the bubble with this session id: an import may have given both another id than they had."""
        return session.removesuffix(f"~{self.bubble}")


def mark_of(state: State) -> BubbleMark | None:
    """The mark of the bubble that a state belongs to; `None` if the story is not a bubble."""
    if not state.facts:
        return None
    noted = (each for each in state.facts_of(FACTS) if isinstance(each, Mapping) and "bubble_of" in each)
    found = next(noted, None)
    return None if found is None else BubbleMark.model_validate(dict(found))
