"""A labelled scene as a detector sees it: message after message, never the future and never a label."""

from __future__ import annotations

from collections.abc import AsyncIterator, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Literal

from earwitness.protocols import Detector
from earwitness.records.character import Cast
from earwitness.records.message import Participant
from earwitness.records.usage import Spending, calls_of
from earwitness.rehearsal import Judgement, Rehearsal
from earwitness_plugins.applications.replay.roles import Roles
from earwitness_plugins.importers.labelled import LabelledLine, LabelledScene

from .detector_spec import DetectorSpec

Directions = Literal["shown", "hidden"]


@dataclass(frozen=True, slots=True)
class JudgedMessage:
    """One message, and what the detector made of it. Characters go by the names in the source."""

    index: int
    """Index of the line in the source."""
    text: str
    """As the detector saw it."""
    speakers: tuple[str, ...]
    """Those who say it; nobody for narration."""
    beliefs: Mapping[str, Participant]
    """Everybody the detector spoke of, and the speakers."""
    perceivers: frozenset[str]
    """Those who perceive it by END's policy, if nobody else is asked; with an aside in it, those who hear the aside."""
    seconds: float
    """How long the detector took."""
    failure: str | None
    """Why there is no answer; then only the speaker perceives the message."""
    ignored: str | None = None
    """What of the answer was ignored, such as names of nobody in the cast."""
    heard: Mapping[str, str] = field(default_factory=dict)
    """Name → what they perceived of it, for each participant."""
    spending: Spending | None = None
    """What the detector asked of models; `None` = nothing."""


class SceneJudge:
    """One scene, told to one detector."""

    def __init__(self, scene: LabelledScene, detector: Detector, spec: DetectorSpec) -> None:
        self._roles = Roles(_with_those_who_speak_along(scene), Cast())
        self._names = {id: name for name, id in self._roles.by_name.items()}
        there = self._roles.there_at_first(scene)
        self._rehearsal = Rehearsal(detector, self._roles.cast(), end=spec.end, present=there, secrets=spec.secrets())

    async def judge(self, index: int, line: LabelledLine, text: str) -> JudgedMessage:
        """Tell the next message."""
        found = await self._rehearsal.tell(
            self._roles.speaker(line),
            text,
            key=line.key or str(index),
            together_with=[self._roles.by_name[name] for name in line.along],
            metadata=line.notes,
        )
        return JudgedMessage(
            index=index,
            text=found.settled.message.content,
            speakers=() if line.speaker is None else (line.speaker, *line.along),
            beliefs={self._names[id]: part for id, part in found.beliefs.items() if id in self._names},
            perceivers=frozenset(self._names[id] for id in _hearing_every_aside(found) if id in self._names),
            heard={
                self._names[id]: found.settled.heard_by(id) for id in found.settled.participants if id in self._names
            },
            seconds=found.seconds,
            failure=found.failure,
            ignored=found.ignored,
            spending=_spending(found),
        )


def _spending(found: Judgement) -> Spending | None:
    usage = found.presence.usage
    if usage is None:
        return None
    return sum(map(Spending.of, calls_of(usage, found.seconds)), Spending())


def _hearing_every_aside(found: Judgement) -> set[str]:
    """Ids of those who hear every aside in the message, or who perceive it if it has none."""
    asides = [segment.audience for segment in found.presence.segments if segment.kind == "aside"]
    speaker = found.settled.message.speaker
    return {
        id
        for id in found.settled.participants
        if id == speaker or all(heard is None or id in heard for heard in asides)
    }


def _with_those_who_speak_along(scene: LabelledScene) -> LabelledScene:
    along = (name for line in scene.lines for name in line.along)
    return scene.model_copy(update={"roster": tuple(dict.fromkeys((*scene.roster, *along)))})


async def judged_messages(
    scene: LabelledScene, detector: Detector, spec: DetectorSpec, directions: Directions
) -> AsyncIterator[JudgedMessage]:
    """The messages of the scene in order, each with the detector's answer."""
    judge = SceneJudge(scene, detector, spec)
    for index, line, text in visible_lines(scene, directions):
        yield await judge.judge(index, line, text)


def visible_lines(scene: LabelledScene, directions: Directions) -> Iterator[tuple[int, LabelledLine, str]]:
    """Index, line and text of everything the detector sees. With hidden directions: no narration, only spoken words."""
    for index, line in enumerate(scene.lines):
        if directions == "shown":
            yield index, line, line.text
        elif not line.narration:
            yield index, line, line.text if line.plain is None else line.plain
