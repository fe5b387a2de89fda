"""A graph as a dictionary: as slow and as simple as can be, to compare stores and views with."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Sequence
from math import inf

from ...graph.records import Direction, Fact, Node, Relation

KINDS = {
    "LOCATED_IN": ("Character", "Location"),
    "OWNS": ("Character", "Item"),
    "OWNED_BY": ("Item", "Character"),
    "PART_OF": ("Character", "Faction"),
    "INVOLVES": ("Event", "Character"),
}


class GraphModel:
    """What a graph is after some facts. It shares no code with stores."""

    def __init__(self) -> None:
        self.known: dict[str, Node] = {}
        """Id → node."""
        self.periods: dict[tuple[str, str, str, float], Relation] = {}
        """Source, target, type and first day → period."""

    def add(self, facts: Iterable[Fact]) -> None:
        """Take the facts, one after the other."""
        for fact in facts:
            if fact.op == "clear":
                self.known, self.periods = {}, {}
            elif fact.node:
                self._node(fact.op, fact.node)
            elif fact.relation:
                self._relation(fact.op, fact.relation)

    def _node(self, op: str, node: Node) -> None:
        if op == "assert":
            self.known[node.id] = node
        else:
            self.known.pop(node.id, None)
            self.periods = {key: each for key, each in self.periods.items() if node.id not in key[:2]}

    def _relation(self, op: str, relation: Relation) -> None:
        key = (relation.source, relation.target, relation.type, _first(relation))
        match op:
            case "assert":
                self.periods[key] = relation
                for id, kind in zip(key[:2], KINDS.get(relation.type, ("Character", "Character")), strict=True):
                    self.known.setdefault(id, Node.model_validate({"id": id, "kind": kind}))
            case "remove":
                self.periods.pop(key, None)
            case "end":
                for held in [each for each in self.held(relation.until) if _key(each) == key[:3]]:
                    self.periods[(*key[:3], _first(held))] = held.model_copy(update={"until": relation.until})

    def held(self, day: float | None) -> Iterator[Relation]:
        """The relations that hold on a day."""
        wanted = inf if day is None else day
        for (*key, first), each in self.periods.items():
            later = [begun for *other, begun in self.periods if other == key and first < begun <= wanted]
            if first <= wanted <= (inf if each.until is None else each.until) and not later:
                yield each

    def relations(
        self, node_id: str | None, types: Collection[str] | None, weight: float, direction: Direction, day: float | None
    ) -> Sequence[Relation]:
        """As a store's `relations`."""
        found = [
            each
            for each in self.held(day)
            if (types is None or each.type in types)
            and each.weight >= weight
            and (
                node_id is None
                or (each.source == node_id and direction != "in")
                or (each.target == node_id and direction != "out")
            )
        ]
        return sorted(found, key=_key)

    def distances(
        self, start: str, types: Collection[str] | None, weight: float, direction: Direction, day: float | None
    ) -> dict[str, int]:
        """Id → how many relations lead to it at least, the start included."""
        found = {start: 0}
        while True:
            more: dict[str, int] = {}
            for each in self.relations(None, types, weight, "both", day):
                ways = [(each.source, each.target)] if direction != "in" else []
                ways += [(each.target, each.source)] if direction != "out" else []
                for one, other in ways:
                    if one in found and other not in found:
                        more[other] = min(found[one] + 1, more.get(other, len(self.known)))
            if not more:
                return found
            nearest = min(more.values())
            found.update({id: distance for id, distance in more.items() if distance == nearest})


def _key(relation: Relation) -> tuple[str, str, str]:
    return relation.source, relation.target, relation.type


def _first(relation: Relation) -> float:
    return -inf if relation.since is None else relation.since
