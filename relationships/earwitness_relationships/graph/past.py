"""The graph of all stories as it was, and which version of it a story was judged by at which of its entries."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from math import inf

from pydantic import JsonValue

from .records import GraphChange
from .view import GraphView

MOST_CHANGES = 200_000
"""A graph with more changes than this is not made again as it was: what is judged anew is judged by today's."""
GRAPHS = "graphs"
"""Where a strategy keeps `GraphsAsked` in its data."""
MOST_KEPT = 256
"""So many versions are kept."""


class PastGraphs:
    """The graph of all stories as it was at some versions."""

    def __init__(self, now: GraphView, changes: Sequence[GraphChange]) -> None:
        """`changes` are all of the graph."""
        self._changes = changes
        self._known = {now.version: now}

    def at(self, version: int | None, now: GraphView) -> GraphView:
        """The graph at a version; `now` for one that is not known, or that was cleared since."""
        first = self._changes[0].version if self._changes else inf
        if version is None or version >= now.version or first > 1:
            return now
        if version not in self._known:
            then = GraphView.of(each.fact for each in self._changes if each.version <= version)
            then.version = version
            self._known[version] = then
        return self._known[version]


@dataclass(frozen=True)
class GraphsAsked:
    """Which version of the graph of all stories a strategy was asked with, by the entries of a story."""

    asked: tuple[tuple[int, int, int], ...] = ()
    """The first and the last entry known to be judged by a version, and the version; ascending."""

    @classmethod
    def of(cls, noted: object) -> GraphsAsked:
        """As `note` says it."""
        found = [each for each in noted if isinstance(each, list)] if isinstance(noted, list) else []
        return cls(tuple((int(first), int(last), int(version)) for first, last, version in found))

    def at(self, entry: int) -> int | None:
        """The version that was known at an entry; `None` = none was."""
        return next((version for first, _, version in reversed(self.asked) if first <= entry), None)

    def surely_at(self, entry: int) -> int | None:
        """The version by which an entry was judged; `None` = it is not known."""
        return next((version for first, last, version in self.asked if first <= entry <= last), None)

    def noting(self, entry: int, version: int, *, each: bool = False) -> GraphsAsked:
        """With a version that an entry is judged by now; `each` also notes it if the version is the same as before."""
        first, last, before = self.asked[-1] if self.asked else (entry, -1, -1)
        if entry <= last or (version == before and not each):
            return self
        if version == before:
            return GraphsAsked((*self.asked[:-1], (first, entry, version)))
        return GraphsAsked((*self.asked, (entry, entry, version))[-MOST_KEPT:])

    def note(self) -> list[JsonValue]:
        """As `of` reads it."""
        return [[*each] for each in self.asked]
