"""What installed packages declare: their entry points, read again only once what is installed has changed."""

from __future__ import annotations

import sys
from collections.abc import Mapping
from functools import lru_cache
from importlib import metadata
from importlib.metadata import EntryPoint
from pathlib import Path
from typing import TypeAlias

_Folders: TypeAlias = tuple[tuple[str, int], ...]
"""Each place where packages may be installed, and when something was last installed or removed there."""


def entry_points(*, group: str) -> tuple[EntryPoint, ...]:
    """The entry points of this group, in the order in which packages are found.

    `importlib.metadata` reads the files of all installed packages for each question, which takes milliseconds, and an
    instance that is opened asks a dozen times.
    """
    return _read(_folders(), tuple(map(id, sys.meta_path))).get(group, ())


def entry_point(group: str, name: str) -> EntryPoint | None:
    """The first entry point of this name; `None` if there is none."""
    return next((each for each in entry_points(group=group) if each.name == name), None)


@lru_cache(maxsize=2)
def _read(folders: _Folders, finders: tuple[int, ...]) -> Mapping[str, tuple[EntryPoint, ...]]:
    """Group → entry points. The arguments say what this holds for."""
    found = metadata.entry_points()
    return {group: tuple(found.select(group=group)) for group in found.groups}


def _folders() -> _Folders:
    return tuple((place, _changed(place)) for place in sys.path)


def _changed(place: str) -> int:
    """When this folder or archive was last changed, in nanoseconds; 0 if there is none."""
    try:
        return Path(place or ".").stat().st_mtime_ns
    except OSError:
        return 0
