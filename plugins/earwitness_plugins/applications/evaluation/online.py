"""A scene as a detector sees it: message after message, never the future and never a label.

`earwitness.rehearsal` does with each message what END would do.
"""

from __future__ import annotations

from collections.abc import AsyncIterator, Collection, Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import Literal

from earwitness.formats import as_said
from earwitness.loading.settings import EndSettings
from earwitness.protocols import Detector
from earwitness.records.character import Cast
from earwitness.records.message import Message, Participant, Role
from earwitness.records.moment import Presence
from earwitness.rehearsal import Rehearsal
from earwitness_plugins.applications.replay.roles import Roles
from earwitness_plugins.importers.labelled import LabelledLine, LabelledScene

Directions = Literal["shown", "hidden"]
LONG_AGO = "2000-01-01T00:00:00+00:00"


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

    def __init__(
        self, scene: LabelledScene, detector: Detector, end: EndSettings, secrets: Collection[str] = ()
    ) -> None:
        self._end = end
        self._roles = Roles(_with_those_who_speak_along(scene), Cast())
        self._names = {id: name for name, id in self._roles.by_name.items()}
        self._rehearsal = Rehearsal(Cast(members=tuple(self._roles.cast())), detector, end, secrets)

    async def judge(self, index: int, line: LabelledLine, text: str) -> JudgedMessage:
        """Tell the next message, and say what became of it."""
        message = self._message(index, line, text)
        told = await self._rehearsal.hear(message, tuple(self._roles.by_name[name] for name in line.along))
        heard_by = {id for id, part in told.reached.items() if part.confidence >= self._end.enough}
        heard_by &= _hearing_every_aside(told.presence, message.speaker, told.reached)
        names = self._names
        return JudgedMessage(
            index=index,
            text=message.content,
            speakers=() if line.speaker is None else (line.speaker, *line.along),
            parts={names[id]: _belief(part) for id, part in told.reached.items() if id in names},
            perceivers=frozenset(names[id] for id in heard_by if id in names),
            seconds=told.seconds,
            failure=told.failure,
        )

    def _message(self, index: int, line: LabelledLine, text: str) -> Message:
        state = self._rehearsal.state
        return Message(
            key=line.key or str(index),
            sequence=self._rehearsal.sequence,
            speaker=self._roles.speaker(line),
            content=as_said(text),
            game_day=state.game_day,
            scene=state.current_scene,
            timestamp=LONG_AGO,
            metadata=line.notes,
        )


def _belief(part: Participant) -> Belief:
    return Belief(part.confidence, part.role, part.evidence)


def _hearing_every_aside(presence: Presence, speaker: str, everybody: Iterable[str]) -> set[str]:
    """Of a message with an aside in it: those who hear the aside. Of any other: everybody."""
    asides = [segment.audience for segment in presence.segments if segment.kind == "aside"]
    return {id for id in everybody if id == speaker or all(heard is None or id in heard for heard in asides)}


def _with_those_who_speak_along(scene: LabelledScene) -> LabelledScene:
    along = (name for line in scene.lines for name in line.along)
    return scene.model_copy(update={"roster": tuple(dict.fromkeys((*scene.roster, *along)))})


async def judged_messages(
    scene: LabelledScene,
    detector: Detector,
    end: EndSettings,
    directions: Directions,
    secrets: Collection[str] = (),
) -> AsyncIterator[JudgedMessage]:
    """Every message of a scene that is told, in order. No failure quotes one of the `secrets`."""
    watch = SceneJudge(scene, detector, end, secrets)
    for index, line, text in told(scene, directions):
        yield await watch.judge(index, line, text)


def told(scene: LabelledScene, directions: Directions) -> Iterator[tuple[int, LabelledLine, str]]:
    """Index, line and text of what a detector gets to see. With hidden directions: no narration, and only the words."""
    for index, line in enumerate(scene.lines):
        if directions == "shown":
            yield index, line, line.text
        elif not line.narration:
            yield index, line, line.text if line.plain is None else line.plain
