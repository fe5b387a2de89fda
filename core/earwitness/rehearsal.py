"""Runs a detector on a transcript without a ledger. Each message is settled as END would settle it, without plugins.

::

    rehearsal = Rehearsal(LastTwo(), ["alice", "bob", "charlie"])
    judgement = await rehearsal.tell("alice", "Bob, let us go.")
    print(judgement.settled.participants)
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from pydantic import JsonValue

from .consultation import Answered, Consultant
from .end.host_word import as_host_says
from .end.proposals import detect
from .end.settle import participants, settled_message
from .end.whereabouts import folded, state_after
from .formats import as_said
from .live import RECENT
from .loading.end_settings import EndSettings
from .plugin_data import PluginData
from .protocols import Detector
from .records.base import Record
from .records.character import Cast, Character, as_cast
from .records.message import Message, Participant, SettledMessage
from .records.moment import Moment, Movement, Perceived, Presence
from .records.state import State
from .redaction import secrets_held
from .strategy import Strategy

FIRST_MESSAGE = 2
"""Sequence number of a session's first message. The first entry begins the story."""
LONG_AGO = "2000-01-01T00:00:00+00:00"


class Judgement(Record):
    """The result for one message: the detector's answer, and what followed from it."""

    presence: Presence
    """The presence that is believed; only the speaker, if the detector failed."""
    settled: SettledMessage
    """The message with those who perceive it by END's policy."""
    beliefs: dict[str, Participant]
    """Every character in the detector's answer, however unlikely; with confidence 0 if they could perceive no part."""
    seconds: float
    """How long the detector took."""
    failure: str | None = None
    """Why the detector gave no usable answer; `None` if it gave one."""
    ignored: str | None = None
    """What of a usable answer was ignored, such as names of nobody in the cast; `None` = nothing."""


class Rehearsal:
    """One scene, played to one detector message by message. The detector never sees later messages."""

    def __init__(
        self,
        detector: Detector,
        cast: Iterable[Character | str],
        *,
        end: EndSettings = EndSettings(),  # noqa: B008 - frozen
        state: State = State(),  # noqa: B008 - frozen
        present: Iterable[str] = (),
        secrets: Iterable[str] = (),
    ) -> None:
        """`state` is the state before the first message, and `present` are the ids of those who are there then, as in
        `Earwitness.session`. Failures never quote the detector's `secrets`, nor those that it holds as `SecretStr`.

        Raises `InputError` for an invalid cast.
        """
        known = (*secrets, *secrets_held(detector))
        self._detector = Strategy("detector", type(detector).__name__.lower(), detector, secrets=known)
        self._consultant = Consultant(limit=end.plugin_timeout, strict=False)
        self._end = end
        self._kept: dict[str, JsonValue] = {}
        self._recent: tuple[Message, ...] = ()
        self._sequence = FIRST_MESSAGE
        self.cast: Cast = cast if isinstance(cast, Cast) else as_cast(cast)
        """All characters of the scene."""
        present = tuple(present)
        self.state: State = state.model_copy(
            update={
                "present_told": state.present_told or bool(present),
                "whereabouts": folded(state.whereabouts, _entering(present), state.current_scene, FIRST_MESSAGE - 1),
            }
        )
        """The state after the last message, including where the characters are."""

    async def tell(
        self,
        speaker: str,
        content: str,
        *,
        key: str | None = None,
        present: Iterable[str] | None = None,
        together_with: Iterable[str] = (),
        metadata: Mapping[str, Any] | None = None,
    ) -> Judgement:
        """Say the next message, and update where the characters are from the detector's answer.

        `present` are the ids of those who are there, as in `Session.say`. `together_with` are the ids of characters who
        say it too. They are here and perceive it. Raises `UnknownName`.
        """
        message = self._message(self.cast.named(speaker).id, content, key, dict(metadata or {}))
        if present is not None:
            message = message.model_copy(update={"present": tuple(present)})
        seen = Moment(message=message, recent=self._recent, cast=self.cast, state=self.state)
        moment, placed = as_host_says(seen)
        answered = await self._asked(moment)
        chorus = tuple(together_with)
        presence = _with_chorus(answered.value or Presence.only(message.speaker), chorus)
        settled = settled_message(message, presence, self._found(moment, presence, self._end.enough), self._end)
        self._advance(settled, (*placed, *_entering(chorus), *presence.movements))
        beliefs = self._beliefs(moment, presence)
        usable = answered.value is not None
        return Judgement(
            presence=presence,
            settled=settled,
            beliefs=beliefs,
            seconds=answered.seconds,
            failure=None if usable else answered.failure,
            ignored=answered.failure if usable else None,
        )

    def _message(self, speaker: str, content: str, key: str | None, metadata: dict[str, Any]) -> Message:
        return Message(
            key=f"#{self._sequence}" if key is None else key,
            sequence=self._sequence,
            speaker=speaker,
            content=as_said(content),
            game_day=self.state.game_day,
            scene=self.state.current_scene,
            timestamp=LONG_AGO,
            metadata=metadata,
        )

    async def _asked(self, moment: Moment) -> Answered[Presence]:
        data = PluginData(self._kept)
        own = {self._detector.data_owner: data}
        answered = await detect(self._consultant, self._detector, moment, own, self._end.detector_timeout)
        kept = {**self._kept, **data.changes}
        self._kept = {key: value for key, value in kept.items() if value is not None}
        return answered

    def _found(self, moment: Moment, presence: Presence, enough: float) -> dict[str, Participant]:
        return participants(moment, presence, None, (), enough)

    def _beliefs(self, moment: Moment, presence: Presence) -> dict[str, Participant]:
        everybody = self._found(moment, presence, 0)
        reached = settled_message(moment.message, presence, everybody, self._end).participants
        return {
            id: part if id in reached else part.model_copy(update={"confidence": 0.0}) for id, part in everybody.items()
        }

    def _advance(self, settled: SettledMessage, moves: Iterable[Movement]) -> None:
        self.state = state_after(self.state, settled, moves, self._sequence)
        self._recent = (*self._recent, settled.message)[-RECENT:]
        self._sequence += 1


def _entering(chorus: Iterable[str]) -> Iterable[Movement]:
    return (Movement(character=id, kind="enter") for id in chorus)


def _with_chorus(presence: Presence, chorus: Iterable[str]) -> Presence:
    said = Perceived(probability=1, role="speaker", evidence=("said it too",))
    return presence.model_copy(update={"characters": {**presence.characters, **dict.fromkeys(chorus, said)}})
