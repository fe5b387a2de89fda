"""Writes facts into the tables: what they change, and the log of it."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

import apsw

from earwitness_relationships.graph.draft import GraphDraft
from earwitness_relationships.graph.log import following
from earwitness_relationships.graph.records import Fact, GraphChange, Node
from earwitness_relationships.graph.timeline import Periods, RelationKey, spans

from .rows import NODE, RELATION, as_node, as_relation, change_row, node_row, relation_row

_OF_KEY = "source = ? AND target = ? AND type = ?"
_TABLES = ("graph_nodes", "graph_relations", "graph_changes")


class InFile:
    """What the file holds, inside one transaction."""

    def __init__(self, connection: apsw.Connection) -> None:
        self._connection = connection

    def node(self, id: str) -> Node | None:
        """The node with this id."""
        row = self._connection.execute(f"SELECT {NODE} FROM graph_nodes WHERE id = ?", (id,)).fetchone()  # noqa: S608
        return None if row is None else as_node(row)

    def periods(self, key: RelationKey) -> Periods:
        """The periods of a relation, in the order in which they begin."""
        found = f"SELECT {RELATION} FROM graph_relations WHERE {_OF_KEY} ORDER BY begins"  # noqa: S608
        return tuple(map(as_relation, self._connection.execute(found, key)))

    def keys_at(self, id: str) -> Iterable[RelationKey]:
        """The relations of a node."""
        found = "SELECT DISTINCT source, target, type FROM graph_relations WHERE source = ?1 OR target = ?1"
        return [(source, target, type) for source, target, type in self._connection.execute(found, (id,))]


def version(connection: apsw.Connection) -> int:
    """The version of the last change; 0 if there was none."""
    return int(connection.execute("SELECT coalesce(max(version), 0) FROM graph_changes").get)


def upsert(connection: apsw.Connection, facts: Sequence[Fact]) -> int:
    """Write the facts that change something, and return the new version."""
    draft = GraphDraft(InFile(connection))
    draft.add(facts)
    return _write(connection, draft, version(connection))


def restore(connection: apsw.Connection, changes: Sequence[GraphChange]) -> int:
    """Write changes of another graph with their versions. Raises `InputError` where they do not follow."""
    draft = GraphDraft(InFile(connection))
    before = following(changes, version(connection), draft)
    return _write(connection, draft, before)


def _write(connection: apsw.Connection, draft: GraphDraft, before: int) -> int:
    if draft.is_cleared:
        for table in _TABLES:
            connection.execute(f"DELETE FROM {table}")  # noqa: S608
    for id, node in draft.nodes.items():
        _write_node(connection, id, node)
    for key, periods in draft.relations.items():
        _write_periods(connection, key, periods)
    rows = (change_row(number, fact) for number, fact in enumerate(draft.log, before + 1))
    connection.executemany("INSERT INTO graph_changes VALUES (?, ?, ?, ?, ?)", rows)
    return before + len(draft.log)


def _write_node(connection: apsw.Connection, id: str, node: Node | None) -> None:
    if node is None:
        connection.execute("DELETE FROM graph_nodes WHERE id = ?", (id,))
    else:
        connection.execute("INSERT OR REPLACE INTO graph_nodes VALUES (?, ?, ?, ?)", node_row(node))


def _write_periods(connection: apsw.Connection, key: RelationKey, periods: Periods) -> None:
    connection.execute(f"DELETE FROM graph_relations WHERE {_OF_KEY}", key)  # noqa: S608
    rows = map(relation_row, spans(periods))
    connection.executemany("INSERT INTO graph_relations VALUES (?, ?, ?, ?, ?, ?, ?, ?)", rows)
