"""Does a detector read comings and goings? Pure."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from itertools import pairwise

from earwitness_plugins.importers.labelled import LabelledScene

from .run import Acts
from .sheet import ScoredMessage


def acts(scene: LabelledScene, rows: Sequence[ScoredMessage]) -> Acts:
    """The counts of one scene, from its scored messages in order."""
    counts: Counter[str] = Counter()
    for index, line in enumerate(scene.lines):
        for act in line.acts:
            read = _read(rows, index, act.who, begins=act.begins)
            if read is not None:
                kind = "comings" if act.begins else "leavings"
                counts.update({kind: 1, f"{kind}_read": int(read)})
    counts.update(_steadiness(scene, rows))
    return Acts.model_validate(dict(counts))


def _read(rows: Sequence[ScoredMessage], index: int, who: str, *, begins: bool) -> bool | None:
    """Whether the next message of somebody else that shows the act is answered rightly; `None` where none does.

    One that they miss shows a leaving, one that they perceive a coming.
    """
    later = (row for row in rows if row.index > index and who not in row.certain and (who in row.true) == begins)
    first = next(later, None)
    return None if first is None else (who in first.predicted) == begins


def _steadiness(scene: LabelledScene, rows: Sequence[ScoredMessage]) -> Counter[str]:
    """How often nothing happens between two messages, and how often a right answer then becomes a wrong one."""
    counts: Counter[str] = Counter()
    for before, after in pairwise(rows):
        moved = {act.who for line in scene.lines[before.index : after.index + 1] for act in line.acts}
        for name in {*scene.roster} - moved - before.certain - after.certain:
            steady = (name in before.true) == (name in after.true) == (name in before.predicted)
            counts.update(steady=steady, invented=steady and (name in after.predicted) != (name in after.true))
    return counts
