"""The whole graph at once, as columns for a view."""

from __future__ import annotations

import json
from array import array
from math import inf, nan
from typing import TYPE_CHECKING, Any

import apsw

from earwitness_relationships.graph.records import NODE_KINDS

from .facts import version
from .rows import NODE

if TYPE_CHECKING:
    from earwitness_relationships.graph.columns import Columns, NodeColumns, RelationColumns

_RELATIONS = "SELECT source, target, type, weight, begins, until, attributes FROM graph_relations"


def as_columns(connection: apsw.Connection) -> tuple[int, Columns]:
    """The version, and every node and relation."""
    from earwitness_relationships.graph.columns import Columns

    nodes = _nodes(connection)
    return version(connection), Columns(nodes, _relations(connection, nodes))


def _nodes(connection: apsw.Connection) -> NodeColumns:
    import numpy as np

    from earwitness_relationships.graph.columns import NodeColumns

    ids: list[str] = []
    kinds, names, attributes = array("b"), {}, {}
    number = {kind: place for place, kind in enumerate(NODE_KINDS)}
    for place, (id, kind, name, text) in enumerate(
        connection.execute(f"SELECT {NODE} FROM graph_nodes ORDER BY id")  # noqa: S608
    ):
        ids.append(id)
        kinds.append(number[kind])
        if name is not None:
            names[place] = name
        if text is not None:
            attributes[place] = json.loads(text)
    return NodeColumns(ids, np.array(kinds, np.int8), names, attributes)


def _relations(connection: apsw.Connection, nodes: NodeColumns) -> RelationColumns:
    import numpy as np

    from earwitness_relationships.graph.columns import RelationColumns

    number = {id: place for place, id in enumerate(nodes.ids)}
    types: dict[str, int] = {}
    attributes: dict[int, dict[str, Any]] = {}
    ends, days = array("i"), array("d")
    for row, (source, target, type, weight, begins, until, text) in enumerate(connection.execute(_RELATIONS)):
        ends.extend((number[source], number[target], types.setdefault(type, len(types))))
        days.extend((weight, begins, nan if until is None else until))
        if text is not None:
            attributes[row] = json.loads(text)
    table = np.array(ends, np.int32).reshape(-1, 3)
    numbers = np.array(days, np.float64).reshape(-1, 3)
    begun, ended = bool((numbers[:, 1] != -inf).any()), not bool(np.isnan(numbers[:, 2]).all())
    return RelationColumns(
        sources=table[:, 0].copy(),
        targets=table[:, 1].copy(),
        types=table[:, 2].copy(),
        type_names=list(types),
        weights=numbers[:, 0].copy(),
        begins=numbers[:, 1].copy() if begun else None,
        untils=numbers[:, 2].copy() if ended else None,
        attributes=attributes,
    )
