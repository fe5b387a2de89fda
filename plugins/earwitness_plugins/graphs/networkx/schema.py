"""The graph's tables, as the migrations that made them. Add them at the end; never change one that was released."""

from __future__ import annotations

from ...sqlite.migrations import Migration

COMPONENT = "graph"

_FIRST = """
CREATE TABLE graph_nodes (
    id TEXT PRIMARY KEY,
    kind TEXT NOT NULL,
    name TEXT,
    attributes TEXT
) WITHOUT ROWID;

-- One period of a relation. begins and ends are the days on which it counts, with infinities; until is what was said.
CREATE TABLE graph_relations (
    source TEXT NOT NULL,
    target TEXT NOT NULL,
    type TEXT NOT NULL,
    begins REAL NOT NULL,
    ends REAL NOT NULL,
    until REAL,
    weight REAL NOT NULL,
    attributes TEXT,
    PRIMARY KEY (source, target, type, begins)
) WITHOUT ROWID;
CREATE INDEX graph_relations_target ON graph_relations (target, source);

-- What changed, in order: the graph is the sum of it. source is a node's id where the fact is about a node.
CREATE TABLE graph_changes (
    version INTEGER PRIMARY KEY,
    source TEXT NOT NULL,
    target TEXT,
    type TEXT,
    fact TEXT NOT NULL
);
CREATE INDEX graph_changes_source ON graph_changes (source);
CREATE INDEX graph_changes_target ON graph_changes (target) WHERE target IS NOT NULL;
"""

MIGRATIONS: tuple[Migration, ...] = (_FIRST,)
