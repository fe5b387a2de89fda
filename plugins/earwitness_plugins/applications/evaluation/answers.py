"""A detector's answers on a data set, as JSON lines that another program can score."""

from __future__ import annotations

from collections.abc import AsyncIterator, Callable, Iterable, Sequence
from typing import Any, Literal

from earwitness.protocols import Detector
from earwitness_plugins.importers.labelled import LabelledScene

from .addressees import addressed
from .detector_spec import DetectorSpec
from .participants import scored_positions
from .scene_judge import Directions, JudgedMessage, judged_messages

PresenceTask = Literal["participants", "addressees"]
DECIMALS = 6
"""Probabilities are rounded to this many."""


async def answers(
    scenes: Sequence[LabelledScene],
    spec: DetectorSpec,
    detector: Detector,
    task: PresenceTask,
    directions: Directions,
    seen: Callable[[JudgedMessage], None] = lambda judged: None,
) -> AsyncIterator[dict[str, Any]]:
    """One JSON object per scored message, in the order of the scenes. Hidden narration gets none.

    For participants, an object is `{"dataset", "scene", "i", "present": [name], "probability": {name: p}}`, where `i`
    is the index of the message in its file. For addressees it is `{"quote", "addressees": [name]}`, one per quotation.
    `seen` is called with every message the detector saw, including those that get no object.
    """
    scored = {*_scored_positions(scenes, task)}
    for number, scene in enumerate(scenes):
        async for judged in judged_messages(scene, detector, spec, directions):
            seen(judged)
            if (number, judged.index) in scored:
                yield _addressees(scene, judged, spec) if task == "addressees" else _participants(scene, judged)


def _scored_positions(scenes: Sequence[LabelledScene], task: PresenceTask) -> Iterable[tuple[int, int]]:
    if task == "participants":
        return scored_positions(scenes)
    return ((number, index) for number, scene in enumerate(scenes) for index in range(len(scene.lines)))


def _participants(scene: LabelledScene, judged: JudgedMessage) -> dict[str, Any]:
    return {
        "dataset": scene.dataset,
        "scene": scene.name,
        "i": judged.index,
        "present": [name for name in scene.roster if name in judged.perceivers],
        "probability": {name: _probability(judged, name) for name in scene.roster},
    }


def _probability(judged: JudgedMessage, name: str) -> float:
    return round(judged.beliefs[name].confidence, DECIMALS) if name in judged.beliefs else 0.0


def _addressees(scene: LabelledScene, judged: JudgedMessage, spec: DetectorSpec) -> dict[str, Any]:
    key = scene.lines[judged.index].key
    names = addressed(scene, judged, spec.end.enough)
    return {"quote": str(judged.index) if key is None else key, "addressees": [*names]}
