"""What a picture shows: nodes in groups, and arrows between them. It is drawn by `canvas` or written by `mermaid`."""

from __future__ import annotations

from typing import Literal

from earwitness import Record


class DiagramNode(Record):
    """A box."""

    id: str
    """Unique in the picture."""
    label: str
    """What it says; it may have several lines."""
    group: str = ""
    """The frame or colour it belongs to."""
    is_strong: bool = False
    """Whether it is highlighted."""
    column: int | None = None
    """Its place from left to right, where that has a meaning; `None` = wherever it fits."""


class DiagramArrow(Record):
    """An arrow from one box to another."""

    source: str
    """Id of the box it starts at."""
    target: str
    """Id of the box it points to."""
    label: str = ""
    """What it says."""
    style: Literal["told", "related", "stopped"] = "told"
    """`told` = a way of a message, `related` = a relation without rules, `stopped` = a way that it did not go."""


class Diagram(Record):
    """A picture."""

    title: str = ""
    """Above it."""
    nodes: tuple[DiagramNode, ...]
    """The boxes."""
    arrows: tuple[DiagramArrow, ...]
    """The arrows."""
