"""The records of a run, which suffice to repeat it, and of its report."""

from __future__ import annotations

import platform
from collections.abc import Iterator, Mapping
from importlib.metadata import version
from typing import Any, Literal

from pydantic import JsonValue

from earwitness.errors import unknown
from earwitness.records.base import Record
from earwitness.records.usage import Spending

from .bootstrap import Interval
from .calibration import Bin
from .data import DataFile
from .detector_spec import DetectorSpec
from .mistakes import WorstScene
from .scene_judge import Directions

Task = Literal["participants", "addressees", "knowledge", "recall"]
By = Literal["containers", "who_knows"]
TASKS: tuple[Task, ...] = ("participants", "addressees", "knowledge", "recall")
EVERYTHING = "all"
CAUTION = "Measured on these files. Where a detector was made or fitted with them, expect less elsewhere."
TIMED = frozenset({"messages_per_second", "versions", "seconds", "cached"})
"""Fields in which two reports of the same run may differ."""


class Run(Record):
    """One evaluation; `earwitness evaluate --repeat` runs it again."""

    task: Task
    """The task."""
    detectors: tuple[DetectorSpec, ...]
    """The detectors, each with its own label."""
    against: str | None = None
    """Label of the detector that the others are compared with; `None` = the first."""
    data: tuple[DataFile, ...]
    """The files."""
    directions: Directions = "shown"
    """Whether the detectors see narration and stage directions."""
    by: By = "containers"
    """For knowledge: whether to search the containers or to ask `backstage.who_knows`."""
    settings: dict[str, JsonValue] = {}
    """The settings of the instance, besides the detector."""
    seed: int = 0
    """Seed of the resampling, and of detectors with a parameter `seed`."""
    resamples: int = 2000
    """Number of draws for the intervals; 0 = no intervals."""
    worst: int = 0
    """Number of worst scenes to report."""
    versions: dict[str, str] = {}
    """Versions it ran on."""


class Scores(Record):
    """The scores of one detector on some of the data."""

    units: int
    """Number of messages, quotations or questions."""
    values: dict[str, Interval]
    """Measure → its value and interval."""
    calibration_error: float | None = None
    """Expected calibration error of the probabilities, the speaker's excluded."""
    bins: tuple[Bin, ...] = ()
    """The bins of the calibration error."""


class Asides(Record):
    """Messages with an aside, which only the speaker may hear."""

    messages: int
    """Number of messages with an aside."""
    leaked: int
    """Number of them that the detector let somebody else hear."""


class PrivatePieces(Record):
    """What is private in messages."""

    pieces: int = 0
    """Number of pieces with an audience of their own, such as thoughts and whispers."""
    leaked: int = 0
    """Number of them that somebody perceived who must not."""
    missed: int = 0
    """Number of them that somebody missed who does perceive them."""
    alone: int = 0
    """Number of whole messages that only their speaker perceives."""
    alone_leaked: int = 0
    """Number of them that somebody else perceived."""


class Acts(Record):
    """How often a detector reads that somebody begins or ends to be able to perceive."""

    leavings: int = 0
    """Number of times somebody leaves, or falls asleep."""
    leavings_read: int = 0
    """Number of them after which the detector rightly holds them for gone at the next message that shows it."""
    comings: int = 0
    """Number of times somebody arrives, returns or wakes."""
    comings_read: int = 0
    """Number of them after which the detector rightly holds them for present at the next message that shows it."""
    steady: int = 0
    """Number of times somebody neither comes nor goes between two messages, and the detector was right at the first."""
    invented: int = 0
    """Number of them at which the detector is wrong at the second."""


class Result(Record):
    """The results of one detector."""

    detector: str
    """Label of the detector."""
    scores: dict[str, Scores]
    """Data set → scores; with several data sets also `all`."""
    absent: dict[str, Scores] = {}
    """The same, limited to messages that somebody of the roster does not perceive."""
    by_present: dict[str, dict[str, Scores]] = {}
    """Data set → size of the true set → scores."""
    asides: Asides | None = None
    """Asides, if the data has any."""
    privacy: PrivatePieces | None = None
    """What is private, if the data says it."""
    acts: Acts | None = None
    """Comings and goings, if the data names any."""
    curve: tuple[tuple[float, float, float], ...] = ()
    """(threshold, leak, miss) on all data."""
    messages_per_second: float | None = None
    """Speed, counting the detector's time only."""
    models: Spending | None = None
    """What the detector asked of models, on all scenes; `None` = nothing."""
    failures: dict[str, int] = {}
    """Failure → number of messages. Those messages were perceived by the speaker only."""
    ignored: dict[str, int] = {}
    """What was ignored in answers that were scored → number of messages, narration among them."""
    failed_everywhere: bool = False
    """Whether the detector answered no message at all."""
    worst: tuple[WorstScene, ...] = ()
    """The worst scenes, worst first."""


class Difference(Record):
    """A detector's scores minus those of the one it is compared with, on the same draws."""

    detector: str
    """Label of the detector."""
    against: str
    """Label of the detector it is compared with."""
    data: str
    """Data set, or `all`."""
    values: dict[str, Interval]
    """Measure → the detector's value minus that of the other one."""


class EvaluationReport(Record):
    """A run and its results."""

    run: Run
    """The run, ready to be repeated."""
    note: str = CAUTION
    """A caution for readers."""
    scenes: dict[str, int]
    """Data set → number of scored scenes."""
    results: tuple[Result, ...]
    """One per detector, in the order of the run."""
    differences: tuple[Difference, ...] = ()
    """Every other detector compared with the `baseline`."""
    strange_speakers: tuple[str, ...] = ()
    """Speakers outside their scene's roster, in sentences; their words are scored for those in it."""


def baseline(run: Run) -> str:
    """Label of the detector that the others are compared with. Raises `UnknownName` if none has this label."""
    labels = [each.label for each in run.detectors]
    if run.against is not None and run.against not in labels:
        raise unknown("detector to compare against", run.against, labels)
    return labels[0] if run.against is None else run.against


def versions() -> dict[str, str]:
    """Versions that the numbers may depend on."""
    return {"earwitness": version("earwitness"), "numpy": version("numpy"), "python": platform.python_version()}


def changed(before: EvaluationReport, after: EvaluationReport) -> list[str]:
    """The differences between two reports of the same run, except in time.

    Each reads `results[0].scores.fantom.values.f1.value: 0.9 → 0.8`.
    """
    old, new = (report.model_dump(mode="json") for report in (before, after))
    return [f"{place}: {was} → {now}" for place, was, now in _changed(old, new, "")]


def _changed(old: Any, new: Any, place: str) -> Iterator[tuple[str, Any, Any]]:
    if isinstance(old, Mapping) and isinstance(new, Mapping):
        for key in sorted({*old, *new} - TIMED):
            yield from _changed(old.get(key), new.get(key), f"{place}.{key}".removeprefix("."))
    elif isinstance(old, list) and isinstance(new, list) and len(old) == len(new):
        for index, (was, now) in enumerate(zip(old, new, strict=True)):
            yield from _changed(was, now, f"{place}[{index}]")
    elif not _same(old, new):
        yield place, old, new


def _same(old: Any, new: Any) -> bool:
    if isinstance(old, float) and isinstance(new, float):
        return abs(old - new) <= 1e-9 * max(1.0, abs(old))
    return bool(old == new)
