"""What a bubble notes in its own journal, so that rules, reads and the guard know that they are in one."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Literal

from earwitness import Record, State

FACTS = "canon"
"""The name under which canon notes its facts."""
KnownInside = Literal["cards", "global", "personal", "users", "pantheons", "story"]


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


def mark_of(state: State) -> BubbleMark | None:
    """The mark of the bubble that a state belongs to; `None` if the story is no bubble."""
    if not state.facts:
        return None
    noted = (each for each in state.facts_of(FACTS) if isinstance(each, Mapping) and "bubble_of" in each)
    found = next(noted, None)
    return None if found is None else BubbleMark.model_validate(dict(found))
