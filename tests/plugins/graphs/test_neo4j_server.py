"""The graph store on a Bolt server: what it sends, and what it says when a server is dead or refuses."""

import inspect
import sys
import time
from itertools import pairwise
from typing import Any

import pytest
from pydantic import SecretStr

from earwitness.errors import SettingsError, StorageError
from earwitness.loading.strategies import Strategies
from earwitness.loading.strategy_spec import StrategySpec
from earwitness_plugins.graphs.neo4j import Neo4jGraph, facts, server, statements, store
from earwitness_relationships.testing.graph.base import gone, node, relation, removed
from earwitness_relationships.testing.graph.writes import ODD_NAMES

from ...graph_servers import BoltServer, free_port


def all_statements() -> set[str]:
    """Every text in the module of statements."""

    def texts(value: object) -> set[str]:
        if isinstance(value, str):
            return {value}
        if isinstance(value, dict):
            return texts(tuple(value.values()))
        return set().union(*map(texts, value)) if isinstance(value, tuple) else set()

    return {text for name, value in vars(statements).items() if name.isupper() for text in texts(value)}


async def test_every_statement_that_is_sent_is_one_of_ours_to_the_letter(
    arcadedb: BoltServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    from neo4j import AsyncManagedTransaction

    sent: set[str] = set()
    run = AsyncManagedTransaction.run

    async def spied(self: Any, query: Any, *args: Any, **given: Any) -> Any:
        sent.add(str(query))
        return await run(self, query, *args, **given)

    monkeypatch.setattr(AsyncManagedTransaction, "run", spied)
    graph = Neo4jGraph(**arcadedb.settings, namespace="`}) DETACH DELETE n //")
    await graph.open()
    try:
        for one, other in pairwise(ODD_NAMES):
            await graph.upsert_facts([relation(one, other, other), node(one, name=other), removed(one, one, other)])
            await graph.upsert_facts([gone(other)])
            await graph.relations(one, types=[other])
            await graph.history(one, other=other, type=other)
            await graph.shortest_path(src_id=one, dst_id=other)
        await graph.health()
        await graph.clear()
    finally:
        await graph.close()
    assert sent
    assert sent <= all_statements()


def test_no_id_of_the_servers_own_is_used() -> None:
    source = "".join(map(inspect.getsource, (statements, facts, server, store)))
    assert "elementid" not in source.casefold()
    assert "id(" not in "".join(all_statements())


async def test_two_namespaces_know_nothing_of_each_other(arcadedb: BoltServer) -> None:
    one, other = (Neo4jGraph(**arcadedb.settings, namespace=name) for name in ("apart", "apart2"))
    await one.open()
    await other.open()
    try:
        await one.upsert_facts([relation("a", "b")])
        await other.upsert_facts([relation("a", "c")])
        assert [each.target for each in await one.relations("a")] == ["b"]
        assert [each.target for each in await other.relations()] == ["c"]
        await one.clear()
        assert [each.id for each in await other.nodes()] == ["a", "c"]
        assert len(await other.changes()) == 3
    finally:
        await one.close()
        await other.close()


async def test_a_dead_server_is_named_at_once() -> None:
    graph = Neo4jGraph(uri=f"bolt://127.0.0.1:{free_port()}")
    started = time.monotonic()
    with pytest.raises(StorageError, match="does not answer"):
        await graph.open()
    assert time.monotonic() - started < 8


async def test_a_server_that_is_gone_is_named(arcadedb: BoltServer, monkeypatch: pytest.MonkeyPatch) -> None:
    from neo4j import AsyncSession
    from neo4j.exceptions import ServiceUnavailable

    graph = Neo4jGraph(**arcadedb.settings, namespace="gone")
    await graph.open()

    async def unavailable(*_: object) -> None:
        raise ServiceUnavailable("connection lost")

    monkeypatch.setattr(AsyncSession, "execute_read", unavailable)
    with pytest.raises(StorageError, match="does not answer"):
        await graph.version()
    await graph.close()


async def test_a_wrong_password_is_refused_and_never_shown(arcadedb: BoltServer) -> None:
    graph = Neo4jGraph(uri=arcadedb.uri, user="root", password=SecretStr("not-the-password"))
    with pytest.raises(StorageError, match="refuses the user 'root'") as refused:
        await graph.open()
    assert "not-the-password" not in str(refused.value)


@pytest.mark.parametrize("uri", ["http://localhost", "localhost:7687", ""])
def test_a_uri_that_is_none_is_refused(uri: str) -> None:
    with pytest.raises(SettingsError, match="Write one such as 'bolt://localhost:7687'"):
        Neo4jGraph(uri=uri)


async def test_a_database_that_is_not_there_is_named(neo4j: BoltServer) -> None:
    with pytest.raises(StorageError, match="has no database 'elsewhere'"):
        await Neo4jGraph(**{**neo4j.settings, "database": "elsewhere"}).open()


async def test_an_empty_database_warns_of_nothing(neo4j: BoltServer, caplog: pytest.LogCaptureFixture) -> None:
    graph = Neo4jGraph(**neo4j.settings, namespace="never seen before")
    await graph.open()
    try:
        await graph.upsert_facts([relation("ann", "knows_nobody", "ben")])
        await graph.relations("ann")
        await graph.changes()
    finally:
        await graph.close()
    assert [each.getMessage() for each in caplog.records if each.name.startswith("neo4j")] == []


async def test_constraints_and_indexes_are_made_once(neo4j: BoltServer) -> None:
    from neo4j import AsyncGraphDatabase

    for _ in range(2):
        graph = Neo4jGraph(**neo4j.settings)
        await graph.open()
        await graph.close()
    async with AsyncGraphDatabase.driver(neo4j.uri) as driver:
        made = await driver.execute_query("SHOW CONSTRAINTS YIELD name RETURN name", database_="neo4j")
        found = await driver.execute_query("SHOW INDEXES YIELD name RETURN name", database_="neo4j")
    assert {"earwitness_graph_name", "earwitness_node_key", "earwitness_change_key"} <= {
        each["name"] for each in made.records
    }
    assert {"earwitness_node_graph", "earwitness_change_source"} <= {each["name"] for each in found.records}


async def test_a_constraint_error_is_tried_again(arcadedb: BoltServer, monkeypatch: pytest.MonkeyPatch) -> None:
    from neo4j import AsyncSession
    from neo4j.exceptions import ConstraintError

    write, refusals = AsyncSession.execute_write, [1, 2, 3]

    async def sometimes(self: Any, *args: Any) -> Any:
        if refusals:
            refusals.pop()
            raise ConstraintError("somebody made it first")
        return await write(self, *args)

    graph = Neo4jGraph(**arcadedb.settings, namespace="again")
    await graph.open()
    monkeypatch.setattr(AsyncSession, "execute_write", sometimes)
    try:
        assert await graph.upsert_facts([node("a")]) == 1
        assert refusals == []
    finally:
        await graph.close()


async def test_without_the_driver_the_error_says_how_to_get_it(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "neo4j", None)
    with pytest.raises(SettingsError, match=r"pip install 'earwitness\[neo4j\]'"):
        await Neo4jGraph().open()


async def test_after_closing_nothing_is_asked() -> None:
    with pytest.raises(StorageError, match="is not open"):
        await Neo4jGraph().version()


def test_the_password_is_a_secret_of_the_settings() -> None:
    spec = StrategySpec.model_validate({"name": "neo4j", "password": "hidden-one"})
    masked = Strategies().masked("graph", spec)
    assert "hidden-one" not in str(masked.settings)
    assert isinstance(Strategies().make("graph", spec), Neo4jGraph)
