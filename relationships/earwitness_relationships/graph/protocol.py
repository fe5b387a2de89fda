"""The kind of strategy that this package declares: a graph store."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from typing import Protocol, runtime_checkable

from earwitness.records.backends import Health

from .records import Direction, Fact, GraphChange, Neighbor, Node, NodeKind, Relation, Route


@runtime_checkable
class GraphStore(Protocol):
    """Keeps the relationship graph of all stories, with its history.

    Every write is one transaction, durable on return and seen by everybody from then on. The graph is the sum of its
    changes in the order of their versions, as `graph.draft` says; every store must answer alike.

    What several methods take: `types` are types of relations (`None` = all), `min_weight` is the least weight,
    `direction` which relations of a node count, and `day` the game day on which they hold. `None` stands for the end
    of time: what has no end. Ids that nobody knows have no relations. Every call may raise `StorageError`.

    A store that a round trip away answers may have an attribute `poll`: for so many seconds nobody asks for its version
    again. What its own process writes counts at once.
    """

    async def open(self) -> None:
        """Connect, create or migrate. Raises `StorageError`."""
        ...

    async def close(self) -> None:
        """Release everything."""
        ...

    async def upsert_facts(self, facts: Sequence[Fact]) -> int:
        """Write the facts, all or none, and return the new version. Facts that change nothing leave no trace.
        Raises `InputError` for what is not a fact."""
        ...

    async def restore(self, changes: Sequence[GraphChange]) -> int:
        """Write changes that another store gave, with their versions, all or none, and return the last version.
        Raises `InputError` if the first does not follow the graph's version, or if any does not follow the one before.
        The changes of a graph that was cleared begin with a version above 1, which only an empty graph takes."""
        ...

    async def clear(self) -> int:
        """Forget everything, history included, and return the new version, which is higher than all before it."""
        ...

    async def version(self) -> int:
        """The version of the last change; 0 if there was none."""
        ...

    async def changes(self, *, since: int = 0, limit: int | None = None) -> Sequence[GraphChange]:
        """The changes after a version, oldest first. If the graph was cleared after `since`, they begin with that."""
        ...

    async def history(
        self, node_id: str, *, other: str | None = None, type: str | None = None
    ) -> Sequence[GraphChange]:
        """The changes of a node and of its relations, oldest first; only those of relations with another node, or of a
        type, if these are given."""
        ...

    async def nodes(self, *, ids: Collection[str] | None = None, kind: NodeKind | None = None) -> Sequence[Node]:
        """Nodes with these ids and of this kind, in the order of ids. Unknown ids are left out."""
        ...

    async def relations(
        self,
        node_id: str | None = None,
        *,
        types: Collection[str] | None = None,
        min_weight: float = 0.0,
        direction: Direction = "both",
        day: float | None = None,
    ) -> Sequence[Relation]:
        """The relations of a node, or of all, in the order of source, target and type."""
        ...

    async def neighbors(
        self,
        *,
        node_id: str,
        depth: int = 1,
        types: Collection[str] | None = None,
        min_weight: float = 0.0,
        direction: Direction = "both",
        day: float | None = None,
    ) -> Sequence[Neighbor]:
        """The nodes that at most `depth` relations lead to, without the node itself, by distance and id."""
        ...

    async def shortest_path(
        self,
        *,
        src_id: str,
        dst_id: str,
        max_depth: int = 4,
        types: Collection[str] | None = None,
        min_weight: float = 0.0,
        direction: Direction = "both",
        day: float | None = None,
    ) -> Route | None:
        """A shortest path of at most `max_depth` relations, the one whose ids come first; `None` if there is none."""
        ...

    async def health(self) -> Health:
        """For `doctor`."""
        ...
