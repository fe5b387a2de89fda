"""What `earwitness export` wrote: a story, and behind it each of its bubbles."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import pairwise
from typing import Any

from earwitness.errors import StoryError, about
from earwitness.story_export import StoryExport


def read_exports(lines: Sequence[Mapping[str, Any]], place: str) -> list[StoryExport]:
    """The stories in these lines. Raises `StoryError`, also for bubbles that were announced and are not there."""
    starts = [number for number, line in enumerate(lines) if line.get("kind") == "session"]
    bounds = [*([] if starts[:1] == [0] else [0]), *starts, len(lines)]
    found: list[StoryExport] = []
    for start, end in pairwise(bounds):
        with about(place if start == 0 else f"{place}, from line {start + 1} on"):
            found.append(StoryExport.read(lines[start:end]))
    announced = [id for start in starts for id in _listed(lines[start].get("bubbles"))]
    if missing := [id for id in announced if id not in {each.id for each in found}]:
        raise StoryError(f"{place}: the export is incomplete: it lacks the bubble {missing[0]!r}. Export it again.")
    return found


def _listed(given: object) -> list[object]:
    return given if isinstance(given, list) else []


def named_exports(exports: Iterable[StoryExport], id: str | None) -> Iterator[tuple[StoryExport, str]]:
    """Each story and the id that it gets. With another `id` for a story, its bubbles are named after that."""
    for story, each in _with_their_stories(exports):
        yield each, each.id if id is None else f"{id}{each.id.removeprefix(story)}"


def without_bubbles(exports: Iterable[StoryExport]) -> list[StoryExport]:
    """The stories, without the bubbles behind each."""
    return [each for story, each in _with_their_stories(exports) if each.id == story]


def _with_their_stories(exports: Iterable[StoryExport]) -> Iterator[tuple[str, StoryExport]]:
    """Each story with its own id, and each bubble with that of its story."""
    story = ""
    for each in exports:
        if not story or not each.id.startswith(f"{story}~"):
            story = each.id
        yield story, each
