"""The embedded graph store keeps the contract."""

from earwitness_plugins.graphs.networkx import NetworkxGraph
from earwitness_relationships.testing.graph import GraphSuite


class TestNetworkxGraph(GraphSuite):
    def make_graph(self) -> NetworkxGraph:
        return NetworkxGraph(path=str(self.folder / "story.db"))
