"""The task `knowledge`: who knows a fact? Scenes are told through END; then the containers are searched."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Sequence, Set
from typing import NamedTuple

import numpy as np

from earwitness.backstage.knowers import Knower
from earwitness.backstage.likelihood import KNOWS, UNSURE, AskedFact
from earwitness.errors import InputError
from earwitness.loading.settings import Settings
from earwitness.loading.strategies import Strategies
from earwitness_plugins.importers.labelled import LabelledScene, Question
from earwitness_plugins.ranking.arrays import Doubles

from .bootstrap import Interval, by_group, intervals
from .data import Data, outside
from .detection import Advance
from .fact_shares import FactShares, texts_of
from .measures import KNOWLEDGE_MEASURES, auc
from .run import By, EvaluationReport, Result, Run, Scores
from .scores import compared
from .scratch import ScratchInstance, ScratchStory, scratch_instance


class AnsweredQuestion(NamedTuple):
    """One question and its answer."""

    dataset: str
    group: str
    question: Question
    shares: dict[str, float]
    """Name → how likely they hold what tells the fact, from 0 to 1."""

    @property
    def counts(self) -> tuple[float, ...]:
        """Its counts, in the order of `measures.KNOWLEDGE_COUNTS`."""
        asked, said = self.question, {name for name, share in self.shares.items() if share >= KNOWS}
        open = sum(UNSURE[0] < share < UNSURE[1] for share in self.shares.values())
        told = (open, len(self.shares))
        if asked.character is None:
            lists = (float(said == {*(asked.knowers or ())}), 1)
            return 0, 0, 0, 0, *lists, *_cleared(asked.misled, said), *_cleared(asked.heard_of, said), *told
        yes = asked.character in said
        known = (float(yes), 1, 0, 0) if asked.knows else (0, 0, float(not yes), 1)
        return *known, 0, 0, 0, 0, 0, 0, *told


def _cleared(names: Sequence[str], said: Set[str]) -> tuple[float, float]:
    """How many of these names are not said to know it, and how many there are."""
    return float(len({*names} - said)), float(len({*names}))


FactKey = tuple[str, str]


async def evaluated(
    run: Run, data: Data, strategies: Strategies, settings: Settings, advance: Advance = lambda steps: None
) -> EvaluationReport:
    """Score all detectors. Raises `InputError` for a question about an unknown scene, and as `make_detector`."""
    asked = _by_scene(data)
    results, sums = [], []
    for spec in run.detectors:
        async with scratch_instance(spec, settings, strategies, run.seed, run.directions) as told:
            found = await _answers(told, asked, run.by, advance)
        scored = {name: _of(found, name) for name in dict.fromkeys(each.dataset for each in found)}
        sums.append((spec.label, {name: _sums(part) for name, part in scored.items()}))
        scores = {name: _scores(part, run) for name, part in scored.items()}
        results.append(Result(detector=spec.label, scores=scores))
    scenes = {name: len({scene.name for scene, _ in asked if scene.dataset == name}) for name in results[0].scores}
    differences = compared(sums, KNOWLEDGE_MEASURES, run)
    return EvaluationReport(run=run, scenes=scenes, results=tuple(results), differences=differences)


def _by_scene(data: Data) -> list[tuple[LabelledScene, list[Question]]]:
    scenes = {(scene.dataset, scene.name): scene for scene in data.scenes}
    asked: dict[FactKey, list[Question]] = defaultdict(list)
    for question in data.questions:
        if (question.dataset, question.scene) not in scenes:
            known = len({scene.name for scene in data.scenes if scene.dataset == question.dataset})
            raise InputError(
                f"a question is about the scene {question.scene!r} of {question.dataset!r}, which is in none of the "
                f"files (they hold {known} scenes of that data set). Name the file with the scenes too."
            )
        _refuse_strangers(question, scenes[question.dataset, question.scene])
        asked[question.dataset, question.scene].append(question)
    if not asked:
        raise InputError("these files hold no question, so there is nothing to score. Name a file of questions too.")
    return [(scenes[key], questions) for key, questions in asked.items()]


def _refuse_strangers(question: Question, scene: LabelledScene) -> None:
    """Raise `InputError` for a question about, or an answer that names, somebody who is not in the roster."""
    about = f"a question about the scene {scene.name!r} of {scene.dataset!r}"
    for name in question.roster if question.character is None else (question.character,):
        if name not in scene.roster:
            raise InputError(f"{about} asks about {outside(name, scene.roster)}")
    for name in question.knowers or ():
        if name not in question.roster:
            raise InputError(f"{about}: 'knowers' has {outside(name, question.roster)}")


async def _answers(
    scratch: ScratchInstance, asked: Iterable[tuple[LabelledScene, Sequence[Question]]], by: By, advance: Advance
) -> list[AnsweredQuestion]:
    found = []
    for number, (scene, questions) in enumerate(asked):
        story = await scratch.tell(scene, f"scene-{number}")
        shares = await (_by_who_knows if by == "who_knows" else _by_containers)(story, questions)
        found += [AnsweredQuestion(scene.dataset, scene.group, *pair) for pair in zip(questions, shares, strict=True)]
        advance(len(scene.lines))
    return found


async def _by_containers(story: ScratchStory, questions: Sequence[Question]) -> list[dict[str, float]]:
    facts = FactShares(texts_of(await story.memories()))
    containers = {name: texts_of(await story.memories(name)) for name in story.ids}
    asked = [(AskedFact.of(question.fact, question.question), _names(question, story)) for question in questions]
    return [facts.shares(fact, {name: containers[name] for name in names}) for fact, names in asked]


async def _by_who_knows(story: ScratchStory, questions: Sequence[Question]) -> list[dict[str, float]]:
    known = [await story.who_knows(question.fact) for question in questions]
    return [
        {name: _share(knowers[name]) for name in _names(question, story)}
        for question, knowers in zip(questions, known, strict=True)
    ]


def _share(knower: Knower) -> float:
    """As a likelihood: who is unsure lies beside the cut."""
    if knower.is_unsure:
        return KNOWS if knower.knows else (UNSURE[0] + KNOWS) / 2
    return float(knower.knows)


def _names(question: Question, story: ScratchStory) -> list[str]:
    """The characters the question is about, if they are in the story."""
    asked = question.roster if question.character is None else (question.character,)
    return [name for name in asked if name in story.ids]


def _of(found: Iterable[AnsweredQuestion], dataset: str) -> list[AnsweredQuestion]:
    return [each for each in found if each.dataset == dataset]


def _sums(found: Sequence[AnsweredQuestion]) -> Doubles:
    numbers = {group: n for n, group in enumerate(dict.fromkeys(each.group for each in found))}
    groups = np.array([numbers[each.group] for each in found], dtype=np.intp)
    return by_group(np.array([each.counts for each in found], dtype=float), groups)


def _scores(found: Sequence[AnsweredQuestion], run: Run) -> Scores:
    values = intervals(_sums(found), KNOWLEDGE_MEASURES, resamples=run.resamples, seed=run.seed)
    asked = [each for each in found if each.question.character is not None]
    shares = np.array([each.shares.get(each.question.character or "", 0.0) for each in asked])
    area = auc(shares, np.array([bool(each.question.knows) for each in asked], dtype=bool))
    return Scores(units=len(found), values={**values, "auc": Interval(value=None if np.isnan(area) else area)})
