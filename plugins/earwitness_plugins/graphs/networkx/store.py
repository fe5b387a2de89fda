"""The embedded graph store as its users see it: each call is one transaction on the file."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Sequence
from typing import TYPE_CHECKING

import anyio
from anyio import to_thread

from earwitness.loading.resources import Resources
from earwitness.records.backends import Health
from earwitness_relationships.graph import walks
from earwitness_relationships.graph.arguments import (
    checked_changes,
    checked_count,
    checked_facts,
    checked_id,
    checked_ids,
    checked_kind,
)
from earwitness_relationships.graph.records import Direction, Fact, GraphChange, Node, NodeKind, Relation
from earwitness_relationships.graph.selection import RelationSelection

from ...sqlite import Database
from . import facts as written
from . import questions
from .bulk import as_columns
from .health import examine
from .picture import WalkPicture, news
from .schema import COMPONENT, MIGRATIONS

if TYPE_CHECKING:
    from networkx import MultiDiGraph

    from earwitness_relationships.graph.columns import Columns


class NetworkxGraph(walks.Walks):
    """The relationship graph in an SQLite file, by default in that of the stories, so that a backup holds it too.

    Several processes may use the file at once. `neighbors` and `shortest_path` walk a `networkx` graph in memory, which
    is made by the first such question and takes what has changed since with each further one. `path` may be
    `:memory:`, for a graph that is gone after `close`.
    """

    def __init__(self, *, path: str, resources: Resources | None = None) -> None:
        self._database = Database.at(path, resources or Resources())
        self._picture = WalkPicture()
        self._lock = anyio.Lock()

    async def open(self) -> None:
        """Create or migrate the file. Raises `StorageCorrupt` or `SchemaMismatch` for one that cannot be used."""
        await self._database.open(COMPONENT, MIGRATIONS)

    async def close(self) -> None:
        """Finish what is under way and let go of the file."""
        self._picture = WalkPicture()
        await self._database.close()

    # ── what is written ─────────────────────────────────────────────────────────────────────────────────────────────

    async def upsert_facts(self, facts: Sequence[Fact]) -> int:
        """Write all facts or none, and return the new version. Raises `InputError` for anything that is not a fact."""
        given = checked_facts(facts)
        return await self._database.write(lambda connection: written.upsert(connection, given))

    async def restore(self, changes: Sequence[GraphChange]) -> int:
        """Write changes of another store. Raises `InputError` where they do not follow the graph's version."""
        given = checked_changes(changes)
        return await self._database.write(lambda connection: written.restore(connection, given))

    async def clear(self) -> int:
        """Forget everything, history included, and return the new version."""
        return await self.upsert_facts([Fact(op="clear")])

    # ── the log ─────────────────────────────────────────────────────────────────────────────────────────────────────

    async def version(self) -> int:
        """The version of the last change; 0 if there was none."""
        return await self._database.read_inline(written.version)

    async def changes(self, *, since: int = 0, limit: int | None = None) -> Sequence[GraphChange]:
        """The changes after a version, oldest first."""
        after, most = checked_count("since", since), None if limit is None else checked_count("limit", limit)
        return await self._database.read(lambda connection: questions.changes(connection, after, most))

    async def history(
        self, node_id: str, *, other: str | None = None, type: str | None = None
    ) -> Sequence[GraphChange]:
        """The changes of a node and of its relations, oldest first."""
        node = checked_id(node_id)
        return await self._database.read(lambda connection: questions.history(connection, node, other, type))

    # ── the graph ───────────────────────────────────────────────────────────────────────────────────────────────────

    async def nodes(self, *, ids: Collection[str] | None = None, kind: NodeKind | None = None) -> Sequence[Node]:
        """Nodes with these ids and of this kind, in the order of ids."""
        wanted, what = None if ids is None else checked_ids(ids), checked_kind(kind)
        return await self._database.read(lambda connection: questions.nodes(connection, wanted, what))

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
        selection = RelationSelection.of(types, min_weight, direction, day)
        wanted = None if node_id is None else [checked_id(node_id)]
        return await self._database.read(lambda connection: questions.relations(connection, wanted, selection))

    async def relations_by(self, selection: RelationSelection) -> walks.RelationsOf:
        """What a walk asks: the picture in memory, as it is now."""
        picture = await self._refreshed()

        async def relations(ids: Collection[str]) -> Iterable[Relation]:
            return picture.relations(ids, selection)

        return relations

    async def graph(self) -> MultiDiGraph[str]:
        """A copy of the whole graph for `networkx`, with all periods. Edges have a `type`, a `weight` and days."""
        picture = await self._refreshed()
        graph = picture.graph.copy()
        for node in await self.nodes():
            graph.add_node(node.id, **{**node.attributes, "kind": node.kind, "name": node.name})
        return graph

    async def columns(self) -> tuple[int, Columns]:
        """The version, and the whole graph as a view holds it."""
        return await self._database.read(as_columns)

    async def health(self) -> Health:
        """How the file is doing: versions, counts, integrity."""
        return await self._database.read(examine)

    async def _refreshed(self) -> WalkPicture:
        """The picture, up to date. One that is made anew replaces the old one, so that no walk sees it change."""
        async with self._lock:
            if self._picture.version != await self.version():
                found = await self._database.read(lambda connection: news(connection, self._picture.version))
                if found.anew:
                    self._picture = await to_thread.run_sync(WalkPicture.of, found)
                else:
                    self._picture.take(found)
            return self._picture
