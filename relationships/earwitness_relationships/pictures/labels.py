"""The places of labels on arrows: each on its own line, and where possible on no other label or box."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

PARTS = (0.0, 0.08, -0.08, 0.16, -0.16, 0.24, -0.24, 0.32, -0.32)
"""How far along its arrow a label may go, from where it would best be."""
MARGIN = 3.0
"""Pixels between labels."""


class Curve(NamedTuple):
    """The line of an arrow, in pixels: a Bézier curve with one control point."""

    start: tuple[float, float]
    control: tuple[float, float]
    end: tuple[float, float]
    part: float = 0.5
    """Where on it a label would best be: 0 is its start, 1 its end."""

    def at(self, part: float) -> tuple[float, float]:
        """A point of it."""
        ways = zip(self.start, self.control, self.end, strict=True)
        x, y = ((1 - part) ** 2 * a + 2 * part * (1 - part) * b + part**2 * c for a, b, c in ways)
        return x, y


class Extent(NamedTuple):
    """What something covers, in pixels."""

    left: float
    bottom: float
    right: float
    top: float

    def overlap(self, other: Extent) -> float:
        """How many pixels both cover."""
        width = min(self.right, other.right) - max(self.left, other.left) + MARGIN
        height = min(self.top, other.top) - max(self.bottom, other.bottom) + MARGIN
        return max(0.0, width) * max(0.0, height)


def place_labels(axes: Any, lines: Sequence[tuple[str, str, Curve]], boxes: Sequence[Any]) -> None:
    """Write labels, with their colours, on their lines. `boxes` are texts that they should leave free."""
    from matplotlib.backends.backend_agg import FigureCanvasAgg  # type: ignore[import-not-found,unused-ignore]

    canvas: Any = FigureCanvasAgg(axes.figure)
    renderer = canvas.get_renderer()
    taken = [_extent(each.get_window_extent(renderer)) for each in boxes]
    frame = {"boxstyle": "round,pad=0.15", "facecolor": "white", "edgecolor": "none"}
    middle = {"ha": "center", "va": "center", "fontsize": 7, "zorder": 2, "parse_math": False}
    to_data = axes.transData.inverted()
    for label, colour, curve in lines:
        if not label:
            continue
        text = axes.text(0, 0, label, color=colour, bbox=frame, **middle)
        found = _extent(text.get_window_extent(renderer))
        size = (found.right - found.left, found.top - found.bottom)
        point = best_place(curve, size, taken)
        text.set_position(to_data.transform(point))
        taken.append(around(point, size))


def best_place(curve: Curve, size: tuple[float, float], taken: Sequence[Extent]) -> tuple[float, float]:
    """The point of a line for a label of this size that covers least of what is taken; the nearest to its middle."""
    points = [curve.at(curve.part + step) for step in PARTS if 0.1 <= curve.part + step <= 0.9]
    covered = [sum(around(point, size).overlap(each) for each in taken) for point in points]
    return points[covered.index(min(covered))]


def around(point: tuple[float, float], size: tuple[float, float]) -> Extent:
    """What a label of this size covers around a point."""
    (x, y), (width, height) = point, size
    return Extent(x - width / 2, y - height / 2, x + width / 2, y + height / 2)


def _extent(found: Any) -> Extent:
    return Extent(found.x0, found.y0, found.x1, found.y1)
