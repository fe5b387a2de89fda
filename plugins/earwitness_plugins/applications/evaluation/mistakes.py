"""Where a detector fails, and why: the scenes with the most wrong decisions, and in them the longest runs. Pure."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from itertools import pairwise
from typing import Literal

from earwitness.records.base import Record

from .online import Judged
from .sheet import Row

PRIOR = 5
"""Messages without a mistake that every scene is given, so that the shortest do not top the list."""
RUNS = 3
EXCERPT = 100
NAMELESS = "(no name)"


class Run(Record):
    """One character about whom the detector was wrong, message after message."""

    character: str
    """Name."""
    kind: Literal["leak", "miss"]
    """`leak`: said to hear it, and did not; `miss`: the other way round."""
    messages: int
    """How many scored messages in a row."""
    index: int
    """Place of the first in the source."""
    text: str
    """Its beginning."""
    before: str
    """The beginning of what was told just before it."""
    probability: float
    """What was believed there."""
    evidence: tuple[str, ...]
    """Why, in the detector's words; none for who was left out."""


class WorstScene(Record):
    """A scene and what went wrong in it."""

    dataset: str
    """Name of the data set."""
    scene: str
    """Name of the scene."""
    messages: int
    """How many are scored."""
    exact: int
    """For how many the set is just right."""
    wrong: int
    """How many decisions about a character are wrong."""
    runs: tuple[Run, ...]
    """The longest runs, longest first."""


def worst_of(scene: Sequence[tuple[Row, Judged]], told: Sequence[Judged]) -> WorstScene:
    """What went wrong in one scene; `told` are all its messages, those without a label included."""
    first = scene[0][0]
    runs = sorted(_runs(scene, told), key=lambda run: -run.messages)
    return WorstScene(
        dataset=first.dataset,
        scene=first.scene,
        messages=len(scene),
        exact=sum(row.predicted == row.true for row, _ in scene),
        wrong=sum(len(row.predicted ^ row.true) for row, _ in scene),
        runs=tuple(runs[:RUNS]),
    )


def ranked(scenes: Iterable[WorstScene], count: int) -> tuple[WorstScene, ...]:
    """Those with mistakes, the most mistakes a message first."""
    found = [scene for scene in scenes if scene.wrong]
    return tuple(sorted(found, key=lambda scene: (-scene.wrong / (scene.messages + PRIOR), scene.scene))[:count])


def _runs(scene: Sequence[tuple[Row, Judged]], told: Sequence[Judged]) -> Iterator[Run]:
    before = {judged.index: earlier.text for earlier, judged in pairwise(told)}
    open_runs: dict[tuple[str, str], list[tuple[Row, Judged]]] = {}
    for row, judged in scene:
        wrong = {(name, "leak") for name in row.predicted - row.true}
        wrong |= {(name, "miss") for name in row.true - row.predicted}
        for ended in [each for each in open_runs if each not in wrong]:
            yield _run(*ended, open_runs.pop(ended), before)
        for each in sorted(wrong):
            open_runs.setdefault(each, []).append((row, judged))
    for each, lasting in open_runs.items():
        yield _run(*each, lasting, before)


def _run(name: str, kind: str, rows: Sequence[tuple[Row, Judged]], before: dict[int, str]) -> Run:
    _, judged = rows[0]
    part = judged.parts.get(name)
    return Run(
        character=name or NAMELESS,
        kind="leak" if kind == "leak" else "miss",
        messages=len(rows),
        index=judged.index,
        text=judged.text[:EXCERPT],
        before=before.get(judged.index, "")[:EXCERPT],
        probability=part.probability if part else 0.0,
        evidence=part.evidence if part else (),
    )
