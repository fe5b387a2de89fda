"""The picture of a comparison: leak against miss as END's threshold moves, one line a detector."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from earwitness.errors import InputError

from .run import Report, Result, Run

DRAWN = ("participants", "addressees")


def draw(report: Report, path: str) -> None:
    """Save the picture; the file's ending says whether it is PNG, SVG or PDF.

    Raises `InputError` for another ending, and as `drawable`.
    """
    figure = drawable(report.run, path)(figsize=(6.4, 6), layout="constrained")
    axes = figure.subplots()
    thresholds = {choice.label: choice.end.enough for choice in report.run.detectors}
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


def drawable(run: Run, path: str) -> Any:
    """What draws: to be asked before a long run. Raises `InputError` without matplotlib, for a task without a
    threshold, and for a file that is no picture."""
    if run.task not in DRAWN:
        raise InputError(f"there is nothing to draw of {run.task}: no threshold moves its answers.")
    try:
        from matplotlib.backend_bases import FigureCanvasBase  # type: ignore[import-not-found,unused-ignore]
        from matplotlib.figure import Figure  # type: ignore[import-not-found,unused-ignore] # of an extra
    except ImportError:
        raise InputError("--plot needs matplotlib: pip install 'earwitness[evaluate]'.") from None
    known = FigureCanvasBase.get_supported_filetypes()
    if (ending := Path(path).suffix.removeprefix(".").lower()) not in known:
        raise InputError(f"--plot {path!r}: {ending!r} is no kind of picture; take one of {', '.join(sorted(known))}.")
    return Figure


def _line(axes: Any, result: Result, threshold: float) -> None:
    (line,) = axes.plot([miss for _, _, miss in result.curve], [leak for _, leak, _ in result.curve],
                        label=result.detector, linewidth=1.5, marker=".", markersize=4)  # fmt: skip
    _, leak, miss = min(result.curve, key=lambda point: abs(point[0] - threshold))
    axes.plot([miss], [leak], marker="o", color=line.get_color())
