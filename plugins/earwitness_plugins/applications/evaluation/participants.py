"""Who perceives each message?"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from earwitness_plugins.importers.labelled import LabelledScene

from .online import Judged
from .sheet import Row


def row(scene: LabelledScene, judged: Judged) -> Row | None:
    """One message with its label, on the scene's roster; `None` where nobody knows who perceives it."""
    line = scene.lines[judged.index]
    if line.present is None:
        return None
    roster = {*scene.roster}
    certain = roster & {*judged.speakers}
    return Row(
        dataset=scene.dataset,
        scene=scene.name,
        group=scene.group,
        index=judged.index,
        roster=scene.roster,
        certain=certain,
        true=certain if line.aside else roster & {*line.present},
        predicted=roster & judged.perceivers,
        probability={name: part.probability for name, part in judged.parts.items() if name in roster},
        aside=line.aside,
    )


def answered(scenes: Sequence[LabelledScene]) -> Iterator[tuple[int, int]]:
    """(number of the scene, index) of the messages that `detect` answers: those that are judged; all, if none is."""
    judged = any(line.judged for scene in scenes for line in scene.lines)
    for number, scene in enumerate(scenes):
        yield from ((number, index) for index, line in enumerate(scene.lines) if line.judged or not judged)
