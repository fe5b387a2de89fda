"""The picture of a comparison: leak against miss as END's threshold moves, one line per detector."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

from earwitness.errors import InputError

from .run import EvaluationReport, Result, Run

DRAWABLE = ("participants", "addressees")
MARGIN, LEAST_MARGIN = 0.05, 0.01
"""Space around the points, as a share of their range, and at least this much of an axis from 0 to 1."""


def draw(report: EvaluationReport, path: str) -> None:
    """Save the picture as PNG, SVG or PDF, depending on the ending of `path`.

    Raises `InputError` for another ending, and as `require_drawable`.
    """
    figure = require_drawable(report.run, path)(figsize=(6.4, 6), layout="constrained")
    axes = figure.subplots()
    thresholds = {spec.label: spec.end.enough for spec in report.run.detectors}
    for result in report.results:
        if result.curve:  # all its messages may hold asides, which are scored apart
            _line(axes, result, thresholds[result.detector])
    points = [point for result in report.results for point in result.curve]
    axes.set(xlim=limits([miss for _, _, miss in points]), ylim=limits([leak for _, leak, _ in points]))
    axes.set(title="Leak against miss as the threshold moves")
    axes.set(xlabel="miss: somebody is left out", ylabel="leak: somebody learns too much")
    axes.grid(alpha=0.3)
    axes.legend(frameon=False, title="dot: END's threshold")
    try:
        figure.savefig(path, dpi=150)
    except ValueError as error:
        raise InputError(f"--plot {path!r}: {error}.") from error


def require_drawable(run: Run, path: str) -> Any:
    """Check before a long run that it can be drawn; returns matplotlib's `Figure`.

    Raises `InputError` without matplotlib, for a task without a threshold, and for an ending that is not a picture.
    """
    if run.task not in DRAWABLE:
        tasks = " and ".join(DRAWABLE)
        raise InputError(f"--plot cannot draw {run.task}, which has no threshold. It draws {tasks}.")
    try:
        from matplotlib.backend_bases import FigureCanvasBase  # type: ignore[import-not-found,unused-ignore]
        from matplotlib.figure import Figure  # type: ignore[import-not-found,unused-ignore] # of an extra
    except ImportError:
        raise InputError("--plot needs matplotlib: pip install 'earwitness[evaluate]'.") from None
    known = FigureCanvasBase.get_supported_filetypes()
    if (ending := Path(path).suffix.removeprefix(".").lower()) not in known:
        raise InputError(f"--plot {path!r}: {ending!r} is not a picture format. Formats: {', '.join(sorted(known))}.")
    return Figure


def limits(shares: Sequence[float]) -> tuple[float, float]:
    """The ends of an axis that shows all of these shares, with a margin. Without shares: 0 and 1."""
    low, high = min(shares, default=0.0), max(shares, default=1.0)
    margin = max(MARGIN * (high - low), LEAST_MARGIN)
    return low - margin, high + margin


def _line(axes: Any, result: Result, threshold: float) -> None:
    leaks, misses = [leak for _, leak, _ in result.curve], [miss for _, _, miss in result.curve]
    (line,) = axes.plot(misses, leaks, label=result.detector, linewidth=1.5, marker=".", markersize=4)
    _, leak, miss = min(result.curve, key=lambda point: abs(point[0] - threshold))
    axes.plot([miss], [leak], marker="o", color=line.get_color())
