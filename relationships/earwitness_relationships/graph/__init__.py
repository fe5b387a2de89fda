"""The relationship graph: nodes, relations with their history, and the stores that keep them."""

from .protocol import GraphStore
from .records import Fact, GraphChange, Neighbor, Node, Relation, Route

__all__ = ["Fact", "GraphChange", "GraphStore", "Neighbor", "Node", "Relation", "Route"]
