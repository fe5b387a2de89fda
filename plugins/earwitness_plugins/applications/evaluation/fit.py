"""Fitting a detector: which data its numbers are sought on and checked on, and the file they are kept in."""

from __future__ import annotations

import random
from collections.abc import Callable, Sequence
from pathlib import Path

import tomlkit

from earwitness.errors import InputError
from earwitness.loading.strategies import Strategies
from earwitness.records.base import Record
from earwitness_plugins.importers.labelled import LabelledScene

from .choosing import Choice, made
from .fitting import CALIBRATION, LESS_IS_BETTER, THRESHOLD, Fitted, Values, merged, nested, ranges, search
from .run import EVERYTHING, Run, Scores
from .scoring import by_dataset
from .sheet import Sheet
from .watching import watch

Advance = Callable[[int], None]


class Outcome(Record):
    """What came of fitting."""

    choice: Choice
    """The detector with its fitted settings."""
    fitted: Fitted
    """On the scenes it was sought on."""
    before: dict[str, float]
    """Goal before, on the scenes that were held out, a data set."""
    after: dict[str, float]
    """And after."""


async def fit(
    run: Run, scenes: Sequence[LabelledScene], strategies: Strategies, *, goal: str, evaluations: int, holdout: float,
    threshold: bool, advance: Advance = lambda steps: None,
) -> Outcome:  # fmt: skip
    """Fit the run's one detector to its task. `holdout` is the share of groups kept back for checking.

    Raises `InputError` where nothing may be fitted or nothing is labelled.
    """
    (choice,) = run.detectors
    wanted = ranges(
        made(choice, strategies, run.seed), choice.label, threshold=choice.end.threshold if threshold else None
    )  # fmt: skip
    fitting, held = split(scenes, holdout, run.seed)

    async def measured(values: Values) -> float:
        found = await _measured(_with(choice, values), fitting, run, strategies, goal)
        advance(1)
        return sum(found.values()) / len(found) * (-1 if goal in LESS_IS_BETTER else 1)

    fitted = await search(wanted, measured, evaluations=evaluations, seed=run.seed)
    best = _with(choice, fitted.best.values)
    checked = [await _measured(each, held, run, strategies, goal) if held else {} for each in (choice, best)]
    return Outcome(choice=best, fitted=fitted, before=checked[0], after=checked[1])


def split(
    scenes: Sequence[LabelledScene], holdout: float, seed: int
) -> tuple[list[LabelledScene], list[LabelledScene]]:
    """Scenes to fit on and scenes to check with; a group stays together."""
    groups = sorted({(scene.dataset, scene.group) for scene in scenes})
    random.Random(seed).shuffle(groups)  # noqa: S311 - a draw of scenes, no secret
    kept_back = {*groups[: round(len(groups) * holdout)]}
    held = [scene for scene in scenes if (scene.dataset, scene.group) in kept_back]
    return [scene for scene in scenes if (scene.dataset, scene.group) not in kept_back], held


def _with(choice: Choice, values: Values) -> Choice:
    end = choice.end
    if THRESHOLD in values:
        least = min(end.unsure.least, values[THRESHOLD])
        unsure = end.unsure.model_copy(update={"least": least})
        end = end.model_copy(update={"threshold": values[THRESHOLD], "unsure": unsure})
    return choice.model_copy(update={"settings": merged(choice.settings, nested(values)), "end": end})


async def _measured(
    choice: Choice, scenes: Sequence[LabelledScene], run: Run, strategies: Strategies, goal: str
) -> dict[str, float]:
    """Data set → goal, so that a large data set does not outweigh the others."""
    found = await watch(choice, made(choice, strategies, run.seed), scenes, run, lambda steps: None)
    sheet = Sheet.of(found.rows)
    quick = run.model_copy(update={"resamples": 0})
    values = {name: _value(each, goal) for name, each in by_dataset(sheet, quick).items() if name != EVERYTHING}
    if not values:
        raise InputError("nothing is labelled in these scenes: there is nothing to fit on.")
    return values


def _value(scores: Scores, goal: str) -> float:
    value = scores.calibration_error if goal == CALIBRATION else scores.values[goal].value
    return 0.0 if value is None else value


def save(choice: Choice, comment: str, path: str) -> None:
    """Write a settings file: `name@FILE` for `evaluate`, and a part of an `earwitness.toml`. Raises `OSError`."""
    document = tomlkit.document()
    for line in comment.splitlines():
        document.add(tomlkit.comment(line))
    document["detector"] = {"name": choice.name, **choice.settings}
    unsure = choice.end.unsure
    kept = {} if unsure.policy == "withhold" else {"unsure": {"policy": unsure.policy, "least": unsure.least}}
    document["end"] = {"threshold": choice.end.threshold, **kept}
    Path(path).write_text(tomlkit.dumps(document), "utf-8")
