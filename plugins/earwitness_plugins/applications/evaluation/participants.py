"""The task `participants`: who perceives each message?"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from earwitness_plugins.importers.labelled import LabelledScene

from .scene_judge import JudgedMessage
from .sheet import ScoredMessage


def row(scene: LabelledScene, judged: JudgedMessage) -> ScoredMessage | None:
    """One message beside its label, both limited to the scene's roster; `None` where it has no label."""
    line = scene.lines[judged.index]
    if line.perceivers is None:
        return None
    roster = {*scene.roster}
    certain = roster & {*judged.speakers}
    return ScoredMessage(
        dataset=scene.dataset,
        scene=scene.name,
        group=scene.group,
        index=judged.index,
        roster=scene.roster,
        certain=certain,
        true=certain if line.aside else roster & {*line.perceivers},
        predicted=roster & judged.perceivers,
        probability={name: part.confidence for name, part in judged.beliefs.items() if name in roster},
        aside=line.aside,
    )


def scored_positions(scenes: Sequence[LabelledScene]) -> Iterator[tuple[int, int]]:
    """(number of the scene, index) of the messages that `detect` answers: those marked as judged, or else all."""
    judged = any(line.judged for scene in scenes for line in scene.lines)
    for number, scene in enumerate(scenes):
        yield from ((number, index) for index, line in enumerate(scene.lines) if line.judged or not judged)
