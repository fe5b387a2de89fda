"""A graph is copied into an empty store or an earlier copy of it, never into another graph."""

from pathlib import Path

import pytest

from earwitness import Settings
from earwitness.errors import InputError
from earwitness_plugins.applications.graphs.copy import copied
from earwitness_plugins.graphs.networkx import NetworkxGraph
from earwitness_plugins.terminal.graphs import graph_spec
from earwitness_relationships.graph import Fact, Node


async def graph_of(folder: Path, *names: str) -> NetworkxGraph:
    graph = NetworkxGraph(path=str(folder / f"{'-'.join(names)}.db"))
    await graph.open()
    await graph.upsert_facts([Fact(node=Node(id=name)) for name in names])
    return graph


async def test_another_graph_whose_last_change_is_the_same_is_refused(tmp_path: Path) -> None:
    ours, theirs = await graph_of(tmp_path, "ann", "ben", "cid"), await graph_of(tmp_path, "zoe", "ben")
    with pytest.raises(InputError, match="2 changes of its own"):
        await copied(ours, theirs, lambda _: None)
    assert [node.id for node in await theirs.nodes()] == ["ben", "zoe"]
    await ours.close()
    await theirs.close()


async def test_a_graph_that_was_cleared_since_replaces_its_earlier_copy(tmp_path: Path) -> None:
    ours, theirs = await graph_of(tmp_path, "ann", "ben"), NetworkxGraph(path=str(tmp_path / "copy.db"))
    await theirs.open()
    await copied(ours, theirs, lambda _: None)
    await ours.clear()
    await ours.upsert_facts([Fact(node=Node(id="eve"))])
    await copied(ours, theirs, lambda _: None)
    assert await theirs.changes() == await ours.changes()
    await ours.close()
    await theirs.close()


def test_what_neo4j_is_not_given_the_environment_says(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("NEO4J_URI", "bolt://there:7687")
    monkeypatch.setenv("NEO4J_PASSWORD", "secret")
    monkeypatch.delenv("NEO4J_USER", raising=False)
    monkeypatch.delenv("NEO4J_DATABASE", raising=False)
    spec = graph_spec("neo4j(namespace='b')", Settings())
    assert spec.revealed == {
        "namespace": "b",
        "uri": {"env": "NEO4J_URI"},
        "password": {"env": "NEO4J_PASSWORD"},
    }


def test_another_namespace_is_one_on_the_server_of_the_settings(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SECRET", "secret")
    monkeypatch.delenv("NEO4J_URI", raising=False)
    graph = {"name": "neo4j", "uri": "bolt://here:7687", "password": {"env": "SECRET"}, "namespace": "a"}
    settings = Settings.of(relationships={"graph": graph})
    same = {name: value for name, value in graph.items() if name != "name"}
    found = graph_spec("neo4j(namespace='b')", settings)
    assert found.revealed == {**same, "namespace": "b", "password": "secret"}
    assert "secret" not in str(found.settings)
    assert graph_spec("neo4j(uri='bolt://there:7687')", settings).revealed["uri"] == "bolt://there:7687"
    assert "namespace" not in graph_spec("neo4j(uri='bolt://there:7687')", settings).revealed
