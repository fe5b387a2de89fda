"""Messages, and what was decided about them."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Literal, Self

from pydantic import JsonValue, ValidationInfo, field_validator

from ..ids import WORLD
from .base import Record
from .channel import Channel, Context
from .prose import gist, number
from .state import Day

Role = Literal["speaker", "addressee", "present", "overhearing", "absent", "mentioned"]


class Message(Record):
    """What one character said or did."""

    key: str
    """The host's id, or `#{sequence}`; unique in the session."""
    sequence: int
    """Its number in the journal."""
    revision: int = 0
    """0 as first said; each edit or reroll adds one."""
    speaker: str
    """Character id."""
    speak_as: str | None = None
    """The name under which the speaker is in disguise; `None` = their own."""
    content: str
    """The text, without a model's reasoning or a repeated block of memories."""
    game_day: Day
    """The day it was said."""
    scene: str
    """The place it was said at."""
    placed: bool = False
    """Whether the host said where: with `place`, or by a channel that has one. Otherwise it is where its speaker is."""
    channel: Channel = Channel()
    """Where the host heard it."""
    present: tuple[str, ...] | None = None
    """Ids of those who are there, if the host says so for certain. Whispers and thoughts stay what they are."""
    audience: tuple[str, ...] | None = None
    """Ids of those who perceive all of it, if the host says so for certain; `None` leaves that to the detector."""
    timestamp: str
    """When the host reported it, ISO 8601 in UTC."""
    metadata: dict[str, JsonValue] = {}
    """The host's own notes; kept in the journal, never in memories."""

    def __str__(self) -> str:
        which = f"message {self.sequence}, key {self.key!r}"
        speaker = self.speaker if self.speak_as is None else f"{self.speaker} (as {self.speak_as})"
        return f"{speaker} on day {number(self.game_day)} ({which}): {gist(self.content)}"

    @property
    def context(self) -> Context:
        """A direct message, a private channel or a public one."""
        return self.channel.context


class Participant(Record):
    """One character's settled part in one message."""

    role: Role
    """How they took part."""
    confidence: float
    """0 to 1; 1 if the host said so."""
    evidence: tuple[str, ...] = ()
    """Why, in words."""

    @field_validator("confidence", mode="before")
    @classmethod
    def _readable(cls, value: object, info: ValidationInfo) -> object:
        """Nothing is known where an earlier version wrote `null` for NaN."""
        return 0.0 if value is None and info.mode == "json" else value

    def __repr__(self) -> str:
        return f"{self.role} ({': '.join(filter(None, [f'{self.confidence:.2f}', '; '.join(self.evidence)]))})"

    def __str__(self) -> str:
        return repr(self)


class SettledMessage(Record):
    """A message, and who perceived it. Sharing rules see this."""

    message: Message
    """The message in its current revision."""
    participants: dict[str, Participant]
    """Exactly those who perceived it."""
    heard: dict[str, str] = {}
    """Character id → what this participant perceived of it, if that is less than the whole. `""` = nothing."""
    tellable: dict[str, str] = {}
    """What may be passed on of a message that holds a part for nobody else: a thought, something muttered to oneself or
    said out of character. `world` → of the whole; character id → of what this participant perceived in part. If no
    detector has read it, nothing may be passed on, unless the host's `audience` names others than the speaker."""
    spoken_to: tuple[str, ...] | None = None
    """Ids of those who are spoken to, as `addressees` has them; `None` in plans of earlier versions."""
    disguises: dict[str, str] = {}
    """Character id → the name under which this participant was in disguise."""
    retracted: bool = False
    """Whether it was retracted, so that nobody remembers it."""
    degraded: bool = False
    """Whether it was settled fail-closed, because somebody who was asked failed or took too long."""

    def __str__(self) -> str:
        state = " [retracted]" if self.retracted else ""
        return "\n".join([f"{self.message}{state}", *(f"  {id}: {part}" for id, part in self.participants.items())])

    @property
    def key(self) -> str:
        """The message's key."""
        return self.message.key

    @property
    def speaker(self) -> str:
        """Id of the character who said it."""
        return self.message.speaker

    @property
    def content(self) -> str:
        """The text as it now reads."""
        return self.message.content

    @property
    def addressees(self) -> tuple[str, ...]:
        """Ids of those who perceived it and are spoken to, the most certain first. Always some of `participants`."""
        named = by_role(self.participants) if self.spoken_to is None else self.spoken_to
        return tuple(id for id in named if id in self.participants)

    @property
    def edited(self) -> bool:
        """Whether it was edited or rerolled."""
        return self.message.revision > 0

    def heard_by(self, character: str) -> str:
        """What this character perceived of it; `""` for nobody of the participants."""
        return self.heard.get(character, self.message.content) if character in self.participants else ""

    def tellable_by(self, character: str) -> str:
        """What this participant may pass on of it: what they perceived, without thoughts. `""` = nothing."""
        heard = self.heard_by(character)
        if not self.tellable or not heard:
            return heard
        return self.tellable.get(character, self.heard.get(character, self.tellable[WORLD]))

    def as_tellable(self) -> SettledMessage:
        """The message with what may be passed on as its text, and as what each participant perceived."""
        if not self.tellable:
            return self
        heard = {id: self.tellable_by(id) for id in self.heard}
        message = self.message.model_copy(update={"content": self.tellable[WORLD]})
        return self.model_copy(update={"message": message, "heard": heard, "tellable": {}})


def by_role(parts: Mapping[str, Participant]) -> tuple[str, ...]:
    """Ids of those whose role is `addressee`, the most certain first."""
    named = [id for id, part in parts.items() if part.role == "addressee"]
    return tuple(sorted(named, key=lambda id: -parts[id].confidence))


class Messages(tuple[SettledMessage, ...]):
    """Messages that were read back, oldest first: a tuple that says what failed on the way."""

    failures: tuple[str, ...]
    """The guards that failed, each with its reason. What they guard is withheld, so there are no messages then."""

    def __new__(cls, messages: Iterable[SettledMessage] = (), failures: Iterable[str] = ()) -> Self:
        """The messages, and the failures."""
        made = super().__new__(cls, messages)
        made.failures = tuple(failures)
        return made
