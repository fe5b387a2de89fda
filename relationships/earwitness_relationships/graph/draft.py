"""What some facts change in a graph. Nothing is written here: stores write what a draft holds, a view shows it."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Protocol

from earwitness import Record

from . import timeline
from .records import Fact, Node, NodeKind, Relation
from .timeline import Periods, RelationKey

ENDPOINTS: dict[str, tuple[NodeKind, NodeKind]] = {
    "LOCATED_IN": ("Character", "Location"),
    "OWNS": ("Character", "Item"),
    "OWNED_BY": ("Item", "Character"),
    "PART_OF": ("Character", "Faction"),
    "INVOLVES": ("Event", "Character"),
}
"""The kinds of nodes that a relation of this type makes of ids that nobody has asserted. Otherwise: characters."""


class KnownGraph(Protocol):
    """What a graph holds so far."""

    def node(self, id: str) -> Node | None:
        """The node with this id."""
        ...

    def periods(self, key: RelationKey) -> Periods:
        """The periods of a relation; none if it is unknown."""
        ...

    def keys_at(self, id: str) -> Iterable[RelationKey]:
        """The relations that start at a node or point to it. It is asked before a node is removed."""
        ...


class GraphDraft:
    """A graph with some facts on top."""

    def __init__(self, known: KnownGraph) -> None:
        self._known = known
        self.log: list[Fact] = []
        """The facts that change something, in order. What they imply, such as the nodes of a relation, comes first."""
        self.nodes: dict[str, Node | None] = {}
        """Id → the node as it is now, or `None` for one that was removed; only what the facts concern."""
        self.relations: dict[RelationKey, Periods] = {}
        """Relation → its periods as they are now; only what the facts concern."""
        self.is_cleared = False
        """Whether what the graph held before counts no more."""

    def add(self, facts: Iterable[Fact]) -> None:
        """Put the facts on top, one after the other."""
        for fact in facts:
            self._add(fact)

    def _add(self, fact: Fact) -> None:
        match fact:
            case Fact(op="clear"):
                self._clear(fact)
            case Fact(node=Node() as node):
                self._node(fact, node)
            case Fact(op="assert", relation=Relation() as relation):
                self._endpoints(relation)
                self._relation(fact, relation, timeline.asserted)
            case Fact(op="end", relation=Relation() as relation):
                self._relation(fact, relation, timeline.ended)
            case Fact(relation=Relation() as relation):
                self._relation(fact, relation, timeline.removed)

    def _clear(self, fact: Fact) -> None:
        """The log of a graph begins anew with the fact that clears it."""
        self.log, self.nodes, self.relations, self.is_cleared = [fact], {}, {}, True

    def _node(self, fact: Fact, node: Node) -> None:
        wanted = node if fact.op == "assert" else None
        if same(self._node_now(node.id), wanted):
            return
        if wanted is None:
            for key in sorted({*self._keys_at(node.id)}):
                self._remove_all(key)
        self.nodes[node.id] = wanted
        self.log.append(fact)

    def _remove_all(self, key: RelationKey) -> None:
        """The relations of a node that goes, so that the log says of each that it went."""
        for period in self._periods(key):
            self._relation(Fact(op="remove", relation=period), period, timeline.removed)

    def _endpoints(self, relation: Relation) -> None:
        kinds = ENDPOINTS.get(relation.type, ("Character", "Character"))
        for id, kind in zip((relation.source, relation.target), kinds, strict=True):
            if self._node_now(id) is None:
                self._add(Fact(node=Node(id=id, kind=kind)))

    def _relation(self, fact: Fact, relation: Relation, change: Callable[[Periods, Relation], Periods]) -> None:
        key = timeline.key(relation)
        before = self._periods(key)
        after = change(before, relation)
        if len(before) == len(after) and all(map(same, before, after)):
            return
        self.relations[key] = after
        self.log.append(fact)

    def _node_now(self, id: str) -> Node | None:
        if id in self.nodes or self.is_cleared:
            return self.nodes.get(id)
        return self._known.node(id)

    def _periods(self, key: RelationKey) -> Periods:
        if key in self.relations or self.is_cleared:
            return self.relations.get(key, ())
        return self._known.periods(key)

    def _keys_at(self, id: str) -> Iterable[RelationKey]:
        yield from (key for key in self.relations if id in key[:2])
        if not self.is_cleared:
            yield from self._known.keys_at(id)


def same(one: Record | None, other: Record | None) -> bool:
    """Whether two records say the same. To Python, an attribute 1 would equal `true`."""
    if one is None or other is None or one != other:
        return one is other
    return one.model_dump_json() == other.model_dump_json()
