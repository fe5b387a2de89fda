"""Pictures as SVG, PNG or PDF: the places are found by networkx, the lines drawn by matplotlib."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from io import BytesIO
from pathlib import Path
from typing import Any

from earwitness.errors import InputError

from .labels import Curve, place_labels
from .mermaid import mermaid
from .records import Diagram, DiagramArrow, DiagramNode

MERMAID = (".mmd", ".mermaid")
COLOURS = ("#cfe8ff", "#ffe3c2", "#d8f3d0", "#f6d5e5", "#e6dcf8", "#fdf3b4", "#d3f0ee", "#eeeeee")
LINES = {"told": ("#1f4e79", "-"), "related": ("#999999", "-"), "stopped": ("#b03030", "--")}
"""Style of an arrow → its colour and line."""
CIRCLE, SPRINGS = 12, 400
"""Up to 12 boxes are put in a circle; up to 400 are moved apart by springs, which would take too long for more."""
BoxPlaces = Mapping[str, tuple[float, float]]


def save_picture(picture: Diagram, path: str) -> None:
    """Save as Mermaid text (`.mmd`), or as SVG, PNG or PDF, depending on the ending of the path.

    Raises `InputError` for another ending, and without matplotlib.
    """
    if Path(path).suffix.lower() in MERMAID:
        Path(path).write_text(mermaid(picture), "utf-8")
        return
    draw = _figure(path)
    places = _places(picture)
    figure = draw(figsize=_size(picture))
    axes = figure.add_axes((0.02, 0.02, 0.96, 0.9))
    axes.set_axis_off()
    axes.margins(0.15)
    axes.set_title(picture.title, parse_math=False)
    boxes = _boxes(axes, picture.nodes, places)
    bent = [(arrow, _bend(arrow, picture.arrows)) for arrow in picture.arrows]
    for arrow, bend in bent:
        _arrow(axes, arrow, places, boxes, bend=bend)
    lines = [(arrow.label, LINES[arrow.style][0], _curve(axes, arrow, places, bend)) for arrow, bend in bent]
    place_labels(axes, lines, list(boxes.values()))
    _legend(axes, picture.nodes)
    _save(figure, path)


def _figure(path: str) -> Any:
    """Matplotlib's `Figure`. Raises `InputError` without matplotlib, and for an ending that is not a picture."""
    try:
        from matplotlib.backend_bases import FigureCanvasBase  # type: ignore[import-not-found,unused-ignore]
        from matplotlib.figure import Figure  # type: ignore[import-not-found,unused-ignore] # of an extra
    except ImportError:
        raise InputError(
            f"{path!r} needs matplotlib: pip install 'earwitness[evaluate]'. Without it, a picture ends in .mmd."
        ) from None
    known = [*MERMAID, *(f".{ending}" for ending in FigureCanvasBase.get_supported_filetypes())]
    if (ending := Path(path).suffix.lower()) not in known:
        raise InputError(f"{path!r}: {ending!r} is not the ending of a picture. Endings: {', '.join(sorted(known))}.")
    return Figure


def _save(figure: Any, path: str) -> None:
    from matplotlib import rc_context  # type: ignore[import-not-found,unused-ignore] # of an extra

    is_svg = Path(path).suffix.lower() == ".svg"
    with rc_context({"svg.fonttype": "none", "svg.hashsalt": "earwitness"}):  # the same picture every time, with text
        for file in (BytesIO(), path):  # arrows end where boxes were drawn, so the boxes are drawn once before
            kind = Path(path).suffix.removeprefix(".").lower()
            figure.savefig(file, format=kind, dpi=150, metadata={"Date": None} if is_svg else None)


# ── places ──────────────────────────────────────────────────────────────────────────────────────────────────────────


def _size(picture: Diagram) -> tuple[float, float]:
    columns = {node.column for node in picture.nodes}
    if None in columns or not columns:
        side = min(24.0, max(5.0, 2.4 * len(picture.nodes) ** 0.6))
        return side * 1.5, side
    tallest = max(sum(node.column == column for node in picture.nodes) for column in columns)
    return min(30.0, 3.4 * len(columns) + 1), min(40.0, max(3.5, 1.3 * tallest))


def _places(picture: Diagram) -> BoxPlaces:
    if all(node.column is not None for node in picture.nodes):
        return _columns(picture.nodes)
    import networkx as nx

    graph: nx.Graph[str] = nx.Graph()
    graph.add_nodes_from(node.id for node in picture.nodes)
    graph.add_edges_from((each.source, each.target) for each in picture.arrows)
    found = nx.circular_layout(graph)
    if CIRCLE < len(graph) <= SPRINGS:
        found = nx.spring_layout(graph, pos=found, k=2.5 / len(graph) ** 0.5, iterations=200, seed=7)
    return {id: (float(x), float(y)) for id, (x, y) in found.items()}


def _columns(nodes: Sequence[DiagramNode]) -> BoxPlaces:
    places: dict[str, tuple[float, float]] = {}
    for column in sorted({node.column or 0 for node in nodes}):
        those = [node for node in nodes if (node.column or 0) == column]
        top = (len(those) - 1) / 2 + 0.3 * (column % 2)  # not all in one line, for arrows over several columns
        places |= {node.id: (float(column), top - row) for row, node in enumerate(those)}
    return places


def _curve(axes: Any, arrow: DiagramArrow, places: BoxPlaces, bend: float) -> Curve:
    """The arrow's line in pixels. Matplotlib's `arc3` is a Bézier curve with one control point."""
    (x0, y0), (x1, y1) = axes.transData.transform([places[arrow.source], places[arrow.target]])
    control = ((x0 + x1) / 2 + bend * (y1 - y0), (y0 + y1) / 2 - bend * (x1 - x0))
    part = 0.7 if arrow.style == "stopped" else 0.5
    return Curve((x0, y0), control, (x1, y1), part)


# ── lines ───────────────────────────────────────────────────────────────────────────────────────────────────────────


def _boxes(axes: Any, nodes: Sequence[DiagramNode], places: BoxPlaces) -> dict[str, Any]:
    groups = list(dict.fromkeys(node.group for node in nodes))
    boxes = {}
    for node in nodes:
        colour = COLOURS[groups.index(node.group) % len(COLOURS)] if node.group else "#ffffff"
        line = {"edgecolor": "#444444", "linewidth": 2.2 if node.is_strong else 1.0}
        frame = {"boxstyle": "round,pad=0.4", "facecolor": colour, **line}
        x, y = places[node.id]
        middle = {"ha": "center", "va": "center", "fontsize": 9, "zorder": 3, "parse_math": False}
        boxes[node.id] = axes.text(x, y, node.label, bbox=frame, **middle)
        axes.plot([x], [y], alpha=0)  # so that the axes reach to it
    return boxes


def _legend(axes: Any, nodes: Sequence[DiagramNode]) -> None:
    """What the colours are, where they are not the columns."""
    from matplotlib.patches import Patch  # type: ignore[import-not-found,unused-ignore] # of an extra

    groups = [each for each in dict.fromkeys(node.group for node in nodes) if each]
    if not groups or any(node.column is not None for node in nodes):
        return
    every = list(dict.fromkeys(node.group for node in nodes))
    patches = [
        Patch(facecolor=COLOURS[every.index(each) % len(COLOURS)], edgecolor="#444444", label=_literal(each))
        for each in groups
    ]
    legend = axes.legend(handles=patches, loc="lower center", bbox_to_anchor=(0.5, -0.02), ncols=4, frameon=False)
    for text in legend.get_texts():
        text.set_parse_math(False)


def _literal(label: str) -> str:
    """Matplotlib leaves out of a legend what begins with an underscore."""
    return f" {label}" if label.startswith("_") else label


def _arrow(axes: Any, arrow: DiagramArrow, places: BoxPlaces, boxes: Mapping[str, Any], *, bend: float) -> None:
    colour, line = LINES[arrow.style]
    start, end = places[arrow.source], places[arrow.target]
    head = "-" if arrow.style == "related" else "-|>"
    look = {"arrowstyle": head, "color": colour, "linestyle": line, "connectionstyle": f"arc3,rad={bend}"}
    ends = {"patchA": boxes[arrow.source].get_bbox_patch(), "patchB": boxes[arrow.target].get_bbox_patch()}
    axes.annotate("", xy=end, xytext=start, arrowprops={**look, **ends, "shrinkA": 2, "shrinkB": 2}, zorder=1)


def _bend(arrow: DiagramArrow, every: Sequence[DiagramArrow]) -> float:
    """Arrows between the same two boxes go round each other."""
    ends = {arrow.source, arrow.target}
    same = [each for each in every if {each.source, each.target} == ends]
    return 0.0 if len(same) == 1 else 0.25 + 0.2 * (same.index(arrow) // 2)
