"""Is the answer found again? Conversations are told through END; then each question is searched in the containers."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from earwitness.errors import InputError
from earwitness.loading.settings import Settings
from earwitness.loading.strategies import Strategies
from earwitness_plugins.importers.labelled import Asked

from .bootstrap import intervals
from .measures import FINDING_MEASURES, Doubles
from .reading import Data
from .replayed import Story, stage
from .run import EVERYTHING, Report, Result, Run, Scores
from .scoring import compared
from .watching import Advance

FIRST, LAST = 5, 10


async def evaluated(
    run: Run, data: Data, strategies: Strategies, settings: Settings, advance: Advance = lambda steps: None
) -> Report:
    """Score all detectors. Raises `InputError` where nothing is asked, and as `choosing.made`."""
    conversations = [(scene, [each for each in data.asked if each.scene == scene.name]) for scene in data.scenes]
    if not data.asked:
        raise InputError("there is no question with evidence in these files: nothing to score.")
    results, sums = [], []
    for choice in run.detectors:
        rows: dict[str, Doubles] = {}
        async with stage(choice, settings, strategies, run.seed, run.directions) as told:
            for number, (scene, asked) in enumerate(conversations):
                story = await told.tell(scene, f"conversation-{number}")
                rows[scene.name] = np.array([await _found(story, each) for each in asked]).reshape(-1, 5)
                advance(len(scene.lines))
        rows = {**rows, EVERYTHING: np.concatenate(list(rows.values()))} if len(rows) > 1 else rows
        sums.append((choice.label, rows))
        results.append(Result(detector=choice.label, scores={name: _scores(part, run) for name, part in rows.items()}))
    scenes = {name: 1 if name != EVERYTHING else len(conversations) for name in results[0].scores}
    return Report(run=run, scenes=scenes, results=tuple(results), differences=compared(sums, FINDING_MEASURES, run))


async def _found(story: Story, asked: Asked) -> Sequence[float]:
    """The row of one question, in the order of `measures.FINDING`: mean of the characters' containers; the world."""
    own = np.mean([await _ranked(story, name, asked) for name in story.ids], axis=0)
    world = await _ranked(story, None, asked)
    return *own, world[1], 1.0


async def _ranked(story: Story, name: str | None, asked: Asked) -> tuple[float, float, float]:
    hits = await story.search(name, asked.text, LAST)
    keys = [next(iter(hit.memory.message_keys), "") for hit in hits]
    wanted = {*asked.evidence}
    first = next((1 / rank for rank, key in enumerate(keys, 1) if key in wanted), 0.0)
    return len(wanted & {*keys[:FIRST]}) / len(wanted), len(wanted & {*keys}) / len(wanted), first


def _scores(rows: Doubles, run: Run) -> Scores:
    values = intervals(rows, FINDING_MEASURES, resamples=run.resamples, seed=run.seed)
    return Scores(units=len(rows), values=values)
