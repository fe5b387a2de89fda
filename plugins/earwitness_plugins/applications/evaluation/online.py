"""A scene as a detector sees it: message after message, never the future and never a label.

Between messages the same happens as in END: core folds the movements into the whereabouts, and keeps the last messages.
"""

from __future__ import annotations

from collections.abc import AsyncIterator, Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import Literal

from earwitness.consultation import ask
from earwitness.end.proposals import believable
from earwitness.end.settle import heard, missed, participants
from earwitness.end.whereabouts import folded
from earwitness.formats import as_said
from earwitness.live import RECENT
from earwitness.loading.settings import EndSettings
from earwitness.protocols import Detector
from earwitness.records.character import Cast
from earwitness.records.message import Message, Role
from earwitness.records.moment import Moment, Movement, Perceived, Presence
from earwitness.records.state import State
from earwitness_plugins.applications.replay.roles import Roles
from earwitness_plugins.importers.labelled import LabelledLine, LabelledScene

Directions = Literal["shown", "hidden"]
LONG_AGO = "2000-01-01T00:00:00+00:00"
FIRST = 2
"""Sequence number of a session's first message: the first entry begins the story."""


@dataclass(frozen=True, slots=True)
class Belief:
    """What a detector believes of one character."""

    probability: float
    """That the message reaches this character; 0 where every segment is for others."""
    role: Role
    """How."""
    evidence: tuple[str, ...]
    """Why, in words."""


@dataclass(frozen=True, slots=True)
class JudgedMessage:
    """One message, and what became of it. Names are as the source writes them."""

    index: int
    """Place of the line in the source."""
    text: str
    """As the detector saw it."""
    speakers: tuple[str, ...]
    """Who says it; nobody for narration."""
    parts: Mapping[str, Belief]
    """Everybody the detector spoke of, and those who speak."""
    perceivers: frozenset[str]
    """Who perceives it by the detector's word and END's policy, nobody being asked; of an aside, who perceives that."""
    seconds: float
    """How long the detector took."""
    failure: str | None
    """Why it had no answer; then only the speaker perceives the message."""


class SceneJudge:
    """One scene, told to one detector."""

    def __init__(self, scene: LabelledScene, detector: Detector, end: EndSettings) -> None:
        self._detector = detector
        self._end = end
        self._roles = Roles(_with_those_who_speak_along(scene), Cast())
        self._cast = Cast(members=tuple(self._roles.cast()))
        self._names = {id: name for name, id in self._roles.by_name.items()}
        self._state = State()
        self._recent: tuple[Message, ...] = ()
        self._sequence = FIRST

    async def judge(self, index: int, line: LabelledLine, text: str) -> JudgedMessage:
        """Tell the next message, and take the answer over into everybody's whereabouts."""
        message = self._message(index, line, text)
        moment = Moment(message=message, recent=self._recent, cast=self._cast, state=self._state)
        limit = self._end.detector_timeout
        answered = await ask("detector", lambda: self._detector.detect(moment), Presence, limit)
        believed, failure = (None, answered.failure) if answered.failure else believable(answered.value, moment)
        along = tuple(self._roles.by_name[name] for name in line.along)
        presence = _speaking(believed or Presence.only(message.speaker), along)
        self._fold(message, presence, along)
        return self._judged(index, line, moment, presence, answered.seconds, failure)

    def _message(self, index: int, line: LabelledLine, text: str) -> Message:
        return Message(
            key=line.key or str(index),
            sequence=self._sequence,
            speaker=self._roles.speaker(line),
            content=as_said(text),
            game_day=self._state.game_day,
            scene=self._state.current_scene,
            timestamp=LONG_AGO,
            metadata=line.notes,
        )

    def _fold(self, message: Message, presence: Presence, along: Iterable[str]) -> None:
        moves = (*(Movement(character=id, kind="enter") for id in along), *presence.movements)
        places = folded(self._state.whereabouts, moves, self._state.current_scene, self._sequence)
        self._state = self._state.model_copy(
            update={"whereabouts": places, "message_count": self._state.message_count + 1}
        )
        self._recent = (*self._recent, message)[-RECENT:]
        self._sequence += 1

    def _judged(
        self, index: int, line: LabelledLine, moment: Moment, presence: Presence, seconds: float, failure: str | None
    ) -> JudgedMessage:
        message = moment.message
        parts = reached(moment, presence, self._end)
        heard_by = {id for id, part in parts.items() if part.probability >= self._end.enough}
        heard_by &= _hearing_every_aside(presence, message.speaker, parts)
        names = self._names
        return JudgedMessage(
            index=index,
            text=message.content,
            speakers=() if line.speaker is None else (line.speaker, *line.along),
            parts={names[id]: part for id, part in parts.items() if id in names},
            perceivers=frozenset(names[id] for id in heard_by if id in names),
            seconds=seconds,
            failure=failure,
        )


def reached(moment: Moment, presence: Presence, end: EndSettings) -> dict[str, Belief]:
    """Character id → what is believed, by END's own rules; 0 for whom no segment reaches but the speaker."""
    message = moment.message
    found = participants(moment, presence, None, (), enough=0)
    if end.perception == "segments":
        partly = heard(presence, found, message.speaker, ())
        out = {id for id, text in partly.items() if not text}
    else:
        out = missed(presence, found, message.speaker, ())
    out -= {message.speaker}
    return {
        id: Belief(0.0 if id in out else part.confidence, part.role, part.evidence) for id, part in found.items()
    }  # fmt: skip


def _hearing_every_aside(presence: Presence, speaker: str, everybody: Iterable[str]) -> set[str]:
    """Of a message with an aside in it: those who hear the aside. Of any other: everybody."""
    asides = [segment.audience for segment in presence.segments if segment.kind == "aside"]
    return {id for id in everybody if id == speaker or all(heard is None or id in heard for heard in asides)}


def _speaking(presence: Presence, along: Iterable[str]) -> Presence:
    """Who speaks along perceives what is said."""
    said = Perceived(probability=1, role="speaker", evidence=("said it too",))
    return presence.model_copy(update={"characters": {**presence.characters, **dict.fromkeys(along, said)}})


def _with_those_who_speak_along(scene: LabelledScene) -> LabelledScene:
    along = (name for line in scene.lines for name in line.along)
    return scene.model_copy(update={"roster": tuple(dict.fromkeys((*scene.roster, *along)))})


async def judged_messages(
    scene: LabelledScene, detector: Detector, end: EndSettings, directions: Directions
) -> AsyncIterator[JudgedMessage]:
    """Every message of a scene that is told, in order."""
    watch = SceneJudge(scene, detector, end)
    for index, line, text in told(scene, directions):
        yield await watch.judge(index, line, text)


def told(scene: LabelledScene, directions: Directions) -> Iterator[tuple[int, LabelledLine, str]]:
    """Index, line and text of what a detector gets to see. With hidden directions: no narration, and only the words."""
    for index, line in enumerate(scene.lines):
        if directions == "shown":
            yield index, line, line.text
        elif not line.narration:
            yield index, line, line.text if line.plain is None else line.plain
