"""What a detector answers on a data set, as lines that another program can score."""

from __future__ import annotations

from collections.abc import AsyncIterator, Callable, Iterable, Sequence
from typing import Any, Literal

from earwitness.protocols import Detector
from earwitness_plugins.importers.labelled import LabelledScene

from .addressees import addressed
from .choosing import Choice
from .online import Directions, Judged, watched
from .participants import answered

Task = Literal["participants", "addressees"]
PLACES = 6
"""Decimals of a probability."""


async def answers(
    scenes: Sequence[LabelledScene], choice: Choice, detector: Detector, task: Task, directions: Directions,
    seen: Callable[[Judged], None] = lambda judged: None,
) -> AsyncIterator[dict[str, Any]]:  # fmt: skip
    """One JSON object a message, in the order of the scenes; narration that is hidden has none.

    Participants: `{"dataset", "scene", "i", "present": [name], "probability": {name: p}}` for each message that is
    judged, `i` being its index in the file. Addressees: `{"quote", "addressees": [name]}` for each quotation.
    `seen` is shown every message that the detector saw, also those without an answer of their own.
    """
    wanted = {*_wanted(scenes, task)}
    for number, scene in enumerate(scenes):
        async for judged in watched(scene, detector, choice.end, directions):
            seen(judged)
            if (number, judged.index) in wanted:
                yield _said_to(scene, judged, choice) if task == "addressees" else _present(scene, judged)


def _wanted(scenes: Sequence[LabelledScene], task: Task) -> Iterable[tuple[int, int]]:
    if task == "participants":
        return answered(scenes)
    return ((number, index) for number, scene in enumerate(scenes) for index in range(len(scene.lines)))


def _present(scene: LabelledScene, judged: Judged) -> dict[str, Any]:
    return {
        "dataset": scene.dataset,
        "scene": scene.name,
        "i": judged.index,
        "present": [name for name in scene.roster if name in judged.perceivers],
        "probability": {name: _probability(judged, name) for name in scene.roster},
    }


def _probability(judged: Judged, name: str) -> float:
    return round(judged.parts[name].probability, PLACES) if name in judged.parts else 0.0


def _said_to(scene: LabelledScene, judged: Judged, choice: Choice) -> dict[str, Any]:
    key = scene.lines[judged.index].key
    names = addressed(scene, judged, choice.end.enough)
    return {"quote": str(judged.index) if key is None else key, "addressees": [*names]}
