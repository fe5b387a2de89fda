"""The graph in memory, as networkx holds it. It is brought up to date from the file by what has changed since."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import apsw

from earwitness_relationships.graph.records import Relation
from earwitness_relationships.graph.selection import RelationSelection
from earwitness_relationships.graph.timeline import RelationKey

from .facts import version
from .rows import GraphRow, as_relation

if TYPE_CHECKING:
    from networkx import MultiDiGraph

_DATA = ("type", "begins", "ends", "until", "weight", "attributes")
_PERIODS = "SELECT source, target, type, begins, ends, until, weight, attributes FROM graph_relations"


@dataclass(frozen=True)
class PictureNews:
    """What a picture lacks, read in one transaction."""

    version: int
    """The version that it brings the picture to."""
    anew: bool = False
    """Whether the picture is made again from nothing."""
    touched: Collection[RelationKey] = ()
    """The relations whose periods are read again."""
    periods: list[GraphRow] = field(default_factory=list)
    """Their periods."""


def news(connection: apsw.Connection, since: int) -> PictureNews:
    """What changed after a version."""
    now = version(connection)
    if now == since:
        return PictureNews(now)
    if not since or connection.execute("SELECT min(version) > ? FROM graph_changes", (since,)).get:
        return PictureNews(now, anew=True, periods=list(connection.execute(_PERIODS)))
    changed = "SELECT DISTINCT source, target, type FROM graph_changes WHERE version > ? AND target IS NOT NULL"
    keys: list[Any] = list(connection.execute(changed, (since,)))
    found = f"{_PERIODS} WHERE source = ? AND target = ? AND type = ?"
    return PictureNews(now, touched=keys, periods=[row for key in keys for row in connection.execute(found, key)])


class WalkPicture:
    """All relations in a `networkx.MultiDiGraph`. The key of an edge is its type and first day."""

    def __init__(self) -> None:
        self.version = 0
        """The version of the graph that it shows."""
        self.graph: MultiDiGraph[str] = _empty()
        """The relations, each with what `networkx` algorithms may need: `type`, `weight`, `begins`, `ends`, ….."""

    @classmethod
    def of(cls, news: PictureNews) -> WalkPicture:
        """A picture of these relations."""
        made = cls()
        made.take(news)
        return made

    def take(self, news: PictureNews) -> None:
        """Bring the picture up to date."""
        for source, target, type in news.touched:
            edges: dict[Any, Any] = self.graph.get_edge_data(source, target, default={})
            for key in [key for key in edges if key[0] == type]:
                self.graph.remove_edge(source, target, key)
        for row in news.periods:
            self._add(*row)
        self.version = news.version

    def _add(self, source: str, target: str, type: str, begins: float, *rest: Any) -> None:
        data = dict(zip(_DATA, (type, begins, *rest), strict=True))
        self.graph.add_edge(source, target, key=(type, begins), **data)

    def relations(self, ids: Iterable[str], selection: RelationSelection) -> Iterator[Relation]:
        """The relations of some nodes by a selection, each once from every end that is asked for."""
        for id in ids:
            if id in self.graph:
                for source, target, data in self._edges(id, selection):
                    if _counts(data, selection):
                        yield _relation(source, target, data)

    def _edges(self, id: str, selection: RelationSelection) -> Iterator[tuple[str, str, dict[str, Any]]]:
        if selection.outwards:
            yield from self.graph.out_edges(id, data=True)
        if selection.inwards:
            yield from self.graph.in_edges(id, data=True)


def _empty() -> MultiDiGraph[str]:
    from networkx import MultiDiGraph

    return MultiDiGraph()


def _counts(data: dict[str, Any], selection: RelationSelection) -> bool:
    return (
        data["begins"] <= selection.day <= data["ends"]
        and data["weight"] >= selection.min_weight
        and (selection.types is None or data["type"] in selection.types)
    )


def _relation(source: str, target: str, data: dict[str, Any]) -> Relation:
    return as_relation(
        (source, target, data["type"], data["begins"], data["until"], data["weight"], data["attributes"])
    )
