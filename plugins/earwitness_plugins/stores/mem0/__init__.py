"""The store `mem0`: memories as mem0 keeps them, on the store that it comes with. Needs `earwitness[mem0]`."""

from .store import Mem0Store

__all__ = ["Mem0Store"]
