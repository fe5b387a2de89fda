"""Fit a detector's settings on one part of the data, check them on the rest, and save them."""

from __future__ import annotations

import random
from collections.abc import Sequence
from pathlib import Path

import tomlkit

from earwitness.errors import InputError
from earwitness.loading.settings import Settings
from earwitness.loading.strategies import Strategies
from earwitness.records.base import Record
from earwitness.redaction import REDACTED
from earwitness_plugins.importers.labelled import LabelledScene

from .compass_search import CALIBRATION, LESS_IS_BETTER, THRESHOLD, SearchResult, Values, merged, nested, ranges, search
from .detection import Advance, play_scenes
from .detector_spec import DetectorSpec, make_detector
from .run import EVERYTHING, Run, Scores
from .scores import by_dataset
from .sheet import Sheet


class FitResult(Record):
    """The result of fitting."""

    detector: DetectorSpec
    """The detector with its fitted settings."""
    fitted: SearchResult
    """The search, on the scenes that were not held out."""
    before: dict[str, float]
    """Data set → goal on the held-out scenes, before fitting."""
    after: dict[str, float]
    """Data set → goal on the held-out scenes, after fitting."""


async def fit(
    run: Run,
    scenes: Sequence[LabelledScene],
    strategies: Strategies,
    *,
    goal: str,
    evaluations: int,
    holdout: float,
    threshold: bool,
    advance: Advance = lambda steps: None,
) -> FitResult:
    """Fit the run's one detector to its task. `holdout` is the share of groups kept back for the check.

    Raises `InputError` when nothing may be fitted or nothing is labelled.
    """
    (spec,) = run.detectors
    detector = make_detector(spec, strategies, run.seed, Settings.of(**run.settings))
    wanted = ranges(detector, spec.label, threshold=spec.end.threshold if threshold else None)
    fitted_on, held_out = split(scenes, holdout, run.seed)

    async def measured(values: Values) -> float:
        found = await _measured(_with(spec, values), fitted_on, run, strategies, goal)
        advance(1)
        return sum(found.values()) / len(found) * (-1 if goal in LESS_IS_BETTER else 1)

    fitted = await search(wanted, measured, evaluations=evaluations, seed=run.seed)
    best = _with(spec, fitted.best.values)
    checked = [await _measured(each, held_out, run, strategies, goal) if held_out else {} for each in (spec, best)]
    return FitResult(detector=best, fitted=fitted, before=checked[0], after=checked[1])


def split(
    scenes: Sequence[LabelledScene], holdout: float, seed: int
) -> tuple[list[LabelledScene], list[LabelledScene]]:
    """Scenes to fit on, and scenes to check with. The scenes of a group stay together."""
    groups = sorted({(scene.dataset, scene.group) for scene in scenes})
    random.Random(seed).shuffle(groups)  # noqa: S311 - draws scenes, guards nothing
    kept_back = {*groups[: round(len(groups) * holdout)]}
    held = [scene for scene in scenes if (scene.dataset, scene.group) in kept_back]
    return [scene for scene in scenes if (scene.dataset, scene.group) not in kept_back], held


def _with(spec: DetectorSpec, values: Values) -> DetectorSpec:
    end = spec.end
    if THRESHOLD in values:
        given = end.unsure.least
        unsure = end.unsure.model_copy(update={"least": given and min(given, values[THRESHOLD])})
        end = end.model_copy(update={"threshold": values[THRESHOLD], "unsure": unsure})
    return spec.changed(merged(spec.revealed, nested(values)), end=end)


async def _measured(
    spec: DetectorSpec, scenes: Sequence[LabelledScene], run: Run, strategies: Strategies, goal: str
) -> dict[str, float]:
    """Data set → goal. Averaged per data set, so that a large one does not outweigh the others."""
    found = await play_scenes(
        spec, make_detector(spec, strategies, run.seed, Settings.of(**run.settings)), scenes, run, lambda steps: None
    )
    sheet = Sheet.of(found.rows)
    quick = run.model_copy(update={"resamples": 0})
    values = {name: _value(each, goal) for name, each in by_dataset(sheet, quick).items() if name != EVERYTHING}
    if not values:
        raise InputError("nothing is labelled in these scenes, so there is nothing to fit on.")
    return values


def _value(scores: Scores, goal: str) -> float:
    value = scores.calibration_error if goal == CALIBRATION else scores.values[goal].value
    return 0.0 if value is None else value


def save(spec: DetectorSpec, comment: str, path: str) -> None:
    """Write a settings file, for `--detector name@FILE` or as a part of `earwitness.toml`, without secrets.

    Raises `OSError`.
    """
    document = tomlkit.document()
    for line in comment.splitlines():
        document.add(tomlkit.comment(line))
    known = {name: value for name, value in spec.settings.items() if value != REDACTED}
    document["detector"] = {"name": spec.name, **known}
    unsure = spec.end.unsure
    kept = {} if unsure.policy == "withhold" else {"unsure": {"policy": unsure.policy, "least": spec.end.least}}
    document["end"] = {"threshold": spec.end.threshold, **kept}
    Path(path).write_text(tomlkit.dumps(document), "utf-8")
