"""A rehearsal: what END makes of message after message with one detector, without a session. Nothing is stored.

Between messages the same happens as in a session: movements are folded into the whereabouts, and the last messages are
kept. Nobody but the detector is asked.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable
from dataclasses import dataclass

from .consultation import ask
from .end.proposals import believable
from .end.settle import heard, missed, participants
from .end.whereabouts import folded
from .live import RECENT
from .loading.settings import EndSettings
from .protocols import Detector
from .records.character import Cast
from .records.message import Message, Participant
from .records.moment import Moment, Movement, Perceived, Presence
from .records.state import State
from .redaction import without

FIRST = 2
"""Sequence number of a session's first message: the first entry begins the story."""


@dataclass(frozen=True, slots=True)
class RehearsedMessage:
    """One message, and what became of it."""

    presence: Presence
    """What the detector answered, as far as it can be believed; without a usable answer, only the speaker."""
    reached: dict[str, Participant]
    """Character id → what is believed; the confidence is 0 for those who perceive none of it."""
    seconds: float
    """Time that the detector took."""
    failure: str | None
    """Why the detector had no answer, or what was ignored in it."""


class Rehearsal:
    """Messages of one cast, told to one detector."""

    def __init__(self, cast: Cast, detector: Detector, end: EndSettings, secrets: Collection[str] = ()) -> None:
        """`secrets` are those that the detector was made from: no failure quotes them."""
        self._cast = cast
        self._detector = detector
        self._end = end
        self._secrets = secrets
        self._recent: tuple[Message, ...] = ()
        self.state = State()
        """The state after the last message."""
        self.sequence = FIRST
        """The sequence number of the next message."""

    async def hear(self, message: Message, along: Collection[str] = ()) -> RehearsedMessage:
        """Ask about the next message, and take the answer over. `along` are ids of those who say it too."""
        moment = Moment(message=message, recent=self._recent, cast=self._cast, state=self.state)
        answered = await ask("detector", lambda: self._detector.detect(moment), Presence, self._end.detector_timeout)
        believed, failure = (None, answered.failure) if answered.failure else believable(answered.value, moment)
        failure = without(failure, self._secrets) if failure else None
        presence = _speaking(believed or Presence.only(message.speaker), along)
        self._fold(message, presence, along)
        return RehearsedMessage(presence, _reached(moment, presence, self._end), answered.seconds, failure)

    def _fold(self, message: Message, presence: Presence, along: Iterable[str]) -> None:
        moves = (*(Movement(character=id, kind="enter") for id in along), *presence.movements)
        places = folded(self.state.whereabouts, moves, self.state.current_scene, self.sequence)
        changes = {"whereabouts": places, "message_count": self.state.message_count + 1}
        self.state = self.state.model_copy(update=changes)
        self._recent = (*self._recent, message)[-RECENT:]
        self.sequence += 1


def _speaking(presence: Presence, along: Iterable[str]) -> Presence:
    """The presence, with those who say the message too."""
    said = Perceived(probability=1, role="speaker", evidence=("said it too",))
    return presence.model_copy(update={"characters": {**presence.characters, **dict.fromkeys(along, said)}})


def _reached(moment: Moment, presence: Presence, end: EndSettings) -> dict[str, Participant]:
    """Participants by END's own rules; with confidence 0 where no segment reaches a listener."""
    speaker = moment.message.speaker
    found = participants(moment, presence, None, (), enough=0)
    if end.perception == "segments":
        out = {id for id, text in heard(presence, found, speaker, ()).items() if not text}
    else:
        out = missed(presence, found, speaker, ())
    nothing = {id: found[id].model_copy(update={"confidence": 0.0}) for id in out - {speaker}}
    return {**found, **nothing}
