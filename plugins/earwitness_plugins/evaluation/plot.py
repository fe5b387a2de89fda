"""The picture of a comparison: leak against miss as END's threshold moves, one line a detector."""

from __future__ import annotations

from typing import Any

from earwitness.errors import InputError

from .run import Report, Result


def draw(report: Report, path: str) -> None:
    """Save the picture; the file's ending says whether it is PNG, SVG or PDF.

    Raises `InputError` without matplotlib, for another ending, or for a task without a threshold.
    """
    try:
        from matplotlib.figure import Figure  # type: ignore[import-not-found,unused-ignore] # of an extra
    except ImportError:
        raise InputError("--plot needs matplotlib: pip install 'earwitness[evaluate]'.") from None
    if not any(result.curve for result in report.results):
        raise InputError(f"there is nothing to draw of {report.run.task}: no threshold moves its answers.")
    figure = Figure(figsize=(6.4, 6), layout="constrained")
    axes = figure.subplots()
    thresholds = {choice.label: choice.end.threshold for choice in report.run.detectors}
    for result in report.results:
        _line(axes, result, thresholds[result.detector])
    axes.set(title="Leak against miss as the threshold moves", xlabel="miss: somebody is left out",
             ylabel="leak: somebody is told too much", xlim=(0, 1), ylim=(0, 1))  # fmt: skip
    axes.grid(alpha=0.3)
    axes.legend(frameon=False, title="dot: END's threshold")
    try:
        figure.savefig(path, dpi=150)
    except ValueError as error:
        raise InputError(f"--plot {path!r}: {error}.") from error


def _line(axes: Any, result: Result, threshold: float) -> None:
    (line,) = axes.plot([miss for _, _, miss in result.curve], [leak for _, leak, _ in result.curve],
                        label=result.detector, linewidth=1.5)  # fmt: skip
    _, leak, miss = min(result.curve, key=lambda point: abs(point[0] - threshold))
    axes.plot([miss], [leak], marker="o", color=line.get_color())
