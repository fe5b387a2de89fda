"""Answers from the tables."""

from __future__ import annotations

import json
from collections.abc import Collection, Iterable
from typing import Any

import apsw

from earwitness_relationships.graph.records import Direction, GraphChange, Node, Relation
from earwitness_relationships.graph.selection import RelationSelection

from .rows import NODE, RELATION, as_change, as_node, as_relation

_TAKEN = (
    "begins <= :day AND ends >= :day AND weight >= :weight"
    " AND (:types IS NULL OR type IN (SELECT value FROM json_each(:types)))"
)
_AT: dict[Direction, str] = {
    "out": "source IN (SELECT value FROM json_each(:ids))",
    "in": "target IN (SELECT value FROM json_each(:ids))",
    "both": "(source IN (SELECT value FROM json_each(:ids)) OR target IN (SELECT value FROM json_each(:ids)))",
}
_ORDER = "ORDER BY source, target, type"


def nodes(connection: apsw.Connection, ids: Collection[str] | None, kind: str | None) -> list[Node]:
    """Nodes with these ids and of this kind, in the order of ids."""
    among = "" if ids is None else "AND id IN (SELECT value FROM json_each(:ids))"
    found = f"SELECT {NODE} FROM graph_nodes WHERE (:kind IS NULL OR kind = :kind) {among} ORDER BY id"  # noqa: S608
    return [as_node(row) for row in connection.execute(found, {"kind": kind, "ids": _list(ids)})]


def relations(connection: apsw.Connection, ids: Collection[str] | None, selection: RelationSelection) -> list[Relation]:
    """The relations of some nodes, or of all, by a selection."""
    where = "TRUE" if ids is None else _AT[selection.direction]
    found = f"SELECT {RELATION} FROM graph_relations WHERE {where} AND {_TAKEN} {_ORDER}"  # noqa: S608
    return [as_relation(row) for row in connection.execute(found, {**_bound(selection), "ids": _list(ids)})]


def changes(connection: apsw.Connection, since: int, limit: int | None) -> list[GraphChange]:
    """The changes after a version."""
    found = "SELECT version, fact FROM graph_changes WHERE version > ? ORDER BY version LIMIT ?"
    return _changes(connection.execute(found, (since, -1 if limit is None else limit)))


def history(connection: apsw.Connection, node: str, other: str | None, type: str | None) -> list[GraphChange]:
    """The changes of a node and of its relations."""
    found = (
        "SELECT version, fact FROM graph_changes WHERE (source = :node OR target = :node)"
        " AND (:other IS NULL OR (source = :node AND target = :other) OR (source = :other AND target = :node))"
        " AND (:type IS NULL OR type = :type) ORDER BY version"
    )
    return _changes(connection.execute(found, {"node": node, "other": other, "type": type}))


def _changes(rows: Iterable[Any]) -> list[GraphChange]:
    return [as_change(version, fact) for version, fact in rows]


def _bound(selection: RelationSelection) -> dict[str, Any]:
    return {"day": selection.day, "weight": selection.min_weight, "types": _list(selection.types)}


def _list(values: Collection[str] | None) -> str | None:
    return None if values is None else json.dumps(list(values))
