"""Messages, and what was settled about them."""

from __future__ import annotations

from typing import Literal

from pydantic import JsonValue

from .base import Record
from .channel import Channel, Context
from .state import Day

Role = Literal["speaker", "addressee", "present", "overhearing", "absent", "mentioned"]


class Message(Record):
    """What one character said or did."""

    key: str
    """The host's id, else `#{sequence}`; unique in the session."""
    sequence: int
    """Its place in the journal."""
    revision: int = 0
    """0 as first said; each edit or reroll adds one."""
    speaker: str
    """Character id."""
    content: str
    """The text, without any block of memories we injected."""
    game_day: Day
    """The day it was said."""
    scene: str
    """The place it was said at."""
    channel: Channel = Channel()
    """Where the host heard it."""
    present: tuple[str, ...] | None = None
    """The host's certain word on who perceives it (ids, speaker included); `None` leaves it to the detector."""
    timestamp: str
    """When the host handed it in, ISO 8601 in UTC."""
    metadata: dict[str, JsonValue] = {}
    """The host's own notes; kept in the journal, never in memories."""

    @property
    def context(self) -> Context:
        """A direct message, a closed or an open channel."""
        return self.channel.context


class Participant(Record):
    """One character's settled part in one message."""

    role: Role
    """How they took part."""
    confidence: float
    """0 to 1; 1 when the host said so."""
    evidence: tuple[str, ...] = ()
    """Why, in words."""

    def __repr__(self) -> str:
        return f"{self.role} ({self.confidence:.2f}: {'; '.join(self.evidence)})"


class SettledMessage(Record):
    """A message with everything decided about who perceived it. Sharing rules see this."""

    message: Message
    """The message in its current revision."""
    participants: dict[str, Participant]
    """Exactly those who perceived it."""
    heard: dict[str, str] = {}
    """What a participant perceived of it, where that is less than the whole; an empty text is nothing at all."""
    retracted: bool = False
    """Taken back: nobody remembers it."""
    degraded: bool = False
    """Settled fail-closed, because a decision did not come in time or failed."""

    def heard_by(self, character: str) -> str:
        """What this participant perceived of it."""
        return self.heard.get(character, self.message.content)
