"""Graphs of networkx come in as facts, and go out again."""

import networkx
import pytest

from earwitness.errors import InputError
from earwitness_plugins.graphs.networkx import NetworkxGraph
from earwitness_relationships.graph.conversion import as_networkx, facts_from
from earwitness_relationships.graph.view import GraphView
from earwitness_relationships.testing.graph.base import relation


async def test_les_miserables_load_and_walk_as_networkx_walks() -> None:
    original = networkx.les_miserables_graph()
    graph = NetworkxGraph(path=":memory:")
    await graph.open()
    try:
        await graph.upsert_facts(facts_from(original, type="KNOWS"))
        assert len(await graph.nodes()) == 77
        assert len(await graph.relations()) == 2 * 254
        (held,) = [each for each in await graph.relations("Valjean", direction="out") if each.target == "Cosette"]
        assert held.weight == original["Valjean"]["Cosette"]["weight"]
        near = {each.node.id: each.distance for each in await graph.neighbors(node_id="Myriel", depth=3)}
        expected = networkx.single_source_shortest_path_length(original, "Myriel", cutoff=3)
        assert near == {id: distance for id, distance in expected.items() if distance}
        route = await graph.shortest_path(src_id="Napoleon", dst_id="Gavroche", max_depth=9)
        assert route is not None
        assert route.length == networkx.shortest_path_length(original, "Napoleon", "Gavroche")
    finally:
        await graph.close()


def test_a_graph_comes_back_as_it_was() -> None:
    original = networkx.MultiDiGraph()
    original.add_node("sword", kind="Item", name="The Sword", forged={"day": 3})
    original.add_edge("alice", "sword", type="OWNS", weight=2.0, since=1, until=9, how="found")
    original.add_edge("alice", "bob")
    again = as_networkx(GraphView.of(facts_from(original)))
    assert again.nodes["sword"] == {"kind": "Item", "name": "The Sword", "forged": {"day": 3}}
    assert [data for _, _, data in again.out_edges("alice", data=True) if data["type"] == "OWNS"] == [
        {"type": "OWNS", "weight": 2.0, "since": 1, "until": 9, "how": "found"}
    ]
    assert set(again.edges()) == {("alice", "sword"), ("alice", "bob")}


def test_a_graph_of_one_day_has_the_relations_of_that_day() -> None:
    view = GraphView.of([relation("a", "b", since=3), relation("b", "a", until=2)])
    assert list(as_networkx(view, day=2).edges()) == [("b", "a")]
    assert list(as_networkx(view, day=3).edges()) == [("a", "b")]


@pytest.mark.parametrize("data", [{"weight": -1}, {"weight": "heavy"}, {"since": 5, "until": 1}, {"x": object()}])
def test_an_edge_that_is_no_relation_is_named(data: dict[str, object]) -> None:
    graph = networkx.Graph()
    graph.add_edge("alice", "bob", **data)
    with pytest.raises(InputError, match="alice"):
        facts_from(graph)
