"""The same facts in both stores: the same versions, the same log, the same answers to every question."""

from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager
from itertools import count
from typing import Any

import anyio
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from earwitness_plugins.applications.graphs import copy
from earwitness_plugins.graphs.neo4j import Neo4jGraph
from earwitness_plugins.graphs.networkx import NetworkxGraph
from earwitness_relationships.graph import Fact, GraphChange, GraphStore
from earwitness_relationships.graph.view import GraphView
from earwitness_relationships.testing.graph.base import relation
from earwitness_relationships.testing.graph.random_facts import IDS, facts

from ...graph_servers import BoltServer

names = count()


@asynccontextmanager
async def both(server: BoltServer) -> AsyncIterator[tuple[GraphStore, GraphStore]]:
    """An empty graph in each store."""
    embedded = NetworkxGraph(path=":memory:")
    remote = Neo4jGraph(**server.settings, namespace=f"same-answers-{next(names)}")
    await embedded.open()
    await remote.open()
    try:
        yield embedded, remote
    finally:
        await embedded.close()
        await remote.close()


async def answers(graph: GraphStore) -> list[Any]:
    """What a graph says to everything that can be asked."""
    found: list[Any] = [await graph.version(), list(await graph.changes()), list(await graph.nodes())]
    for day in (None, 0, 2, 3.5):
        found.append(list(await graph.relations(day=day)))
        for id in IDS[:4]:
            found += [list(await graph.neighbors(node_id=id, depth=2, day=day)), list(await graph.history(id))]
            found.append(await graph.shortest_path(src_id=id, dst_id=IDS[4], day=day))
    return found


@pytest.mark.parametrize("server", ["arcadedb", "neo4j"])
def test_random_facts_give_the_same_answers_and_the_same_views(server: str, request: pytest.FixtureRequest) -> None:
    reached: BoltServer = request.getfixturevalue(server)

    async def same(batches: Sequence[Sequence[Fact]]) -> None:
        async with both(reached) as (embedded, remote):
            for batch in batches:
                assert await embedded.upsert_facts(batch) == await remote.upsert_facts(batch)
            assert await answers(embedded) == await answers(remote)
            one, other = GraphView(), GraphView()
            await one.refresh(embedded)
            await other.refresh(remote)
            assert [one.edges(id) for id in IDS] == [other.edges(id) for id in IDS]

    @settings(max_examples=5, deadline=None, suppress_health_check=list(HealthCheck))
    @given(st.lists(st.lists(facts(), max_size=10), min_size=1, max_size=3))
    def example(batches: list[list[Fact]]) -> None:
        anyio.run(same, batches)

    example()


async def test_a_copy_that_was_interrupted_goes_on_where_it_was(
    arcadedb: BoltServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(copy, "PAGE", 3)
    async with both(arcadedb) as (embedded, remote):
        await embedded.upsert_facts([relation("a", f"n{number}", since=number) for number in range(5)])
        restore = remote.restore

        async def interrupted(changes: Sequence[GraphChange]) -> int:
            if changes[-1].version > 6:
                raise ConnectionResetError
            return await restore(changes)

        monkeypatch.setattr(remote, "restore", interrupted)
        with pytest.raises(ConnectionResetError):
            await copy.copied(embedded, remote, lambda _: None)
        assert await remote.version() == 6
        monkeypatch.setattr(remote, "restore", restore)
        assert await copy.copied(embedded, remote, lambda _: None) == await embedded.version() - 6
        assert await answers(embedded) == await answers(remote)
