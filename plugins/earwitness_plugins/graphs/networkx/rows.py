"""Records of the graph as rows of its tables."""

from __future__ import annotations

import json
from math import inf
from typing import Any, TypeAlias

from pydantic_core import to_json

from earwitness.records.state import plain_number
from earwitness_relationships.graph.records import Fact, GraphChange, Node, Relation
from earwitness_relationships.graph.timeline import PeriodSpan

NODE = "id, kind, name, attributes"
RELATION = "source, target, type, begins, until, weight, attributes"
GraphRow: TypeAlias = tuple[Any, ...]


def node_row(node: Node) -> GraphRow:
    """A node in the order of `NODE`."""
    return node.id, node.kind, node.name, _text(node.attributes)


def as_node(row: GraphRow) -> Node:
    """The node of a row. It was checked when it was written."""
    id, kind, name, attributes = row
    return Node.unchecked({"id": id, "kind": kind, "name": name, "attributes": _values(attributes)})


def relation_row(span: PeriodSpan) -> GraphRow:
    """A period with all columns of its table."""
    each = span.relation
    ends_at = (span.begins, span.ends, each.until)
    return each.source, each.target, each.type, *ends_at, each.weight, _text(each.attributes)


def as_relation(row: GraphRow) -> Relation:
    """The period of a row in the order of `RELATION`."""
    source, target, type, begins, until, weight, attributes = row
    return Relation.unchecked(
        {
            "source": source,
            "target": target,
            "type": type,
            "weight": weight,
            "since": None if begins == -inf else plain_number(begins),
            "until": None if until is None else plain_number(until),
            "attributes": _values(attributes),
        }
    )


def change_row(version: int, fact: Fact) -> GraphRow:
    """A change with all columns of its table."""
    text = fact.model_dump_json(exclude_defaults=True)
    if fact.relation is not None:
        return version, fact.relation.source, fact.relation.target, fact.relation.type, text
    return version, fact.node.id if fact.node else "", None, None, text


def as_change(version: int, fact: str) -> GraphChange:
    """A change as it was written."""
    return GraphChange(version=version, fact=Fact.model_validate_json(fact))


def _text(attributes: dict[str, Any]) -> str | None:
    return to_json(attributes).decode() if attributes else None


def _values(text: str | None) -> dict[str, Any]:
    return json.loads(text) if text else {}
