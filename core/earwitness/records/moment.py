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
    """One message and everything that may be known when it is judged. It never holds the future."""

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
    disguises: dict[str, str] = {}
    """Character id → the name under which they are in disguise. In `cast` it is their name, and their own an alias."""
    earlier_casts: dict[str, Cast] = {}
    """Key of a recent message → the cast under the names worn when it was said, where these were others than now. It is
    without those of whom that is not known."""
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

    def cast_at(self, message: Message) -> Cast:
        """The cast under the names worn when this one or a recent message was said; tell of its deeds with them."""
        return self.earlier_casts.get(message.key, self.cast)

    @property
    def placed(self) -> bool:
        """Whether the host says where it is said, so that who is there hears it; never for a direct message."""
        message = self.message
        return message.context != "dm" and (message.placed or message.scene != self.state.current_scene)

    @property
    def whereabouts(self) -> Mapping[str, Whereabouts]:
        """Character id → where they were after the previous message."""
        return self.state.whereabouts

    @property
    def candidates(self) -> frozenset[str]:
        """Ids of those who can possibly perceive the message: the speaker, the session's participants, characters whom
        the host has placed, and narrators. Where the host names no participants, the whole cast."""
        if not self.state.participants:
            return frozenset(self.cast.ids)
        placed = (id for id, where in self.whereabouts.items() if where.certain)
        return frozenset((self.message.speaker, *self.state.participants, *placed, *self.cast.narrators))


class Perceived(Record):
    """What a detector believes about one character."""

    probability: Probability
    """The probability that this character perceives the message."""
    role: Role
    """How they take part."""
    evidence: tuple[str, ...] = ()
    """Why, in words."""

    def __str__(self) -> str:
        return f"{self.role} ({': '.join(filter(None, [f'{self.probability:.2f}', '; '.join(self.evidence)]))})"


class Movement(Record):
    """A character comes, goes, changes place, falls asleep, hides and so on."""

    character: str
    """Character id."""
    kind: Literal["enter", "leave", "move", "become"]
    """`enter` and `leave` concern the current scene; `move` names a place, `become` a condition."""
    place: str | None = None
    """Where to: always for `move`, if known for `leave`."""
    condition: Condition = "awake"
    """The new condition, for `become`. The asleep, unconscious and dead perceive nothing until they enter or wake."""
    evidence: str = ""
    """Why, in words."""
    certain: bool = False
    """Whether the host said so. Movements that a detector reports are never certain."""

    def __str__(self) -> str:
        to = f" to {self.place}" if self.place else ""
        done = {"enter": "enters", "leave": f"leaves{to}", "move": f"goes{to}", "become": f"is {self.condition}"}
        return f"{self.character} {done[self.kind]}" + (f" ({self.evidence})" if self.evidence else "")


class Segment(Record):
    """One piece of a message, such as a spoken line, an action or a whisper."""

    text: str
    """As written, markup included."""
    kind: Literal["spoken", "action", "whisper", "thought", "ooc", "aside"]
    """What it is. `ooc`, said out of character, is delivered to nobody."""
    audience: tuple[str, ...] | None = None
    """Ids of those who can perceive it, besides the speaker; `None` = everybody who perceives the message."""


class Presence(Reply):
    """A detector's answer: each character's part, and who moved."""

    characters: dict[str, Perceived]
    """Character id → what the detector believes. A character who is left out is absent."""
    movements: tuple[Movement, ...] = ()
    """Movements, in order. Core folds them into the whereabouts after the message."""
    segments: tuple[Segment, ...] = ()
    """The message in pieces, in order. Each participant receives the pieces they could perceive. Empty = one piece that
    everybody perceives."""
    addressees: tuple[str, ...] | None = None
    """Ids of those who are spoken to, the most certain first; `None` = those with the role `addressee`. Core leaves out
    who does not perceive the message."""

    def __str__(self) -> str:
        segments = (f"{each.kind}: {each.text}" for each in self.segments)
        found = (f"{id}: {part}" for id, part in self.characters.items())
        return "\n".join([*found, *map(str, self.movements), *segments])

    @classmethod
    def only(cls, speaker: str, why: str = "said it") -> Presence:
        """The fail-closed answer: nobody but the speaker."""
        return cls(characters={speaker: Perceived(probability=1, role="speaker", evidence=(why,))})
