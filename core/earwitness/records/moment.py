"""What a detector sees, and what it answers."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Annotated, Literal

from pydantic import ConfigDict, Field, SkipValidation

from ..plugin_data import PluginData
from .base import Record
from .channel import Channel
from .character import Cast
from .message import Message, Role
from .state import Condition, State, Whereabouts
from .usage import Reply

Probability = Annotated[float, Field(ge=0, le=1)]


class Moment(Record):
    """One message and everything that may be known when it is judged. Never the future."""

    model_config = ConfigDict(frozen=True, extra="forbid", arbitrary_types_allowed=True)

    session: str = ""
    """Session id."""

    message: Message
    """The message to judge."""
    recent: tuple[Message, ...] = ()
    """The messages before it, oldest first."""
    cast: Cast
    """Everybody in the session."""
    state: State
    """The state before the message, with everyone's whereabouts after the previous one."""
    data: SkipValidation[PluginData] = Field(default_factory=lambda: PluginData({}), exclude=True, repr=False)
    """The detector's own durable data for this session."""

    @property
    def day(self) -> float:
        """The game day of the message."""
        return self.message.game_day

    @property
    def channel(self) -> Channel:
        """Where the host heard the message."""
        return self.message.channel

    @property
    def whereabouts(self) -> Mapping[str, Whereabouts]:
        """Character id → where they were after the previous message."""
        return self.state.whereabouts

    @property
    def candidates(self) -> frozenset[str]:
        """Ids of those who can be found to perceive the message: the speaker, whom the host counts into the session or
        has placed itself, and narrators. Without a count, everybody."""
        if not self.state.participants:
            return frozenset(self.cast.ids)
        placed = (id for id, where in self.whereabouts.items() if where.certain)
        narrators = (member.id for member in self.cast if member.kind == "narrator")
        return frozenset((self.message.speaker, *self.state.participants, *placed, *narrators))


class Perceived(Record):
    """What a detector believes of one character."""

    probability: Probability
    """That this character perceives the message."""
    role: Role
    """How."""
    evidence: tuple[str, ...] = ()
    """Why, in words."""


class Movement(Record):
    """Somebody comes, goes, changes place, falls asleep, hides and so on."""

    character: str
    """Character id."""
    kind: Literal["enter", "leave", "move", "become"]
    """`enter` and `leave` mean the current scene; `move` names the place, `become` the condition."""
    place: str | None = None
    """Where to, for `move`; where to if known, for `leave`."""
    condition: Condition = "awake"
    """What they become, for `become`: asleep, unconscious or dead they perceive nothing until they enter or wake."""
    evidence: str = ""
    """Why, in words."""
    certain: bool = False
    """The host said so; never so of what a detector says."""


class Segment(Record):
    """One piece of a message that reads as one thing: role-play text is not one lump."""

    text: str
    """As written, markup included."""
    kind: Literal["spoken", "action", "whisper", "thought", "ooc", "aside"]
    """How it is told; `ooc` is said out of character, and is delivered to nobody."""
    audience: tuple[str, ...] | None = None
    """Ids of those who can perceive it besides the speaker; `None` = everybody who perceives the message."""


class Presence(Reply):
    """A detector's answer: each character's part, and who moved."""

    characters: dict[str, Perceived]
    """Character id → what is believed. Who is left out is absent."""
    movements: tuple[Movement, ...] = ()
    """Core folds these into the whereabouts, in this order, after the message."""
    segments: tuple[Segment, ...] = ()
    """The message in pieces, in order; each participant receives those she could perceive. Empty = one open piece."""

    @classmethod
    def only(cls, speaker: str, why: str = "said it") -> Presence:
        """The fail-closed answer: nobody but the speaker."""
        return cls(characters={speaker: Perceived(probability=1, role="speaker", evidence=(why,))})
