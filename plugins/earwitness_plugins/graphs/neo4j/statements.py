"""All Cypher there is. Whatever people write, names of types included, is a parameter, never part of a statement.

Each node has a `key`: the graph's name and the node's id. Each change has one, too: the graph's name and its number.
All relations have one type in Neo4j; what they are called is the property `type`.
"""

from __future__ import annotations

from typing import LiteralString

from earwitness_relationships.graph.records import Direction

SCHEMA: tuple[LiteralString, ...] = (
    "CREATE CONSTRAINT earwitness_graph_name IF NOT EXISTS FOR (g:EarwitnessGraph) REQUIRE g.name IS UNIQUE",
    "CREATE CONSTRAINT earwitness_node_key IF NOT EXISTS FOR (n:EarwitnessNode) REQUIRE n.key IS UNIQUE",
    "CREATE CONSTRAINT earwitness_change_key IF NOT EXISTS FOR (c:EarwitnessChange) REQUIRE c.key IS UNIQUE",
    "CREATE INDEX earwitness_node_graph IF NOT EXISTS FOR (n:EarwitnessNode) ON (n.graph)",
    "CREATE INDEX earwitness_change_source IF NOT EXISTS FOR (c:EarwitnessChange) ON (c.source)",
    "CREATE INDEX earwitness_change_target IF NOT EXISTS FOR (c:EarwitnessChange) ON (c.target)",
)

_NODE: LiteralString = "RETURN n.id AS id, n.kind AS kind, n.name AS name, n.attributes AS attributes"
_RELATION: LiteralString = (
    "RETURN a.id AS source, b.id AS target, r.type AS type, r.weight AS weight, r.begins AS begins, r.until AS until,"
    " r.attributes AS attributes"
)
_OUT_OF: LiteralString = (
    "UNWIND $keys AS key MATCH (a:EarwitnessNode {key: key})-[r:EARWITNESS_RELATION]->(b:EarwitnessNode)"
)
_INTO: LiteralString = (
    "UNWIND $keys AS key MATCH (b:EarwitnessNode {key: key})<-[r:EARWITNESS_RELATION]-(a:EarwitnessNode)"
)
_TAKEN: LiteralString = (
    "WHERE r.begins <= $day AND r.ends >= $day AND r.weight >= $weight AND ($types IS NULL OR r.type IN $types)"
)

# ── what is asked ───────────────────────────────────────────────────────────────────────────────────────────────────

VERSION: LiteralString = "MATCH (g:EarwitnessGraph {name: $graph}) RETURN g.version AS version"
ALL_NODES: LiteralString = f"MATCH (n:EarwitnessNode {{graph: $graph}}) WHERE $kind IS NULL OR n.kind = $kind {_NODE}"
NODES: LiteralString = (
    f"UNWIND $keys AS key MATCH (n:EarwitnessNode {{key: key}}) WHERE $kind IS NULL OR n.kind = $kind {_NODE}"
)
ALL_RELATIONS: LiteralString = (
    f"MATCH (a:EarwitnessNode {{graph: $graph}})-[r:EARWITNESS_RELATION]->(b:EarwitnessNode) {_TAKEN} {_RELATION}"
)
RELATIONS: dict[Direction, tuple[LiteralString, ...]] = {
    "out": (f"{_OUT_OF} {_TAKEN} {_RELATION}",),
    "in": (f"{_INTO} {_TAKEN} {_RELATION}",),
    "both": (f"{_OUT_OF} {_TAKEN} {_RELATION}", f"{_INTO} {_TAKEN} {_RELATION}"),
}
CHANGES: LiteralString = (
    "MATCH (c:EarwitnessChange) WHERE c.key > $after AND c.key < $end"
    " RETURN c.version AS version, c.fact AS fact ORDER BY c.key"
)
FIRST_CHANGES: LiteralString = f"{CHANGES} LIMIT $limit"
HISTORY: tuple[LiteralString, ...] = (
    "MATCH (c:EarwitnessChange {source: $key}) RETURN c.version AS version, c.fact AS fact",
    "MATCH (c:EarwitnessChange {target: $key}) RETURN c.version AS version, c.fact AS fact",
)
COUNTS: LiteralString = (
    "MATCH (n:EarwitnessNode {graph: $graph}) OPTIONAL MATCH (n)-[r:EARWITNESS_RELATION]->()"
    " RETURN count(DISTINCT n) AS nodes, count(r) AS relations"
)

# ── what is known before a write ────────────────────────────────────────────────────────────────────────────────────

LOCK: LiteralString = (
    "MERGE (g:EarwitnessGraph {name: $graph}) ON CREATE SET g.version = 0"
    " SET g.writes = coalesce(g.writes, 0) + 1 RETURN g.version AS version"
)
"""The first to write this makes the others wait, so that they read what it has written."""
PERIODS: LiteralString = (
    "UNWIND $rows AS row MATCH (a:EarwitnessNode {key: row.source})-[r:EARWITNESS_RELATION]->"
    f"(b:EarwitnessNode {{key: row.target}}) WHERE r.type = row.type {_RELATION}"
)
TOUCHING: tuple[LiteralString, ...] = (
    f"{_OUT_OF} {_RELATION}",
    f"{_INTO} {_RELATION}",
)

# ── what is written ─────────────────────────────────────────────────────────────────────────────────────────────────

CLEAR: tuple[LiteralString, ...] = (
    "MATCH (n:EarwitnessNode {graph: $graph}) DETACH DELETE n",
    "MATCH (c:EarwitnessChange) WHERE c.key > $after AND c.key < $end DELETE c",
)
WRITE_NODES: LiteralString = (
    "UNWIND $rows AS row MERGE (n:EarwitnessNode {key: row.key})"
    " SET n.graph = $graph, n.id = row.id, n.kind = row.kind, n.name = row.name, n.attributes = row.attributes"
)
REMOVE_NODES: LiteralString = "UNWIND $rows AS key MATCH (n:EarwitnessNode {key: key}) DETACH DELETE n"
REMOVE_PERIODS: LiteralString = (
    "UNWIND $rows AS row MATCH (a:EarwitnessNode {key: row.source})-[r:EARWITNESS_RELATION]->"
    "(b:EarwitnessNode {key: row.target}) WHERE r.type = row.type DELETE r"
)
WRITE_PERIODS: LiteralString = (
    "UNWIND $rows AS row MATCH (a:EarwitnessNode {key: row.source}) MATCH (b:EarwitnessNode {key: row.target})"
    " CREATE (a)-[:EARWITNESS_RELATION {type: row.type, weight: row.weight, begins: row.begins, ends: row.ends,"
    " until: row.until, attributes: row.attributes}]->(b)"
)
WRITE_CHANGES: LiteralString = (
    "UNWIND $rows AS row CREATE (:EarwitnessChange {key: row.key, version: row.version, source: row.source,"
    " target: row.target, fact: row.fact})"
)
SET_VERSION: LiteralString = "MATCH (g:EarwitnessGraph {name: $graph}) SET g.version = $version"
