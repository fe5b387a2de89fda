"""The relationship graph: nodes, relations with their history, and the stores that keep them."""

from .records import Fact, Node, Relation

__all__ = ["Fact", "Node", "Relation"]
