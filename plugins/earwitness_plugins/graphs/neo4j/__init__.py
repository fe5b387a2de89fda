"""The graph store on a server that speaks Bolt: Neo4j, and others such as ArcadeDB."""

from .store import Neo4jGraph

__all__ = ["Neo4jGraph"]
