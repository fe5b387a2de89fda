"""The task `recall`: is the answer found? Scenes are told through END; then each question is searched.

What should come to mind before a turn is asked of the turn itself, as just before that message.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Sequence
from collections.abc import Set as AbstractSet

import numpy as np

from earwitness.errors import InputError
from earwitness.loading.settings import Settings
from earwitness.loading.strategies import Strategies
from earwitness.records.memory import Memory
from earwitness_plugins.importers.labelled import Asked, LabelledScene
from earwitness_plugins.ranking.arrays import Doubles

from .bootstrap import intervals
from .data import Data, outside
from .detection import Advance
from .measures import RETRIEVAL_MEASURES
from .run import EVERYTHING, EvaluationReport, Result, Run, Scores
from .scores import compared
from .scratch import ScratchStory, scratch_instance

SHORT_LIST, LONG_LIST = 5, 10
IN_QUERY = 3
"""The newest messages are in the prompt, so that a turn does not recall them (`RecallSettings.recent`)."""


async def evaluated(
    run: Run, data: Data, strategies: Strategies, settings: Settings, advance: Advance = lambda steps: None
) -> EvaluationReport:
    """Score all detectors. Raises `InputError` when there is no question, and as `make_detector`."""
    conversations = _by_scene(data)
    results, sums = [], []
    for spec in run.detectors:
        rows: dict[str, list[Sequence[float]]] = defaultdict(list)
        async with scratch_instance(spec, settings, strategies, run.seed, run.directions) as told:
            for number, (scene, asked) in enumerate(conversations):
                story = await told.tell(scene, f"scene-{number}")
                rows[scene.dataset] += [await _found(story, each) for each in asked]
                advance(len(scene.lines))
        counted = {name: np.array(each) for name, each in rows.items()}
        counted = {**counted, EVERYTHING: np.concatenate(list(counted.values()))} if len(counted) > 1 else counted
        sums.append((spec.label, counted))
        results.append(Result(detector=spec.label, scores={name: _scores(part, run) for name, part in counted.items()}))
    sizes = Counter(scene.dataset for scene, _ in conversations)
    scenes = {name: sizes[name] or len(conversations) for name in results[0].scores}
    return EvaluationReport(
        run=run, scenes=scenes, results=tuple(results), differences=compared(sums, RETRIEVAL_MEASURES, run)
    )


def _by_scene(data: Data) -> list[tuple[LabelledScene, list[Asked]]]:
    """The scenes that are asked about. Raises `InputError` for a question about none of them or about a stranger."""
    if not data.asked:
        raise InputError("these files hold no question with evidence, so there is nothing to score.")
    scenes = {(scene.dataset, scene.name): scene for scene in data.scenes}
    asked: dict[tuple[str, str], list[Asked]] = defaultdict(list)
    for each in data.asked:
        key = (each.dataset or each.scene, each.scene)
        if key not in scenes:
            raise InputError(
                f"a turn belongs to the scene {each.scene!r} of {each.dataset!r}, which is in none of the files. "
                "Name the file with the scenes too."
            )
        if each.character is not None and each.character not in scenes[key].roster:
            whose = outside(each.character, scenes[key].roster)
            raise InputError(f"a turn in the scene {each.scene!r} of {each.dataset!r} is that of {whose}")
        asked[key].append(each)
    return [(scenes[key], questions) for key, questions in asked.items()]


async def _found(story: ScratchStory, asked: Asked) -> Sequence[float]:
    """The counts of one question (`measures.RETRIEVAL_COUNTS`): means over the characters, then the world."""
    if asked.character is not None and asked.before is not None:
        return await _for_turn(story, asked, asked.character, asked.before)
    wanted = {*asked.evidence}
    own = np.mean([await _ranked(story, name, asked.text, wanted) for name in story.ids], axis=0)
    world = await _ranked(story, None, asked.text, wanted)
    return *own, world[1], 1.0


async def _ranked(
    story: ScratchStory, name: str | None, query: str, wanted: AbstractSet[str]
) -> tuple[float, float, float]:
    hits = await story.search(name, query, LONG_LIST)
    return _counts([_key(hit.memory) for hit in hits], wanted)


async def _for_turn(story: ScratchStory, asked: Asked, name: str, before: int) -> Sequence[float]:
    """The counts of what a turn recalls, and of what its query finds in the world container of that time."""
    wanted = {story.told.get(int(index), "") for index in asked.evidence}
    turn = await story.turn(name, before, LONG_LIST)
    recalled = sorted(turn.memories, key=lambda each: -each.score)
    own = _counts([_key(each.memory) for each in recalled], wanted)
    older = [key for index, key in story.told.items() if index < before][:-IN_QUERY]
    hits = await story.search(None, turn.query, len(story.told))
    return *own, _counts([key for hit in hits if (key := _key(hit.memory)) in older][:LONG_LIST], wanted)[1], 1.0


def _counts(keys: Sequence[str], wanted: AbstractSet[str]) -> tuple[float, float, float]:
    first = next((1 / rank for rank, key in enumerate(keys, 1) if key in wanted), 0.0)
    return len(wanted & {*keys[:SHORT_LIST]}) / len(wanted), len(wanted & {*keys}) / len(wanted), first


def _key(memory: Memory) -> str:
    return next(iter(memory.message_keys), "")


def _scores(rows: Doubles, run: Run) -> Scores:
    values = intervals(rows, RETRIEVAL_MEASURES, resamples=run.resamples, seed=run.seed)
    return Scores(units=len(rows), values=values)
