"""Millions of relations in numpy columns: 20 to 50 bytes each, found by the node that they start at."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from functools import cached_property
from math import inf, isnan
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from earwitness.records.state import plain_number

from .records import NODE_KINDS, Node, Relation
from .timeline import Periods

IntColumn = NDArray[np.int32]
FloatColumn = NDArray[np.float64]
Outgoing = dict[tuple[str, str], Periods]
"""Target and type → the periods of a relation that starts at one node."""


class Edge(NamedTuple):
    """One period of a relation, seen from the node that it starts at. It counts if `begins <= day <= ends`."""

    target: str
    """Id of the node it points to."""
    type: str
    """Type of the relation."""
    weight: float
    """How strong it is."""
    begins: float
    """The first day on which it counts; minus infinity without a beginning."""
    ends: float
    """The last day on which it counts; infinity without an end."""

    @property
    def since(self) -> float | None:
        """The first day on which it counts; `None` = no beginning."""
        return None if self.begins == -inf else self.begins

    @property
    def until(self) -> float | None:
        """The last day on which it counts; `None` = no end."""
        return None if self.ends == inf else self.ends


class NodeColumns(NamedTuple):
    """Nodes by number, in the order of their ids."""

    ids: Sequence[str] = ()
    """Sorted."""
    kinds: NDArray[np.int8] | None = None
    """Positions in `NODE_KINDS`; `None` = all are characters."""
    names: Mapping[int, str] = {}
    """Number → name, where there is one."""
    attributes: Mapping[int, dict[str, Any]] = {}
    """Number → attributes, where there are any."""


class RelationColumns(NamedTuple):
    """Relations by row. Ends and types are numbers."""

    sources: IntColumn
    """Numbers of nodes."""
    targets: IntColumn
    """Numbers of nodes."""
    types: IntColumn
    """Positions among the names of types."""
    type_names: Sequence[str]
    """Names of types, each once."""
    weights: FloatColumn
    """How strong they are."""
    begins: FloatColumn | None = None
    """First days; `None` = none has a beginning."""
    untils: FloatColumn | None = None
    """Last days that were said, NaN where none was; `None` = for none."""
    attributes: Mapping[int, dict[str, Any]] = {}
    """GraphRow → attributes, where there are any."""


class Columns:
    """Nodes and relations that do not change."""

    def __init__(self, nodes: NodeColumns, relations: RelationColumns) -> None:
        """The ids must be sorted. The rows may come in any order, without a period given twice."""
        self.nodes = nodes
        """The nodes."""
        self.relations = relations = _in_order(relations)
        """The relations, sorted by source, target, type and first day."""
        counts = np.bincount(relations.sources, minlength=len(nodes.ids))
        self._starts = np.concatenate(([0], np.cumsum(counts)))
        self._ends = _last_days(relations)

    @classmethod
    def empty(cls) -> Columns:
        """Columns without a row."""
        none = np.zeros(0, np.int32)
        return cls(NodeColumns(), RelationColumns(none, none, none, (), np.zeros(0)))

    def __len__(self) -> int:
        return len(self.relations.targets)

    @cached_property
    def number(self) -> dict[str, int]:
        """Id of a node → its number."""
        return {id: number for number, id in enumerate(self.nodes.ids)}

    def ids(self) -> Iterator[str]:
        """The ids of all nodes, sorted."""
        return iter(self.nodes.ids)

    def node(self, id: str) -> Node | None:
        """The node with this id."""
        number = self.number.get(id)
        if number is None:
            return None
        nodes = self.nodes
        kind = NODE_KINDS[0 if nodes.kinds is None else nodes.kinds[number]]
        attributes = nodes.attributes.get(number, {})
        return Node.unchecked({"id": id, "kind": kind, "name": nodes.names.get(number), "attributes": attributes})

    def edges(self, source: str) -> tuple[Edge, ...]:
        """The relations that start at a node, by target, type and first day."""
        return self._edges(self.rows_of(source))

    def outgoing(self, source: str) -> Outgoing:
        """The relations that start at a node, as records."""
        return self._records(source, self.rows_of(source))

    def between(self, source: str, target: str) -> Outgoing:
        """The relations from one node to another, as records."""
        rows, number = self.rows_of(source), self.number.get(target)
        if number is None or rows.start == rows.stop:
            return {}
        targets = self.relations.targets[rows]
        first, last = (int(targets.searchsorted(number, side)) for side in ("left", "right"))
        return self._records(source, slice(rows.start + first, rows.start + last))

    def _edges(self, rows: slice) -> tuple[Edge, ...]:
        each, ids = self.relations, self.nodes.ids
        return tuple(
            map(
                Edge,
                [ids[target] for target in each.targets[rows].tolist()],
                [each.type_names[type] for type in each.types[rows].tolist()],
                each.weights[rows].tolist(),
                _days(each.begins, rows, -inf),
                _days(self._ends, rows, inf),
            )
        )

    def _records(self, source: str, rows: slice) -> Outgoing:
        found: Outgoing = {}
        untils = _days(self.relations.untils, rows, inf)
        for row, edge, until in zip(range(rows.start, rows.stop), self._edges(rows), untils, strict=True):
            key = edge.target, edge.type
            found[key] = (*found.get(key, ()), self._relation(source, edge, until, row))
        return found

    def sources_of(self, target: str) -> set[str]:
        """The nodes whose relations point to a node."""
        number = self.number.get(target)
        if number is None:
            return set()
        order, starts = self._by_target
        rows = order[starts[number] : starts[number + 1]]
        return {self.nodes.ids[source] for source in self.relations.sources[rows].tolist()}

    @cached_property
    def _by_target(self) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
        """The rows in the order of their targets, and where each target begins among them."""
        counts = np.bincount(self.relations.targets, minlength=len(self.nodes.ids))
        return np.argsort(self.relations.targets, kind="stable"), np.concatenate(([0], np.cumsum(counts)))

    def rows_of(self, source: str) -> slice:
        """The rows of the relations that start at a node."""
        number = self.number.get(source)
        return slice(0, 0) if number is None else slice(int(self._starts[number]), int(self._starts[number + 1]))

    def _relation(self, source: str, edge: Edge, until: float, row: int) -> Relation:
        return Relation.unchecked(
            {
                "source": source,
                "target": edge.target,
                "type": edge.type,
                "weight": edge.weight,
                "since": None if edge.begins == -inf else plain_number(edge.begins),
                "until": None if until == inf or isnan(until) else plain_number(until),
                "attributes": self.relations.attributes.get(row, {}),
            }
        )


def _days(days: FloatColumn | None, rows: slice, otherwise: float) -> list[float]:
    return [otherwise] * (rows.stop - rows.start) if days is None else days[rows].tolist()


def _in_order(given: RelationColumns) -> RelationColumns:
    """The rows sorted by source, target, type and first day; as they are if they are sorted already."""
    given = _with_sorted_types(given)
    keys = (given.types, given.targets, given.sources)
    order = np.lexsort(keys if given.begins is None else (given.begins, *keys))
    if bool((order[1:] > order[:-1]).all()):
        return given
    rank = {int(row): number for number, row in enumerate(order)} if given.attributes else {}
    return given._replace(
        sources=given.sources[order],
        targets=given.targets[order],
        types=given.types[order],
        weights=given.weights[order],
        begins=None if given.begins is None else given.begins[order],
        untils=None if given.untils is None else given.untils[order],
        attributes={rank[row]: values for row, values in given.attributes.items()},
    )


def _with_sorted_types(given: RelationColumns) -> RelationColumns:
    names = sorted(given.type_names)
    if names == list(given.type_names):
        return given
    rank = np.array([names.index(name) for name in given.type_names], np.int32)
    return given._replace(type_names=tuple(names), types=rank[given.types])


def _last_days(each: RelationColumns) -> FloatColumn | None:
    """The last days on which periods count: those that were said, or those before a later period begins."""
    if each.begins is None and each.untils is None:
        return None
    count = len(each.targets)
    ends = np.full(count, inf) if each.untils is None else np.where(np.isnan(each.untils), inf, each.untils)
    if each.begins is not None and count > 1:
        again = (
            (each.sources[1:] == each.sources[:-1])
            & (each.targets[1:] == each.targets[:-1])
            & (each.types[1:] == each.types[:-1])
        )
        before_next = np.where(again, np.nextafter(each.begins[1:], -inf), inf)
        ends[:-1] = np.minimum(ends[:-1], before_next)
    return ends
