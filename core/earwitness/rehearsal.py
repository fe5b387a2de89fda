"""A detector told a transcript without a ledger: each message is settled as END would, if nobody else were asked.

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
from .end.proposals import detect
from .end.settle import participants, settled_message
from .end.whereabouts import state_after
from .formats import as_said
from .live import RECENT
from .loading.settings import EndSettings
from .plugin_data import PluginData
from .protocols import Detector
from .records.base import Record
from .records.character import Cast, Character, as_cast
from .records.message import Message, Participant, SettledMessage
from .records.moment import Moment, Movement, Perceived, Presence
from .records.state import State
from .strategy import Strategy

FIRST_MESSAGE = 2
"""Sequence number of a session's first message: the first entry begins the story."""
LONG_AGO = "2000-01-01T00:00:00+00:00"


class Judgement(Record):
    """One message, and what was made of the detector's answer."""

    presence: Presence
    """What is believed; the speaker alone, where the detector failed."""
    settled: SettledMessage
    """Who perceives it, by END's policy."""
    beliefs: dict[str, Participant]
    """Everybody the detector spoke of, however unlikely; with confidence 0 whoever could perceive no part of it."""
    seconds: float
    """How long the detector took."""
    failure: str | None = None
    """Why it had no usable answer."""


class Rehearsal:
    """One scene, told to one detector: message after message, and never the future."""

    def __init__(
        self,
        detector: Detector,
        cast: Iterable[Character | str],
        *,
        end: EndSettings = EndSettings(),  # noqa: B008 - frozen
        state: State = State(),  # noqa: B008 - frozen
        secrets: Iterable[str] = (),
    ) -> None:
        """`state` is the one before the first message; `secrets` are those of the detector, which no failure may quote.

        Raises `InputError` for a cast that is none.
        """
        self._detector = Strategy("detector", type(detector).__name__.lower(), detector, secrets=tuple(secrets))
        self._consultant = Consultant(limit=end.plugin_timeout, strict=False)
        self._end = end
        self._kept: dict[str, JsonValue] = {}
        self._recent: tuple[Message, ...] = ()
        self._sequence = FIRST_MESSAGE
        self.cast: Cast = cast if isinstance(cast, Cast) else as_cast(cast)
        """Everybody in the scene."""
        self.state: State = state
        """The state after the last message, with everybody's whereabouts."""

    async def tell(
        self,
        speaker: str,
        content: str,
        *,
        key: str | None = None,
        together_with: Iterable[str] = (),
        metadata: Mapping[str, Any] | None = None,
    ) -> Judgement:
        """Tell the next message, and take the answer over into everybody's whereabouts.

        `together_with` are ids of those who say it too: they perceive it, and are here. Raises `UnknownName`.
        """
        message = self._message(self.cast.named(speaker).id, content, key, dict(metadata or {}))
        moment = Moment(message=message, recent=self._recent, cast=self.cast, state=self.state)
        answered = await self._asked(moment)
        chorus = tuple(together_with)
        presence = _with_chorus(answered.value or Presence.only(message.speaker), chorus)
        settled = settled_message(message, presence, self._found(moment, presence, self._end.enough), self._end)
        self._advance(settled, presence, chorus)
        beliefs = self._beliefs(moment, presence)
        return Judgement(
            presence=presence, settled=settled, beliefs=beliefs, seconds=answered.seconds, failure=answered.failure
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

    def _advance(self, settled: SettledMessage, presence: Presence, chorus: Iterable[str]) -> None:
        moves = (*(Movement(character=id, kind="enter") for id in chorus), *presence.movements)
        self.state = state_after(self.state, settled, moves, self._sequence)
        self._recent = (*self._recent, settled.message)[-RECENT:]
        self._sequence += 1


def _with_chorus(presence: Presence, chorus: Iterable[str]) -> Presence:
    said = Perceived(probability=1, role="speaker", evidence=("said it too",))
    return presence.model_copy(update={"characters": {**presence.characters, **dict.fromkeys(chorus, said)}})
