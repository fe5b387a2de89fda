"""The base of all graph tests: how to make a graph store, its capabilities, and short words for facts."""

from __future__ import annotations

from collections.abc import Awaitable
from contextlib import AbstractAsyncContextManager
from typing import Any

from earwitness.testing.suite import Capability, Suite, opened

from ...graph.protocol import GraphStore
from ...graph.records import Fact, Node, Relation


class GraphCases(Suite[GraphStore]):
    """How to make a graph store, and its capabilities."""

    persistent: Capability = True
    """A second `make_graph()` on the same folder, after the first was closed, finds what was written."""
    shared: Capability = True
    """Two stores on the same folder, both open, see each other's writes at once."""

    def make_graph(self) -> GraphStore | Awaitable[GraphStore]:
        """Your own store on `self.folder`, not opened yet. The method may be `async`."""
        raise NotImplementedError(f"{type(self).__name__} must define make_graph().")

    def subject(self) -> AbstractAsyncContextManager[GraphStore]:
        """The store, opened."""
        return opened(self.make_graph())


def node(id: str, **fields: Any) -> Fact:
    """A node is so."""
    return Fact(node=Node(id=id, **fields))


def relation(source: str, target: str, type: str = "KNOWS", **fields: Any) -> Fact:
    """A relation is so."""
    return Fact(relation=Relation(source=source, target=target, type=type, **fields))


def ended(source: str, target: str, type: str = "KNOWS", *, until: float) -> Fact:
    """A relation ends."""
    return Fact(op="end", relation=Relation(source=source, target=target, type=type, until=until))


def removed(source: str, target: str, type: str = "KNOWS", *, since: float | None = None) -> Fact:
    """A relation never was."""
    return Fact(op="remove", relation=Relation(source=source, target=target, type=type, since=since))


def gone(id: str) -> Fact:
    """A node never was."""
    return Fact(op="remove", node=Node(id=id))
