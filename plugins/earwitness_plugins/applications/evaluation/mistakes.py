"""Where a detector fails: the scenes with the most wrong decisions, and the longest runs of them. Pure."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from itertools import pairwise
from typing import Literal

from earwitness.records.base import Record

from .scene_judge import JudgedMessage
from .sheet import ScoredMessage

PRIOR = 5
"""Faultless messages added to every scene, so that the shortest scenes do not top the list."""
MAX_RUNS = 3
EXCERPT_LENGTH = 100
NAMELESS = "(no name)"

Pair = tuple[ScoredMessage, JudgedMessage]


class MistakeRun(Record):
    """One character about whom the detector was wrong in several messages in a row."""

    character: str
    """Name."""
    kind: Literal["leak", "miss"]
    """`leak`: the detector let them hear it, wrongly; `miss`: it left them out, wrongly."""
    messages: int
    """Number of scored messages in a row."""
    index: int
    """Position of the first message in the source."""
    text: str
    """Beginning of the first message."""
    before: str
    """Beginning of the message before it."""
    probability: float
    """The detector's probability for the first message."""
    evidence: tuple[str, ...]
    """The detector's reasons; empty for a character it left out."""


class WorstScene(Record):
    """A scene and the mistakes in it."""

    dataset: str
    """Name of the data set."""
    scene: str
    """Name of the scene."""
    messages: int
    """Number of scored messages."""
    exact: int
    """Number of messages whose predicted set is exactly right."""
    wrong: int
    """Number of wrong decisions about a character."""
    runs: tuple[MistakeRun, ...]
    """The longest runs, longest first."""


def worst_of(scene: Sequence[Pair], judged_messages: Sequence[JudgedMessage]) -> WorstScene:
    """The mistakes in one scene; `judged_messages` are all its messages, including those without a label."""
    first = scene[0][0]
    runs = sorted(_runs(scene, judged_messages), key=lambda run: -run.messages)
    return WorstScene(
        dataset=first.dataset,
        scene=first.scene,
        messages=len(scene),
        exact=sum(row.predicted == row.true for row, _ in scene),
        wrong=sum(len(row.predicted ^ row.true) for row, _ in scene),
        runs=tuple(runs[:MAX_RUNS]),
    )


def ranked(scenes: Iterable[WorstScene], count: int) -> tuple[WorstScene, ...]:
    """At most `count` scenes with mistakes, those with the most mistakes per message first."""
    found = [scene for scene in scenes if scene.wrong]
    return tuple(sorted(found, key=lambda scene: (-scene.wrong / (scene.messages + PRIOR), scene.scene))[:count])


def _runs(
    scene: Sequence[tuple[ScoredMessage, JudgedMessage]], judged_messages: Sequence[JudgedMessage]
) -> Iterator[MistakeRun]:
    before = {judged.index: earlier.text for earlier, judged in pairwise(judged_messages)}
    open_runs: dict[tuple[str, str], list[tuple[ScoredMessage, JudgedMessage]]] = {}
    for row, judged in scene:
        wrong = {(name, "leak") for name in row.predicted - row.true}
        wrong |= {(name, "miss") for name in row.true - row.predicted}
        for ended in [each for each in open_runs if each not in wrong]:
            yield _run(*ended, open_runs.pop(ended), before)
        for each in sorted(wrong):
            open_runs.setdefault(each, []).append((row, judged))
    for each, lasting in open_runs.items():
        yield _run(*each, lasting, before)


def _run(name: str, kind: str, rows: Sequence[Pair], before: dict[int, str]) -> MistakeRun:
    _, judged = rows[0]
    part = judged.beliefs.get(name)
    return MistakeRun(
        character=name or NAMELESS,
        kind="leak" if kind == "leak" else "miss",
        messages=len(rows),
        index=judged.index,
        text=judged.text[:EXCERPT_LENGTH],
        before=before.get(judged.index, "")[:EXCERPT_LENGTH],
        probability=part.confidence if part else 0.0,
        evidence=part.evidence if part else (),
    )
