"""What a run is: small enough to read, and enough to repeat it. And what it found."""

from __future__ import annotations

import platform
from collections.abc import Iterator, Mapping
from importlib.metadata import version
from typing import Any, Literal

from pydantic import JsonValue

from earwitness.records.base import Record

from .bootstrap import Interval
from .calibration import Bin
from .choosing import Choice
from .mistakes import WorstScene
from .online import Directions
from .reading import DataFile

Task = Literal["participants", "addressees", "knowledge", "recall"]
By = Literal["containers", "who_knows"]
TASKS: tuple[Task, ...] = ("participants", "addressees", "knowledge", "recall")
EVERYTHING = "all"
CAUTION = "Measured on these files. Where a detector was made or fitted with them, expect less elsewhere."
TIMED = frozenset({"messages_per_second", "versions"})
"""What two runs of the same may differ in."""


class Run(Record):
    """One evaluation: run it again with `earwitness evaluate --repeat`."""

    task: Task
    """What is scored."""
    detectors: tuple[Choice, ...]
    """What is compared; differences are against the first."""
    data: tuple[DataFile, ...]
    """Which files."""
    directions: Directions = "shown"
    """Whether narration and directions of delivery are told."""
    by: By = "containers"
    """For knowledge: how it is found out who knows."""
    settings: dict[str, JsonValue] = {}
    """For knowledge and recall: what the stories are told to besides the detector."""
    seed: int = 0
    """Of the resampling, and of detectors that ask for it."""
    resamples: int = 2000
    """Draws for intervals; 0 for none."""
    worst: int = 0
    """How many of the worst scenes to tell of."""
    versions: dict[str, str] = {}
    """What it ran on."""


class Scores(Record):
    """One detector on some of the data."""

    units: int
    """Messages, quotations or questions."""
    values: dict[str, Interval]
    """Measure → its value and interval."""
    calibration_error: float | None = None
    """Expected calibration error of what was believed of others than the speaker."""
    bins: tuple[Bin, ...] = ()
    """What it is made of."""


class Asides(Record):
    """Messages with an aside in them, which nobody but the speaker may hear."""

    messages: int
    """How many."""
    leaked: int
    """How many of them somebody else was said to hear."""


class Result(Record):
    """What one detector reached."""

    detector: str
    """Its label."""
    scores: dict[str, Scores]
    """Data set → scores; `all` of them where there are several."""
    absent: dict[str, Scores] = {}
    """The same, of messages that somebody of the roster does not perceive."""
    by_present: dict[str, dict[str, Scores]] = {}
    """Data set → number in the true set → scores."""
    asides: Asides | None = None
    """Where there are any."""
    curve: tuple[tuple[float, float, float], ...] = ()
    """(threshold, leak, miss) on all data."""
    messages_per_second: float | None = None
    """By the detector's own time."""
    failures: dict[str, int] = {}
    """Failure → how many messages; then only the speaker perceived them."""
    worst: tuple[WorstScene, ...] = ()
    """The worst scenes, worst first."""


class Difference(Record):
    """How much better a detector is than the first one, on the same draws."""

    detector: str
    """Its label."""
    against: str
    """The first one's."""
    data: str
    """Data set, or `all`."""
    values: dict[str, Interval]
    """Measure → difference."""


class Report(Record):
    """A run and what it found."""

    run: Run
    """Enough to repeat it."""
    note: str = CAUTION
    """How to read it."""
    scenes: dict[str, int]
    """Data set → how many scenes are scored."""
    results: tuple[Result, ...]
    """One a detector, in the run's order."""
    differences: tuple[Difference, ...] = ()
    """Of every other detector against the first."""


def versions() -> dict[str, str]:
    """Of what numbers may depend on."""
    return {"earwitness": version("earwitness"), "numpy": version("numpy"), "python": platform.python_version()}


def changed(before: Report, after: Report) -> list[str]:
    """Where two reports of the same run differ, but for time: `results[0].scores.fantom.values.f1.value: 0.9 → 0.8`."""
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
