"""What else held when a message was said: the flags of the story, and the version of the graph of all stories."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

from pydantic import JsonValue

from earwitness import Session
from earwitness.patterns import lazy_pattern
from earwitness.records.journal import Changed, Entry

from ..graph.records import GraphChange
from ..graph.view import GraphView

GRAPH_VERSION = lazy_pattern(r"\bgraph (\d+)\b")
"""Where the sharing rule says which graph its answer rests on: see `StoryPicture.version`."""


def flags_by_entry(journal: Iterable[Entry]) -> dict[int, dict[str, JsonValue]]:
    """Number of each entry → the flags that the story had after it. Pure."""
    flags: dict[str, JsonValue] = {}
    found: dict[int, dict[str, JsonValue]] = {}
    for entry in journal:
        if isinstance(entry.body, Changed) and "flags" in entry.body.changes:
            flags = dict(entry.body.changes["flags"] or {})
        found[entry.sequence] = flags
    return found


async def versions_when_said(story: Session, keys: Iterable[str]) -> dict[str, int]:
    """Key of each message → the version of the graph that told it on. Messages that no graph told on are left out."""
    found: dict[str, int] = {}
    for key in keys:
        plan = (await (await story.outcome(key)).decided()).plan
        for version in _versions(each.version for each in plan.answers):
            found[key] = version
    return found


def _versions(reported: Iterable[str | None]) -> Iterator[int]:
    matches = (GRAPH_VERSION.search(each or "") for each in reported)
    return (int(each[1]) for each in matches if each)


class PastGraphs:
    """The graph of all stories as it was at some versions."""

    def __init__(self, now: GraphView, changes: Sequence[GraphChange]) -> None:
        """`changes` are all of the graph."""
        self._changes = changes
        self._known = {now.version: now}

    def at(self, version: int | None, now: GraphView) -> GraphView:
        """The graph at a version; `now` for one that is not known, or that was cleared since."""
        first = self._changes[0].version if self._changes else 1
        if version is None or version >= now.version or first > 1:
            return now
        if version not in self._known:
            self._known[version] = GraphView.of(each.fact for each in self._changes if each.version <= version)
        return self._known[version]
