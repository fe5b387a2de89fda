"""The embedded graph store: durable in an SQLite file, walked with networkx."""

from .store import NetworkxGraph

__all__ = ["NetworkxGraph"]
