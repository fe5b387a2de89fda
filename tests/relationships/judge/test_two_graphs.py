"""The graph on networkx and on Neo4j give the same recipients, hops, days and tellers, on random graphs and rules."""

import os
from collections.abc import AsyncIterator, Sequence
from pathlib import Path
from typing import Any

import pytest

from earwitness_plugins.graphs.neo4j import Neo4jGraph
from earwitness_plugins.graphs.networkx import NetworkxGraph
from earwitness_relationships.graph import Fact, GraphStore, Relation
from earwitness_relationships.graph.view import GraphView
from earwitness_relationships.propagation import Adjacency, spread
from earwitness_relationships.testing.cases import LeakCase, case
from earwitness_relationships.testing.reference import has_caps, reached
from earwitness_relationships.testing.reference_rules import RulesAsWritten

from ...graph_servers import BoltServer

CASES = int(os.environ.get("EARWITNESS_GRAPH_CASES", "30"))


def cases() -> list[LeakCase]:
    """Cases whose rules ask the graph, which random rules do now and then."""
    found, number = [], 0
    while len(found) < CASES:
        given = case(number)
        levels = [level for p in given.book.pantheons for level in (p.rules, *(m.rules for m in p.members))]
        if given.relations and any(level.relation_types or level.min_weight is not None for level in levels):
            found.append(given)
        number += 1
    return found


@pytest.fixture
async def networkx_graph(tmp_path: Path) -> AsyncIterator[GraphStore]:
    graph = NetworkxGraph(path=str(tmp_path / "graph.db"))
    await graph.open()
    yield graph
    await graph.close()


async def view(graph: GraphStore, relations: Sequence[Relation]) -> GraphView:
    """What rules see of a store that holds these relations."""
    await graph.clear()
    await graph.upsert_facts([Fact(relation=each) for each in relations])
    found = GraphView()
    await found.refresh(graph)
    return found


def told(given: LeakCase, graph: GraphView) -> list[Any]:
    adjacency = Adjacency(given.book, graph)
    return [spread(adjacency, heard.seed).tellings for heard in given.conversation]


async def same_on_both(networkx: GraphStore, neo4j: GraphStore) -> None:
    reach = 0
    for given in cases():
        views = [await view(graph, given.relations) for graph in (networkx, neo4j)]
        here, there = (told(given, each) for each in views)
        assert here == there, f"case {given.number}"
        reach += sum(map(len, here))
        if not has_caps(given.book):
            rules = RulesAsWritten(given.book, given.relations)
            for heard, tellings in zip(given.conversation, there, strict=True):
                expected = reached(rules, heard.seed)
                assert {each.listener: each.hop for each in tellings} == {who: e.hop for who, e in expected.items()}
    assert reach > CASES / 4


async def on_bolt(networkx: GraphStore, server: BoltServer, name: str) -> None:
    graph = Neo4jGraph(**server.settings, namespace=name)
    await graph.open()
    try:
        await same_on_both(networkx, graph)
    finally:
        await graph.clear()
        await graph.close()


async def test_arcadedb_tells_the_same_as_networkx(networkx_graph: GraphStore, arcadedb: BoltServer) -> None:
    await on_bolt(networkx_graph, arcadedb, "two-graphs")


async def test_neo4j_itself_tells_the_same_as_networkx(networkx_graph: GraphStore, neo4j: BoltServer) -> None:
    await on_bolt(networkx_graph, neo4j, "two-graphs")


async def test_a_server_of_ones_own_tells_the_same(networkx_graph: GraphStore, named_server: BoltServer) -> None:
    await on_bolt(networkx_graph, named_server, "two-graphs")
