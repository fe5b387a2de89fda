"""The graph store on Bolt servers keeps the contract: on ArcadeDB, on Neo4j itself, and on the server of one's own."""

from collections.abc import Iterator

import anyio
import pytest
from neo4j import AsyncGraphDatabase

from earwitness_plugins.graphs.neo4j import Neo4jGraph, statements
from earwitness_plugins.graphs.neo4j.rows import GraphKeys
from earwitness_relationships.testing.graph import GraphSuite

from ...graph_servers import BoltServer


class OnBoltServer(GraphSuite):
    """Each test has a graph of its own name on the one server."""

    examples = 4
    server: BoltServer

    def make_graph(self) -> Neo4jGraph:
        return Neo4jGraph(**self.server.settings, namespace=self.folder.name)


class TestOnArcadeDB(OnBoltServer):
    @pytest.fixture(autouse=True)
    def _server(self, arcadedb: BoltServer) -> None:
        self.server = arcadedb


class TestOnNeo4j(OnBoltServer):
    examples = 2  # ArcadeDB, which answers sooner, tries more

    @pytest.fixture(autouse=True)
    def _server(self, neo4j: BoltServer) -> None:
        self.server = neo4j


class TestOnNamedServer(OnBoltServer):
    """Somebody's own server: each test takes its graph away again."""

    @pytest.fixture(autouse=True)
    def _server(self, named_server: BoltServer) -> Iterator[None]:
        self.server = named_server
        yield
        anyio.run(self._clean_up)

    async def _clean_up(self) -> None:
        async with AsyncGraphDatabase.driver(self.server.uri, auth=self.server.auth) as driver:
            for statement in (*statements.CLEAR, "MATCH (g:EarwitnessGraph {name: $graph}) DELETE g"):
                keys = GraphKeys(self.folder.name)
                given = {"graph": keys.graph, "after": keys.graph, "end": keys.end}
                await driver.execute_query(statement, given, database_=self.server.database)
