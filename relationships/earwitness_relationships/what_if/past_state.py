"""What else held when a message was said: the flags of the story, and the version of the graph of all stories."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from pydantic import JsonValue

from earwitness import Session
from earwitness.patterns import lazy_pattern
from earwitness.records.journal import Changed, Entry

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
