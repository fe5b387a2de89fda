"""The store `qdrant`: memories as points of Qdrant, in a folder or on a server. Needs `earwitness[qdrant]`."""

from .store import QdrantStore

__all__ = ["QdrantStore"]
