"""How the graph is doing."""

from __future__ import annotations

from importlib.metadata import version

import apsw

from earwitness.records.backends import Health

from ...sqlite import migrations
from .schema import COMPONENT

_COUNTS = {
    "nodes": "SELECT count(*) FROM graph_nodes",
    "relations": "SELECT count(*) FROM graph_relations",
    "version": "SELECT coalesce(max(version), 0) FROM graph_changes",
}


def examine(connection: apsw.Connection) -> Health:
    """Versions, counts, and SQLite's own check of the file, which reads all of it."""
    integrity = "; ".join(str(line) for (line,) in connection.execute("PRAGMA quick_check(3)"))
    counts = {name: int(connection.execute(question).get) for name, question in _COUNTS.items()}
    details: dict[str, str | int | float | bool] = {
        "networkx_version": version("networkx"),
        "schema_version": migrations.version(connection, COMPONENT),
        **counts,
        "integrity": integrity,
    }
    return Health(ok=integrity == "ok", details=details)
