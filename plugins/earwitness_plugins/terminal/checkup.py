"""The report of `doctor`, for a terminal."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from rich.console import Group, RenderableType
from rich.table import Table
from rich.text import Text

from .context import program
from .long_texts import shortened
from .people import plain

MOST = 500
"""Characters of one detail, such as a page that a service answered with."""

TRIED = {"embedder": "vectors", "model": "language model"}
"""Parts of the report that are shown if there is anything in them, and their names."""


def checkup(report: Mapping[str, Any]) -> RenderableType:
    """A line for each thing checked; what is broken comes last, in red."""
    grid = Table.grid(padding=(0, 2))
    packages = ", ".join(f"{name} {version}" for name, version in report["packages"].items())
    _row(grid, "earwitness", f"{report['earwitness']} on Python {report['python']}")
    _row(grid, "packages", packages)
    _row(
        grid,
        "plugins",
        ", ".join(f"{name} ({', '.join(hooks)})" for name, hooks in report["plugins"].items()) or "none",
    )
    if report["blocked"]:
        _row(grid, "blocked", ", ".join(report["blocked"]))
    if missing := report["missing_extras"]:
        extras = ",".join(missing)
        _row(grid, "not installed", f"{', '.join(missing)}: pip install 'earwitness[{extras}]', or those you want")
    for kind in {**report["in_use"], **report["strategies"]}:
        _row(grid, kind.replace("_", " "), _used(kind, report))
    for part, name in TRIED.items():
        if report[part]:
            _row(grid, name, _details(report[part]))
    for part, value in _health(report["store"]):
        _row(grid, f"stories: {part}", _details(value) if isinstance(value, dict) else str(value))
    for why, who in _broken(report["failures"]).items():
        grid.add_row(Text("broken", style="red"), Text(plain(f"{', '.join(who)}: {why}")))
    return Group(grid, _verdict(report))


def _health(store: Mapping[str, Any]) -> Iterator[tuple[str, Any]]:
    return ((part, value) for part, value in store.items() if part not in {"ok", "exists"})


def _broken(failures: Sequence[Mapping[str, str]]) -> dict[str, list[str]]:
    """What is wrong, said once → all that cannot be used because of it."""
    found: dict[str, list[str]] = {}
    for each in failures:
        found.setdefault(each["failure"], []).append(f"{each['group']}: {each['name']}")
    return found


def _used(kind: str, report: Mapping[str, Any]) -> str:
    """What is used, and what is installed; only the latter where nothing can be chosen."""
    there = ", ".join(report["strategies"].get(kind, ()))
    if kind not in report["in_use"]:
        return there
    used = ", ".join(map(_spec, report["in_use"][kind])) or "none"
    return f"{used}  (installed: {there})" if there not in {"", used} else used


def _spec(spec: Mapping[str, Any]) -> str:
    settings = ", ".join(f"{name}={value!r}" for name, value in spec["settings"].items())
    return f"{spec['name']}({settings})" if settings else str(spec["name"])


def _verdict(report: Mapping[str, Any]) -> Text:
    store = report["store"]
    if not report["ok"]:
        return Text("not well", style="red")
    if store["exists"]:
        return Text("all is well", style="green")
    begin = f"To make one: {program()} play STORY, or {program()} import FILE."
    missing = f"no store {store['path']!r}" if "path" in store else "a database without all tables of this version"
    return Text(plain(f"nothing is broken, and there is {missing} yet. {begin}"), style="green")


def _row(grid: Table, name: str, what: str) -> None:
    grid.add_row(Text(name, style="dim"), Text(plain(what)))


def _details(details: Mapping[str, Any]) -> str:
    return ", ".join(f"{name} {shortened(str(value), MOST)}" for name, value in details.items())
