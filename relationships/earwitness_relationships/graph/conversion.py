"""Graphs of `networkx` as facts, and back. `networkx` itself is imported only by those who call `as_networkx`."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING, Any

from earwitness.errors import about, quoted

from .records import NODE_KINDS, Fact, Node, Relation

if TYPE_CHECKING:
    from networkx import Graph, MultiDiGraph

    from .view import GraphView

RELATION_FIELDS = ("type", "weight", "since", "until")


def facts_from(graph: Graph[Any], *, type: str = "RELATES_TO") -> list[Fact]:
    """The nodes and edges of a `networkx` graph. An edge without a direction becomes a relation each way.

    Of an edge's data, `type`, `weight`, `since` and `until` are the relation's; all else are its attributes. `type` is
    that of edges which have none. A node's `kind` and `name` are the node's. Ids become text.
    Raises `InputError` for what cannot be a node or relation.
    """
    nodes = [Fact(node=_node(id, data)) for id, data in graph.nodes(data=True)]
    return [*nodes, *(Fact(relation=each) for each in _relations(graph, type))]


def as_networkx(view: GraphView, day: float | None = None) -> MultiDiGraph[str]:
    """The nodes and relations of a view on a day, or on all days, for `networkx`."""
    from networkx import MultiDiGraph

    graph: MultiDiGraph[str] = MultiDiGraph()
    for node in view.nodes():
        graph.add_node(node.id, **{**node.attributes, "kind": node.kind, "name": node.name})
        for each in view.relations_of(node.id, day=day):
            fields = {name: getattr(each, name) for name in RELATION_FIELDS}
            graph.add_edge(each.source, each.target, **{**each.attributes, **fields})
    return graph


def _node(id: object, data: Mapping[str, Any]) -> Node:
    kind = data.get("kind")
    own = {"kind": kind} if kind in NODE_KINDS else {}
    name = data.get("name")
    rest = {key: value for key, value in data.items() if key != "name" and key not in own}
    with about(f"node {quoted(id)}"):
        return Node(id=str(id), name=None if name is None else str(name), attributes=rest, **own)


def _relations(graph: Graph[Any], type: str) -> Iterator[Relation]:
    for source, target, data in graph.edges(data=True):
        given = {name: data[name] for name in RELATION_FIELDS if data.get(name) is not None}
        rest = {key: value for key, value in data.items() if key not in RELATION_FIELDS}
        ways = [(source, target)] if graph.is_directed() or source == target else [(source, target), (target, source)]
        with about(f"edge {quoted(source)} – {quoted(target)}"):
            for one, other in ways:
                ends = {"source": str(one), "target": str(other)}
                yield Relation(**{"type": type, **given, **ends, "attributes": rest})
