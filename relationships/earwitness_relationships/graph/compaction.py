"""Columns with changes put in."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from math import inf, nan

import numpy as np
from numpy.typing import NDArray

from .columns import Columns, FloatColumn, IntColumn, NodeColumns, Outgoing, RelationColumns
from .records import NODE_KINDS, Node, Relation


def compacted(columns: Columns, nodes: Mapping[str, Node | None], outgoing: Mapping[str, Outgoing]) -> Columns:
    """The columns with these nodes in place of their own, and with these relations of the nodes they start at."""
    gone = {id for id, node in nodes.items() if node is None}
    ids = sorted({*columns.nodes.ids, *nodes} - gone)
    number = {id: place for place, id in enumerate(ids)}
    moved = np.array([number.get(id, -1) for id in columns.nodes.ids], np.int32)
    kept = np.ones(len(columns), bool)
    for source in outgoing:
        kept[columns.rows_of(source)] = False
    added = [period for keys in outgoing.values() for periods in keys.values() for period in periods]
    stayed = _kept(columns.relations, kept, moved)
    return Columns(_nodes(columns.nodes, nodes, ids, number), _joined(stayed, _of_records(added, number)))


def _nodes(
    old: NodeColumns, changed: Mapping[str, Node | None], ids: list[str], number: Mapping[str, int]
) -> NodeColumns:
    """The nodes, without a record for each that stays as it is."""
    stay = {place: number[id] for place, id in enumerate(old.ids) if id not in changed}
    new = {number[id]: node for id, node in changed.items() if node}
    kinds = np.zeros(len(ids), np.int8)
    if old.kinds is not None and stay:
        kinds[list(stay.values())] = old.kinds[list(stay)]
    kinds[list(new)] = [NODE_KINDS.index(node.kind) for node in new.values()]
    names = {stay[place]: name for place, name in old.names.items() if place in stay}
    attributes = {stay[place]: values for place, values in old.attributes.items() if place in stay}
    return NodeColumns(
        ids=ids,
        kinds=kinds,
        names={**names, **{place: node.name for place, node in new.items() if node.name is not None}},
        attributes={**attributes, **{place: node.attributes for place, node in new.items() if node.attributes}},
    )


def _of_records(relations: Iterable[Relation], number: Mapping[str, int]) -> RelationColumns:
    """Relations as columns; `number` has the numbers of their nodes."""
    each = list(relations)
    names = sorted({relation.type for relation in each})
    position = {name: place for place, name in enumerate(names)}
    return RelationColumns(
        sources=np.array([number[relation.source] for relation in each], np.int32),
        targets=np.array([number[relation.target] for relation in each], np.int32),
        types=np.array([position[relation.type] for relation in each], np.int32),
        type_names=names,
        weights=np.array([relation.weight for relation in each], np.float64),
        begins=_unless_all([-inf if relation.since is None else relation.since for relation in each], -inf),
        untils=_unless_all([nan if relation.until is None else relation.until for relation in each], nan),
        attributes={row: relation.attributes for row, relation in enumerate(each) if relation.attributes},
    )


def _kept(old: RelationColumns, kept: NDArray[np.bool_], moved: IntColumn) -> RelationColumns:
    rows = np.flatnonzero(kept)
    rank = dict(zip(rows.tolist(), range(len(rows)), strict=True)) if old.attributes else {}
    return RelationColumns(
        sources=moved[old.sources[rows]],
        targets=moved[old.targets[rows]],
        types=old.types[rows],
        type_names=old.type_names,
        weights=old.weights[rows],
        begins=None if old.begins is None else old.begins[rows],
        untils=None if old.untils is None else old.untils[rows],
        attributes={rank[row]: values for row, values in old.attributes.items() if row in rank},
    )


def _joined(one: RelationColumns, other: RelationColumns) -> RelationColumns:
    names = list(dict.fromkeys([*one.type_names, *other.type_names]))
    position = np.array([names.index(name) for name in other.type_names], np.int32)
    return RelationColumns(
        sources=np.concatenate([one.sources, other.sources]),
        targets=np.concatenate([one.targets, other.targets]),
        types=np.concatenate([one.types, position[other.types]]),
        type_names=names,
        weights=np.concatenate([one.weights, other.weights]),
        begins=_joined_days(one, one.begins, other, other.begins, -inf),
        untils=_joined_days(one, one.untils, other, other.untils, nan),
        attributes={**one.attributes, **{len(one.targets) + row: each for row, each in other.attributes.items()}},
    )


def _joined_days(
    one: RelationColumns, days: FloatColumn | None, other: RelationColumns, more: FloatColumn | None, missing: float
) -> FloatColumn | None:
    if days is None and more is None:
        return None
    parts = [(one, days), (other, more)]
    return np.concatenate([np.full(len(each.targets), missing) if known is None else known for each, known in parts])


def _unless_all(days: list[float], missing: float) -> FloatColumn | None:
    found = np.array(days, np.float64)
    absent = np.isnan(found) if missing != missing else found == missing
    return None if bool(absent.all()) else found
