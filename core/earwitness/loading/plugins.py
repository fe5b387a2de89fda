"""Loading plugins from entry points: all that are found, or those allowed, without those blocked."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from importlib.metadata import entry_points
from typing import Any

from ..dispatch import Plugins
from ..errors import named, unknown
from .strategies import LoadFailure

GROUP = "earwitness.plugins"


def found() -> tuple[str, ...]:
    """Names of all installed plugins, sorted."""
    return tuple(sorted(point.name for point in entry_points(group=GROUP)))


def load(
    plugins: Plugins,
    *,
    allow: Collection[str] | None = None,
    block: Collection[str] = (),
    settings: Mapping[str, Mapping[str, Any]] | None = None,
) -> list[LoadFailure]:
    """Register installed plugins by name; one that breaks is returned as a failure and the rest are loaded.

    Raises `UnknownName` for an allowed name that is not installed; a blocked one need not be.
    """
    for name in allow or ():
        if name not in found():
            raise unknown("plugin", name, found())
    failures = []
    for point in sorted(entry_points(group=GROUP), key=lambda point: point.name):
        if point.name in block or (allow is not None and point.name not in allow):
            continue
        try:
            plugins.register(point.load()(**(settings or {}).get(point.name, {})), point.name)
        except Exception as error:  # noqa: BLE001 - one broken distribution must not take the others along
            failure = named(error)
            failures.append(LoadFailure(group=GROUP, name=point.name, failure=failure))
    return failures
