"""The graph store on Bolt servers keeps the contract: on ArcadeDB, on Neo4j itself, and on the server of one's own."""

import pytest

from earwitness_plugins.graphs.neo4j import Neo4jGraph
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
    @pytest.fixture(autouse=True)
    def _server(self, neo4j: BoltServer) -> None:
        self.server = neo4j


class TestOnNamedServer(OnBoltServer):
    @pytest.fixture(autouse=True)
    def _server(self, named_server: BoltServer) -> None:
        self.server = named_server
