"""How the book is doing."""

from __future__ import annotations

import apsw

from earwitness.records.backends import Health

from ...sqlite.migrations import version
from .schema import COMPONENT

_COUNTS = {
    "sessions": "SELECT count(*) FROM ledger_sessions",
    "entries": "SELECT count(*) FROM ledger_entries",
    "unsettled_entries": "SELECT count(*) FROM ledger_entries WHERE settled = 0",
    "pending_deliveries": "SELECT (SELECT count(*) FROM ledger_deliveries WHERE status = 'pending')"
    " + (SELECT coalesce(sum(packed), 0) FROM ledger_crowds)",
}


def examine(connection: apsw.Connection) -> Health:
    """Versions, counts, and SQLite's own check of the file, which reads all of it."""
    integrity = "; ".join(str(line) for (line,) in connection.execute("PRAGMA quick_check(3)"))
    details: dict[str, str | int | float | bool] = {
        "sqlite_version": apsw.sqlite_lib_version(),
        "schema_version": version(connection, COMPONENT),
        "bytes": connection.pragma("page_count") * connection.pragma("page_size"),
        "integrity": integrity,
    }
    counts = {name: int(connection.execute(question).get) for name, question in _COUNTS.items()}
    return Health(ok=integrity == "ok", details={**details, **counts})
