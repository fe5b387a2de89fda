"""Evaluate a run, whatever its task; save its report, load it, and repeat the run."""

from __future__ import annotations

import json
from pathlib import Path

from pydantic import ValidationError

from earwitness.errors import InputError
from earwitness.loading.settings import Settings
from earwitness.loading.strategies import Strategies
from earwitness.records.refusal import explained
from earwitness.redaction import REDACTED

from . import detection, knowledge, recall
from .data import Data, DataFile, read_again
from .detection import Advance
from .detector_spec import PLAYED_THROUGH_END
from .run import EvaluationReport, Run, baseline, versions


async def evaluate(
    run: Run,
    data: Data,
    strategies: Strategies,
    advance: Advance = lambda steps: None,
    own: Settings | None = None,
) -> EvaluationReport:
    """Score the run's detectors on its data. `advance` is called with the number of lines played since the last call.

    Of the caller's `own` settings, only the key of a language model counts, which no run holds.

    Raises `InputError` when there is nothing to score, `UnknownName`, `SettingsError`, `StrategyError`.
    """
    baseline(run)  # refuse an unknown label now, not after hours of work
    settings = _with_key(Settings.of(**run.settings), own)
    if run.task in PLAYED_THROUGH_END:
        if run.task == "knowledge":
            return await knowledge.evaluated(run, data, strategies, settings, advance)
        return await recall.evaluated(run, data, strategies, settings, advance)
    return await detection.evaluated(run, data, strategies, settings, advance)


def data_of(run: Run, strategies: Strategies) -> Data:
    """The run's data; where it is questions about scenes, also the scenes beside them (see `scenes_beside`).

    Raises `StoryError`, and `InputError` for a file that has changed since.
    """
    found = read_again(strategies, run.data)
    if run.task in PLAYED_THROUGH_END and not found.scenes:
        return read_again(strategies, [*found.files, *(DataFile(path=path) for path in scenes_beside(found))])
    return found


def scenes_beside(data: Data) -> list[str]:
    """The scenes for `knowledge/x.jsonl` or `recall/x.jsonl` are looked for in `participants/x.jsonl`."""
    places = (Path(file.path) for file in data.files)
    found = (place.parent.parent / "participants" / place.name for place in places)
    return [str(place) for place in found if place.is_file()]


def kept_settings(settings: Settings) -> dict[str, object]:
    """The settings that a run through END depends on besides the detector: JSON-ready, and only those that were set."""
    dumped = settings.model_dump(mode="json", exclude_unset=True)
    kept = {name: value for name, value in dumped.items() if name not in {"path", "detector", "end"}}
    return {name: _without_key(value) if name == "model" else value for name, value in kept.items()}


def _without_key(table: dict[str, object]) -> dict[str, object]:
    """The table `[model]` without its key, which no report holds."""
    return {name: value for name, value in table.items() if value != REDACTED}


def _with_key(settings: Settings, own: Settings | None) -> Settings:
    """The settings with the key of the language model that the caller has."""
    table, given = getattr(settings, "model", None), getattr(own, "model", None)
    if table is None or given is None or given.api_key is None:
        return settings
    return settings.changed(model={**table.model_dump(exclude_unset=True), "api_key": given.api_key})


def load(path: str) -> tuple[Run, EvaluationReport | None]:
    """Read a report, or a file with just a `run`. Returns the run, and the report if there is one.

    Raises `InputError`.
    """
    try:
        value = json.loads(Path(path).read_text("utf-8"))
        if isinstance(value, dict) and "results" in value:
            report = EvaluationReport.model_validate(value)
            return report.run, report
        return Run.model_validate(value["run"] if isinstance(value, dict) and "run" in value else value), None
    except OSError as error:
        raise InputError(f"{path}: cannot be read: {error.strerror or error}.") from error
    except ValidationError as error:
        raise InputError(
            f"{path}: not the report of a run: {explained(error, Run.model_fields)} --report FILE writes one."
        ) from error
    except (ValueError, RecursionError) as error:
        raise InputError(f"{path}: not JSON: {error}. --report FILE writes a report that can be repeated.") from error


def save(report: EvaluationReport, path: str) -> None:
    """Write a report, so that its run can be repeated. Raises `OSError`."""
    Path(path).write_text(report.model_dump_json(indent=2) + "\n", "utf-8")


def described(run: Run) -> Run:
    """The run, with the versions it is about to run on."""
    return run.model_copy(update={"versions": versions()})
