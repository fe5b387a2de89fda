"""`earwitness graph`: what is in the graph, and its way from one store to another over Bolt and back."""

from pathlib import Path

import anyio
import pytest

from earwitness_plugins.graphs.neo4j import Neo4jGraph
from earwitness_plugins.graphs.networkx import NetworkxGraph
from earwitness_relationships.graph import Fact, GraphChange
from earwitness_relationships.testing.graph.base import ended, gone, node, relation, removed
from earwitness_relationships.testing.graph.writes import ATTRIBUTES

from ..graph_servers import BoltServer
from .conftest import Run, told


def written(path: Path, facts: list[Fact]) -> list[GraphChange]:
    """The changes of a graph in a file, after these facts."""

    async def write() -> list[GraphChange]:
        graph = NetworkxGraph(path=str(path))
        await graph.open()
        await graph.upsert_facts(facts)
        changes = list(await graph.changes())
        await graph.close()
        return changes

    return anyio.run(write)


@pytest.fixture
def facts() -> list[Fact]:
    return [
        node("charlie", name="Charlie [bold]", attributes=ATTRIBUTES),
        relation("charlie", "vaggie", "couple", weight=0.9, since=3, attributes=ATTRIBUTES),
        relation("charlie", "vaggie", "couple", weight=0.5, since=10),
        ended("charlie", "vaggie", "couple", until=12),
        relation("vaggie", "angel", "x`]->() DETACH DELETE n //"),
        relation("alastor", "vaggie"),
        gone("alastor"),
        relation("wrong", "charlie"),
        removed("wrong", "charlie"),
    ]


def test_show_lists_relations_neighbours_and_history(run: Run, folder: Path, facts: list[Fact]) -> None:
    written(folder / "earwitness.db", facts)
    (held,) = told(run("graph", "show", "charlie", "--day", "4", "--json"))
    assert [(each["target"], each["type"], each["weight"]) for each in held["found"]] == [("vaggie", "couple", 0.9)]
    (near,) = told(run("graph", "show", "charlie", "--depth", "2", "--day", "11", "--json"))
    assert [(each["node"]["id"], each["distance"]) for each in near["found"]] == [("vaggie", 1), ("angel", 2)]
    (past,) = told(run("graph", "show", "charlie", "--history", "--json"))
    assert [each["fact"]["op"] for each in past["found"]].count("end") == 1
    table = run("graph", "show", "--day", "4").output
    assert "couple" in table
    assert "x`]->()" in table
    assert "more: --limit" in run("graph", "show", "--history", "--limit", "2").output


def test_show_says_that_it_does_not_know_a_node(run: Run, folder: Path, facts: list[Fact]) -> None:
    written(folder / "earwitness.db", facts)
    for more in ((), ("--history",), ("--depth", "2")):
        asked = run("graph", "show", "vagie", *more)
        assert asked.exit_code == 2
        assert "unknown node 'vagie'" in asked.output
        assert "Did you mean 'vaggie'?" in asked.output
    assert run("graph", "show", "alastor").exit_code == 0  # it was there before


def test_a_graph_moves_to_a_server_and_back_and_loses_nothing(
    run: Run, folder: Path, facts: list[Fact], arcadedb: BoltServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    changes = written(folder / "earwitness.db", facts)
    name = folder.name
    monkeypatch.setenv("SECRET_OF_THE_TESTS", str(arcadedb.password))
    (folder / "earwitness.toml").write_text(
        f"""[relationships.graph]
name = "neo4j"
uri = "{arcadedb.uri}"
user = "{arcadedb.user}"
password = {{ env = "SECRET_OF_THE_TESTS" }}
namespace = "{name}"
""",
        "utf-8",
    )
    (there,) = told(run("graph", "copy", "--from", "networkx", "--json"))
    assert (there["changes"], there["version"]) == (len(changes), changes[-1].version)
    assert str(arcadedb.password) not in str(there)
    (back,) = told(run("graph", "copy", "--to", "networkx(path='other.db')", "--json"))
    assert back["changes"] == len(changes)
    assert written(folder / "other.db", []) == changes
    (again,) = told(run("graph", "copy", "--to", "networkx(path='other.db')", "--json"))
    assert again["changes"] == 0

    more = written(folder / "earwitness.db", [relation("charlie", "emily", since=20)])
    (rest,) = told(run("graph", "copy", "--from", "networkx", "--json"))
    assert (rest["changes"], rest["version"]) == (len(more) - len(changes), more[-1].version)


def test_neo4j_alone_is_the_server_that_the_environment_names(
    run: Run, folder: Path, facts: list[Fact], arcadedb: BoltServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    written(folder / "earwitness.db", facts)
    for variable, value in (("URI", arcadedb.uri), ("USER", arcadedb.user), ("PASSWORD", arcadedb.password)):
        monkeypatch.setenv(f"NEO4J_{variable}", str(value))
    copied = run("graph", "copy", "--to", "neo4j")
    assert copied.exit_code == 0
    assert "to neo4j (uri $NEO4J_URI), which has" in copied.output
    (shown,) = told(run("graph", "show", "angel", "--graph", "neo4j", "--json"))
    assert [each["source"] for each in shown["found"]] == ["vaggie"]

    async def clear() -> None:
        graph = Neo4jGraph(**arcadedb.settings)
        await graph.open()
        await graph.clear()
        await graph.close()

    anyio.run(clear)


def test_a_graph_is_not_copied_over_another_one(run: Run, folder: Path, facts: list[Fact]) -> None:
    written(folder / "earwitness.db", facts)
    written(folder / "other.db", [relation("somebody", "else")])
    refused = run("graph", "copy", "--to", "networkx(path='other.db')")
    assert refused.exit_code == 2
    assert "3 changes of its own" in refused.output
    assert len(written(folder / "other.db", [])) == 3


def test_a_cleared_graph_is_copied_over_an_earlier_copy_of_it(run: Run, folder: Path, facts: list[Fact]) -> None:
    written(folder / "earwitness.db", facts)
    assert run("graph", "copy", "--to", "networkx(path='other.db')").exit_code == 0
    changes = written(folder / "earwitness.db", [Fact(op="clear"), relation("new", "world")])
    assert run("graph", "copy", "--to", "networkx(path='other.db')").exit_code == 0
    assert written(folder / "other.db", []) == changes


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (("show",), "there is no graph"),
        (("show", "--graph", "networks"), "Did you mean 'networkx'?"),
        (("show", "--graph", "networkx("), "cannot read"),
        (("show", "--graph", "networkx(colour='red')"), "no setting 'colour'"),
        (("copy",), "both are networkx"),
        (("copy", "--to", "neo4j(uri='nowhere')"), "there is no graph"),
        (("sow",), "Did you mean 'show'?"),
    ],
)
def test_what_cannot_be_done_is_said_in_one_line(run: Run, words: tuple[str, ...], said: str) -> None:
    refused = run("graph", *words)
    assert refused.exit_code == 2
    assert said in refused.output


def test_a_backup_holds_the_graph_too(run: Run, folder: Path, facts: list[Fact]) -> None:
    changes = written(folder / "earwitness.db", facts)
    assert run("backup", "copy.db").exit_code == 0
    assert written(folder / "copy.db", []) == changes
