"""What the doctor found, as it is shown."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from rich.console import RenderableType
from rich.table import Table
from rich.text import Text

from .people import plain


def checkup(report: Mapping[str, Any]) -> RenderableType:
    """A line for each thing looked at; what is broken in red, last."""
    grid = Table.grid(padding=(0, 2))
    packages = ", ".join(f"{name} {version}" for name, version in report["packages"].items())
    _row(grid, "earwitness", f"{report['earwitness']} on Python {report['python']}")
    _row(grid, "packages", packages)
    _row(
        grid,
        "plugins",
        ", ".join(f"{name} ({', '.join(hooks)})" for name, hooks in report["plugins"].items()) or "none",
    )
    for kind, names in report["strategies"].items():
        _row(grid, kind.replace("_", " "), ", ".join(names))
    _row(grid, "embedder in use", _details(report["embedder"] or {"none": ""}))
    if report["blocked"]:
        _row(grid, "blocked", ", ".join(report["blocked"]))
    for part, value in report["store"].items():
        _row(grid, f"stories: {part}", _details(value) if isinstance(value, dict) else str(value))
    for failure in report["failures"]:
        grid.add_row(
            Text("broken", style="red"), Text(plain(f"{failure['group']}: {failure['name']}: {failure['failure']}"))
        )
    grid.add_row(Text("all is well", style="green") if report["ok"] else Text("not well", style="red"))
    return grid


def _row(grid: Table, name: str, what: str) -> None:
    grid.add_row(Text(name, style="dim"), Text(plain(what)))


def _details(details: Mapping[str, Any]) -> str:
    return ", ".join(f"{name} {value}" for name, value in details.items())
