"""One run, whatever its task; and the same run again."""

from __future__ import annotations

import json
from pathlib import Path

from pydantic import ValidationError

from earwitness.errors import InputError
from earwitness.loading.settings import Settings
from earwitness.loading.strategies import Strategies

from . import knowledge, recall, watching
from .reading import Data, DataFile, again
from .run import Report, Run, versions
from .watching import Advance

TOLD_THROUGH_END = ("knowledge", "recall")


async def evaluate(run: Run, data: Data, strategies: Strategies, advance: Advance = lambda steps: None) -> Report:
    """Score the run's detectors on its data. `advance` is told of every line that was played.

    Raises `InputError` where there is nothing to score, `UnknownName`, `SettingsError`, `StrategyError`.
    """
    if run.task in TOLD_THROUGH_END:
        settings = Settings.of(**run.settings)
        if run.task == "knowledge":
            return await knowledge.evaluated(run, data, strategies, settings, advance)
        return await recall.evaluated(run, data, strategies, settings, advance)
    return await watching.evaluated(run, data, strategies, advance)


def data_of(run: Run, strategies: Strategies) -> Data:
    """The run's data; for knowledge also the scenes that lie beside the questions (see `beside`).

    Raises `StoryError`, and `InputError` for a file that has changed since.
    """
    found = again(strategies, run.data)
    if run.task == "knowledge" and not found.scenes:
        return again(strategies, [*found.files, *(DataFile(path=path) for path in beside(found))])
    return found


def beside(data: Data) -> list[str]:
    """Where the scenes to `knowledge/x.jsonl` are when nobody says: in `participants/x.jsonl`."""
    places = (Path(file.path) for file in data.files)
    found = (place.parent.parent / "participants" / place.name for place in places)
    return [str(place) for place in found if place.is_file()]


def kept_settings(settings: Settings) -> dict[str, object]:
    """What a run through END depends on besides the detector, JSON-ready, and only what was set."""
    dumped = settings.model_dump(mode="json", exclude_unset=True)
    return {name: value for name, value in dumped.items() if name not in {"path", "detector", "end"}}


def load(path: str) -> tuple[Run, Report | None]:
    """The run that a report, or a file with just a `run`, describes; and the report. Raises `InputError`."""
    try:
        value = json.loads(Path(path).read_text("utf-8"))
        if isinstance(value, dict) and "results" in value:
            report = Report.model_validate(value)
            return report.run, report
        return Run.model_validate(value["run"] if isinstance(value, dict) and "run" in value else value), None
    except OSError as error:
        raise InputError(f"{path}: cannot be read: {error.strerror or error}.") from error
    except ValidationError as error:
        first = error.errors()[0]
        where = ".".join(map(str, first["loc"])) or "the whole"
        raise InputError(f"{path}: no report of a run: {where}: {first['msg']}. --report FILE writes one.") from error
    except ValueError as error:
        raise InputError(f"{path}: not JSON: {error}. --report FILE writes a report that can be repeated.") from error


def save(report: Report, path: str) -> None:
    """Write a report, so that its run can be repeated. Raises `OSError`."""
    Path(path).write_text(report.model_dump_json(indent=2) + "\n", "utf-8")


def described(run: Run) -> Run:
    """The run, with what it is about to run on."""
    return run.model_copy(update={"versions": versions()})
