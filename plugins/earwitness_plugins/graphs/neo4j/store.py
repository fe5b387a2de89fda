"""The graph store on a Bolt server as its users see it: each call is one transaction."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Sequence
from typing import TYPE_CHECKING, Annotated

from pydantic import Field, SecretStr

from earwitness.ids import check_shared_id
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
from earwitness_relationships.graph.draft import GraphDraft
from earwitness_relationships.graph.log import following
from earwitness_relationships.graph.records import Direction, Fact, GraphChange, Node, NodeKind, Relation
from earwitness_relationships.graph.selection import RelationSelection
from earwitness_relationships.graph.timeline import begins, key

from . import statements
from .facts import in_parts, rows, write
from .rows import GraphKeys, as_change, as_node, as_relation, finite
from .server import Server

if TYPE_CHECKING:
    from neo4j import AsyncManagedTransaction as Transaction

MANY = 100_000
"""Up to so many changes, a server is told how many are wanted: some make room for them all at once."""


class Neo4jGraph(walks.Walks):
    """The relationship graph on a Neo4j server, or another one that speaks Bolt and Cypher.

    Graphs of different namespaces in one database know nothing of each other. `password` is
    `None` for a server that asks for none. `timeout` is how many seconds the server may take to answer a connection,
    and for how long a transaction is tried again. What other processes write counts within `poll` seconds, so that not
    every message costs a round trip; 0 = at once.
    """

    def __init__(
        self,
        *,
        uri: str = "bolt://localhost:7687",
        user: str = "neo4j",
        password: SecretStr | None = None,
        database: str = "neo4j",
        namespace: str = "earwitness",
        timeout: Annotated[float, Field(gt=0)] = 10.0,
        poll: Annotated[float, Field(ge=0)] = 1.0,
    ) -> None:
        self.poll = poll
        """Seconds after which what other processes write counts."""
        self._keys = GraphKeys(check_shared_id("namespace", namespace))
        self._server = Server(uri, user, password, database, timeout)

    async def open(self) -> None:
        """Connect, and create constraints and indexes. Raises `StorageError`, or `SettingsError` without the driver."""
        await self._server.open()
        try:
            await self._server.define(statements.SCHEMA)
        except BaseException:
            await self.close()
            raise

    async def close(self) -> None:
        """Let go of all connections."""
        await self._server.close()

    # ── what is written ─────────────────────────────────────────────────────────────────────────────────────────────

    async def upsert_facts(self, facts: Sequence[Fact]) -> int:
        """Write the facts, all or none, and return the new version. Raises `InputError` for what is not a fact."""
        given = checked_facts(facts)
        if not given:
            return await self.version()

        def fill(draft: GraphDraft, version: int) -> int:
            draft.add(given)
            return version

        return await self._server.write(lambda tx: write(tx, self._keys, given, fill))

    async def restore(self, changes: Sequence[GraphChange]) -> int:
        """Write changes of another store. Raises `InputError` where they do not follow the graph's version."""
        given = checked_changes(changes)
        facts = [change.fact for change in given]
        return await self._server.write(
            lambda tx: write(tx, self._keys, facts, lambda draft, version: following(given, version, draft))
        )

    async def clear(self) -> int:
        """Forget everything, history included, and return the new version."""
        return await self.upsert_facts([Fact(op="clear")])

    # ── the log ─────────────────────────────────────────────────────────────────────────────────────────────────────

    async def version(self) -> int:
        """The version of the last change; 0 if there was none."""

        async def work(tx: Transaction) -> int:
            found = await rows(tx, statements.VERSION, graph=self._keys.graph)
            return int(found[0]["version"]) if found else 0

        return await self._server.read(work)

    async def changes(self, *, since: int = 0, limit: int | None = None) -> Sequence[GraphChange]:
        """The changes after a version, oldest first."""
        after = self._keys.change(checked_count("since", since))
        most = None if limit is None else checked_count("limit", limit)
        statement = statements.CHANGES if most is None or most > MANY else statements.FIRST_CHANGES

        async def work(tx: Transaction) -> list[GraphChange]:
            found = await rows(tx, statement, after=after, end=self._keys.end, limit=most)
            return [as_change(each) for each in found[:most]]

        return await self._server.read(work)

    async def history(
        self, node_id: str, *, other: str | None = None, type: str | None = None
    ) -> Sequence[GraphChange]:
        """The changes of a node and of its relations, oldest first."""
        wanted = self._keys.node(checked_id(node_id))

        async def work(tx: Transaction) -> list[GraphChange]:
            return [as_change(each) for half in statements.HISTORY for each in await rows(tx, half, key=wanted)]

        found = {change.version: change for change in await self._server.read(work)}
        return [found[version] for version in sorted(found) if _concerns(found[version].fact, node_id, other, type)]

    # ── the graph ───────────────────────────────────────────────────────────────────────────────────────────────────

    async def nodes(self, *, ids: Collection[str] | None = None, kind: NodeKind | None = None) -> Sequence[Node]:
        """Nodes with these ids and of this kind, in the order of ids."""
        keys = None if ids is None else [self._keys.node(id) for id in checked_ids(ids)]
        what = checked_kind(kind)

        async def work(tx: Transaction) -> list[Node]:
            if keys is None:
                found = await rows(tx, statements.ALL_NODES, graph=self._keys.graph, kind=what)
            else:
                found = await in_parts(tx, statements.NODES, "keys", keys, kind=what)
            return [as_node(each) for each in found]

        return sorted(await self._server.read(work), key=lambda node: node.id)

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
        ids = None if node_id is None else [checked_id(node_id)]
        return sorted(await self._relations(ids, selection), key=key)

    async def relations_by(self, selection: RelationSelection) -> walks.RelationsOf:
        """What a walk asks: the server, once for each level."""

        async def relations(ids: Collection[str]) -> Iterable[Relation]:
            return await self._relations(ids, selection)

        return relations

    async def health(self) -> Health:
        """What the server is, and how much the graph holds."""

        async def work(tx: Transaction) -> dict[str, int]:
            (found,) = await rows(tx, statements.COUNTS, graph=self._keys.graph)
            return {name: int(found[name]) for name in ("nodes", "relations")}

        agent = await self._server.agent()
        counts = await self._server.read(work)
        details: dict[str, str | int | float | bool] = {
            "server": agent,
            "uri": self._server.uri,
            "namespace": self._keys.graph,
            **counts,
            "version": await self.version(),
        }
        return Health(ok=True, details=details)

    async def _relations(self, ids: Collection[str] | None, selection: RelationSelection) -> Iterable[Relation]:
        asked = {
            "day": finite(selection.day),
            "weight": selection.min_weight,
            "types": None if selection.types is None else sorted(selection.types),
        }

        async def work(tx: Transaction) -> list[Relation]:
            if ids is None:
                return [*map(as_relation, await rows(tx, statements.ALL_RELATIONS, graph=self._keys.graph, **asked))]
            keys = [self._keys.node(id) for id in ids]
            halves = statements.RELATIONS[selection.direction]
            return [as_relation(each) for half in halves for each in await in_parts(tx, half, "keys", keys, **asked)]

        found = await self._server.read(work)
        return {(key(each), begins(each)): each for each in found}.values()


def _concerns(fact: Fact, node: str, other: str | None, type: str | None) -> bool:
    if fact.relation is None:
        return other is None and type is None
    ends = {fact.relation.source, fact.relation.target}
    return (other is None or ends == {node, other}) and type in {None, fact.relation.type}
