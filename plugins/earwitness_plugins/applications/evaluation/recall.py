"""The task `recall`: is the answer found? Conversations are told through END; then each question is searched."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from earwitness.errors import InputError
from earwitness.loading.settings import Settings
from earwitness.loading.strategies import Strategies
from earwitness_plugins.importers.labelled import Asked
from earwitness_plugins.ranking.arrays import Doubles

from .bootstrap import intervals
from .data import Data
from .detection import Advance
from .measures import RETRIEVAL_MEASURES
from .run import EVERYTHING, EvaluationReport, Result, Run, Scores
from .scores import compared
from .scratch import ScratchStory, scratch_instance

SHORT_LIST, LONG_LIST = 5, 10


async def evaluated(
    run: Run, data: Data, strategies: Strategies, settings: Settings, advance: Advance = lambda steps: None
) -> EvaluationReport:
    """Score all detectors. Raises `InputError` when there is no question, and as `make_detector`."""
    conversations = [(scene, [each for each in data.asked if each.scene == scene.name]) for scene in data.scenes]
    if not data.asked:
        raise InputError("these files hold no question with evidence, so there is nothing to score.")
    results, sums = [], []
    for spec in run.detectors:
        rows: dict[str, Doubles] = {}
        async with scratch_instance(spec, settings, strategies, run.seed, run.directions) as told:
            for number, (scene, asked) in enumerate(conversations):
                story = await told.tell(scene, f"scene-{number}")
                rows[scene.name] = np.array([await _found(story, each) for each in asked]).reshape(-1, 5)
                advance(len(scene.lines))
        rows = {**rows, EVERYTHING: np.concatenate(list(rows.values()))} if len(rows) > 1 else rows
        sums.append((spec.label, rows))
        results.append(Result(detector=spec.label, scores={name: _scores(part, run) for name, part in rows.items()}))
    scenes = {name: 1 if name != EVERYTHING else len(conversations) for name in results[0].scores}
    return EvaluationReport(
        run=run, scenes=scenes, results=tuple(results), differences=compared(sums, RETRIEVAL_MEASURES, run)
    )


async def _found(story: ScratchStory, asked: Asked) -> Sequence[float]:
    """The counts of one question (`measures.RETRIEVAL_COUNTS`): means over the characters, then the world."""
    own = np.mean([await _ranked(story, name, asked) for name in story.ids], axis=0)
    world = await _ranked(story, None, asked)
    return *own, world[1], 1.0


async def _ranked(story: ScratchStory, name: str | None, asked: Asked) -> tuple[float, float, float]:
    hits = await story.search(name, asked.text, LONG_LIST)
    keys = [next(iter(hit.memory.message_keys), "") for hit in hits]
    wanted = {*asked.evidence}
    first = next((1 / rank for rank, key in enumerate(keys, 1) if key in wanted), 0.0)
    return len(wanted & {*keys[:SHORT_LIST]}) / len(wanted), len(wanted & {*keys}) / len(wanted), first


def _scores(rows: Doubles, run: Run) -> Scores:
    values = intervals(rows, RETRIEVAL_MEASURES, resamples=run.resamples, seed=run.seed)
    return Scores(units=len(rows), values=values)
