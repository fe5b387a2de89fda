"""What a played step shows: one record per step, for people and for `--json`."""

from __future__ import annotations

from typing import Literal

from earwitness.backstage.knowers import Knower
from earwitness.records.base import Record
from earwitness.records.channel import Channel
from earwitness.records.learned import Learned
from earwitness.records.message import Participant


class StoryEvent(Record):
    """One step of a story, as it was played."""

    step: int = 0
    """Number of the step, from 1; 0 for the beginning and the end."""


class StoryBegun(StoryEvent):
    """The story begins."""

    kind: Literal["story"] = "story"
    """The kind of event."""
    session: str
    """Session id."""
    title: str
    """Title for the audience."""
    plot: str | None
    """What the story is about."""
    again: bool
    """Whether it was played into this store before: only new steps are told, and recalls know how it ended."""


class MessagePlayed(StoryEvent):
    """A message was said, edited or rerolled."""

    kind: Literal["say", "edit", "reroll"] = "say"
    """The kind of event."""
    key: str
    """The message's key."""
    speaker: str
    """Character id."""
    speak_as: str | None = None
    """The name under which the speaker is in disguise."""
    text: str
    """What was said."""
    channel: Channel
    """Where it was said."""
    participants: dict[str, Participant]
    """Character id → how the character perceived it."""
    addressees: tuple[str, ...] = ()
    """Ids of those who perceived it and are spoken to, the most certain first."""
    absent: tuple[str, ...]
    """Ids of those who did not perceive it."""
    knowledge: dict[str, tuple[str, ...]]
    """Character id → world news told along with it."""
    degraded: bool
    """Whether it was settled fail-closed."""
    failures: tuple[str, ...]
    """Plugins and strategies that failed, and why."""


class WorldUpdateShown(Record):
    """One update that the world remembers now."""

    text: str
    """The update as the world's container holds it."""
    audience: tuple[str, ...]
    """Ids of those who may learn it; not used when it is public."""
    public: bool = False
    """Whether everybody may learn it."""


class ChangePlayed(StoryEvent):
    """The state changed, somebody came, went or moved, or a channel got other members."""

    kind: Literal["change", "update", "enter", "leave", "move", "channel"]
    """The kind of event."""
    key: str
    """Key of the journal entry."""
    characters: tuple[str, ...] = ()
    """Who came, went or moved, or is in the channel."""
    place: str | None = None
    """The new place, or that of the channel."""
    channel: Channel | None = None
    """The channel that got other members."""
    day: float
    """The game day now."""
    scene: str
    """The scene now."""
    updates: tuple[WorldUpdateShown, ...] = ()
    """Updates that the world was told."""


class RecalledMemory(Record):
    """One memory that came to mind."""

    id: str
    """Memory id: `earwitness explain` takes it."""
    type: str
    """`message`, `plot`, `lore`, …."""
    text: str
    """What is remembered, without headings; an excerpt, if it is longer than its share of the token budget."""
    permanent: bool
    """Whether it is from before the story."""
    learned_day: float | None
    """Game day on which it was learned."""
    learned: Learned
    """How the character came to know it."""
    score: float
    """The score it was ranked by."""
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
    """The best memories that came to mind."""
    total: int
    """Number of memories that came to mind."""
    notes: tuple[str, ...] = ()
    """What plugins and guards say above the memories, such as who is listening."""
    consulted: tuple[str, ...] = ()
    """Who asked a model about the recall, what came of that, and what it cost."""
    failures: tuple[str, ...] = ()
    """What failed."""


class WhoKnowsPlayed(StoryEvent):
    """Who knows about something, and how."""

    kind: Literal["who_knows"] = "who_knows"
    """The kind of event."""
    text: str
    """What they may know about."""
    knowers: dict[str, Knower]
    """Character id → what was found."""


class RetractionPlayed(StoryEvent):
    """A message was retracted."""

    kind: Literal["retract"] = "retract"
    """The kind of event."""
    key: str
    """The message's key."""


class UnmaskingPlayed(StoryEvent):
    """It was revealed who is behind a name."""

    kind: Literal["unmask"] = "unmask"
    """The kind of event."""
    key: str
    """Key of the journal entry."""
    text: str
    """What was revealed."""
    learners: tuple[str, ...]
    """Ids of those who know it now."""


class ActPlayed(StoryEvent):
    """Something was done that is neither a message nor a change: about memories, the cast, or a package's step."""

    kind: Literal["tell", "remember", "archive", "restore", "join", "forget", "prepare", "added"]
    """The kind of event."""
    name: str
    """The name of the step."""
    key: str
    """The step's key."""
    text: str
    """What was done, in a sentence."""


class NotePlayed(StoryEvent):
    """A note for the audience."""

    kind: Literal["note"] = "note"
    """The kind of event."""
    text: str
    """The note."""


class StoryEnded(StoryEvent):
    """The end of the story: who remembers what."""

    kind: Literal["end"] = "end"
    """The kind of event."""
    session: str
    """Session id."""
    memories: dict[str, int]
    """Character id → number of memories."""
    questions: tuple[WhoKnowsPlayed, ...]
    """The questions of the story, asked again at the end."""
