"""What a played step shows: one record a step, for people and for `--json` alike."""

from __future__ import annotations

from typing import Literal

from earwitness.backstage.records import Knower
from earwitness.records.base import Record
from earwitness.records.channel import Channel
from earwitness.records.learned import Learned
from earwitness.records.message import Participant


class StoryEvent(Record):
    """One step as it went."""

    step: int = 0
    """Its number, from 1; 0 for what frames the story."""


class StoryBegun(StoryEvent):
    """The story begins."""

    kind: Literal["story"] = "story"
    """The kind of event."""
    session: str
    """Session id."""
    title: str
    """For whoever watches."""
    plot: str | None
    """What it is about."""
    again: bool
    """It was played into this store before: only what is new will be told, and recalls see how it ended."""


class MessagePlayed(StoryEvent):
    """Something was said, or said anew."""

    kind: Literal["say", "edit", "reroll"] = "say"
    """The kind of event."""
    key: str
    """The message's key."""
    speaker: str
    """Character id."""
    text: str
    """What was said."""
    channel: Channel
    """Where."""
    participants: dict[str, Participant]
    """Who perceived it, and how."""
    absent: tuple[str, ...]
    """Who did not."""
    knowledge: dict[str, tuple[str, ...]]
    """Character id → news of the world that was told along."""
    degraded: bool
    """Settled fail-closed."""
    failures: tuple[str, ...]
    """What failed, by name."""


class UpdateTold(Record):
    """One thing the world now remembers."""

    text: str
    """As it stands in the world's container."""
    audience: tuple[str, ...]
    """Who may come to know it; everybody, when it is public."""
    public: bool = False
    """Everybody may know."""


class ChangePlayed(StoryEvent):
    """The world changed, or somebody came or went."""

    kind: Literal["change", "update", "enter", "leave", "move"]
    """The kind of event."""
    key: str
    """The entry's key."""
    characters: tuple[str, ...] = ()
    """Who came, went or moved."""
    place: str | None = None
    """Where to."""
    day: float
    """The game day now."""
    scene: str
    """The scene now."""
    updates: tuple[UpdateTold, ...] = ()
    """What the world was told."""


class RecalledMemory(Record):
    """One memory that came to mind."""

    id: str
    """Memory id: `earwitness explain` takes it."""
    type: str
    """`message`, `plot`, `lore`, …."""
    text: str
    """What is remembered, without headings."""
    permanent: bool
    """From before the story."""
    learned_day: float | None
    """Since when."""
    learned: Learned
    """How the character came to know it."""
    score: float
    """What it was ranked by."""
    why: str
    """The score by part, in words."""
    unsayable: str | None = None
    """Why the character must not say it here; `None` where it may be said."""


class RecallPlayed(StoryEvent):
    """What a character remembers now."""

    kind: Literal["recall"] = "recall"
    """The kind of event."""
    character: str
    """Character id."""
    query: str | None
    """What was asked; `None`: what the recent messages bring to mind."""
    memories: tuple[RecalledMemory, ...]
    """The best of what came to mind."""
    total: int
    """How many came to mind."""


class WhoKnowsPlayed(StoryEvent):
    """Who knows of something, and how."""

    kind: Literal["who_knows"] = "who_knows"
    """The kind of event."""
    text: str
    """What they may know of."""
    knowers: dict[str, Knower]
    """Character id → what was found."""


class RetractionPlayed(StoryEvent):
    """A message was taken back."""

    kind: Literal["retract"] = "retract"
    """The kind of event."""
    key: str
    """The message's key."""


class NotePlayed(StoryEvent):
    """A word to whoever watches."""

    kind: Literal["note"] = "note"
    """The kind of event."""
    text: str
    """The word."""


class StoryEnded(StoryEvent):
    """The story is over: who remembers what."""

    kind: Literal["end"] = "end"
    """The kind of event."""
    session: str
    """Session id."""
    memories: dict[str, int]
    """Character id → how many memories they hold."""
    questions: tuple[WhoKnowsPlayed, ...]
    """What was asked during the story, asked again at the end."""
