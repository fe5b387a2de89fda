"""Records of the graph as parameters, and results as records. Attributes are JSON text: Neo4j has no nested values."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

from pydantic_core import to_json

from earwitness.records.state import plain_number
from earwitness_relationships.graph.records import Fact, GraphChange, Node, Relation
from earwitness_relationships.graph.timeline import PeriodSpan, RelationKey

_BETWEEN = "\x1f"
"""Between the name of a graph and an id or number: no id and no name has it."""
_AFTER = "\x20"
"""What comes after `_BETWEEN` in the order of characters."""
_DIGITS = 19
FAR = 1e300
"""Stands for an infinite day: infinities are not literals of Cypher, and not every server keeps them."""


class GraphKeys:
    """The keys of one graph's nodes and changes."""

    def __init__(self, graph: str) -> None:
        self.graph = graph
        """Name of the graph."""
        self.end = graph + _AFTER
        """What no key of the graph reaches."""

    def node(self, id: str) -> str:
        """The key of a node."""
        return f"{self.graph}{_BETWEEN}{id}"

    def change(self, version: int) -> str:
        """The key of a change; keys have the order of versions."""
        return f"{self.graph}{_BETWEEN}{version:0{_DIGITS}}"

    def relation(self, key: RelationKey) -> dict[str, str]:
        """The ends and the type of a relation."""
        source, target, type = key
        return {"source": self.node(source), "target": self.node(target), "type": type}

    def node_row(self, node: Node) -> dict[str, Any]:
        """A node as parameters."""
        fields = {"id": node.id, "kind": node.kind, "name": node.name, "attributes": _text(node.attributes)}
        return {"key": self.node(node.id), **fields}

    def period_row(self, key: RelationKey, span: PeriodSpan) -> dict[str, Any]:
        """A period as parameters."""
        each = span.relation
        return {
            **self.relation(key),
            "weight": each.weight,
            "begins": finite(span.begins),
            "ends": finite(span.ends),
            "until": None if each.until is None else float(each.until),
            "attributes": _text(each.attributes),
        }

    def change_row(self, version: int, fact: Fact) -> dict[str, Any]:
        """A change as parameters."""
        source, target = self._ends(fact)
        text = fact.model_dump_json(exclude_defaults=True)
        return {"key": self.change(version), "version": version, "source": source, "target": target, "fact": text}

    def _ends(self, fact: Fact) -> tuple[str | None, str | None]:
        if fact.relation is not None:
            return self.node(fact.relation.source), self.node(fact.relation.target)
        return (None if fact.node is None else self.node(fact.node.id)), None


def finite(day: float) -> float:
    """A day as it is stored and compared."""
    return float(max(-FAR, min(FAR, day)))


def as_node(found: Mapping[str, Any]) -> Node:
    """The node of a result. It was checked when it was written."""
    return Node.unchecked(
        {"id": found["id"], "kind": found["kind"], "name": found["name"], "attributes": _values(found["attributes"])}
    )


def as_relation(found: Mapping[str, Any]) -> Relation:
    """The period of a result."""
    begins, until = found["begins"], found["until"]
    return Relation.unchecked(
        {
            "source": found["source"],
            "target": found["target"],
            "type": found["type"],
            "weight": found["weight"],
            "since": None if begins == -FAR else plain_number(begins),
            "until": None if until is None else plain_number(until),
            "attributes": _values(found["attributes"]),
        }
    )


def as_change(found: Mapping[str, Any]) -> GraphChange:
    """The change of a result."""
    return GraphChange(version=found["version"], fact=Fact.model_validate_json(found["fact"]))


def _text(attributes: dict[str, Any]) -> str | None:
    return to_json(attributes).decode() if attributes else None


def _values(text: str | None) -> dict[str, Any]:
    return json.loads(text) if text else {}
