"""How the book is doing, for `doctor`."""

from __future__ import annotations

from time import perf_counter
from typing import TYPE_CHECKING, Any

from earwitness.records.backends import Health

from ...postgres import Connection

if TYPE_CHECKING:
    Details = dict[str, str | int | float | bool]

ROUND_TRIPS = 5
_COUNTS = {
    "sessions": "SELECT count(*) FROM earwitness.session",
    "entries": "SELECT count(*) FROM earwitness.entry",
    "unsettled_entries": "SELECT count(*) FROM earwitness.entry WHERE NOT applied",
    "pending_deliveries": "SELECT count(*) FROM earwitness.delivery WHERE status = 'pending'",
    "claims": "SELECT count(*) FROM earwitness.claim WHERE until > clock_timestamp()",
}
_SERVER = {
    "postgresql": "SELECT current_setting('server_version')",
    "schema": "SELECT version FROM earwitness.component WHERE name = 'ledger'",
    "user": "SELECT current_user",
    "is_standby": "SELECT pg_is_in_recovery()",
    "fsync": "SELECT current_setting('fsync')",
    "bytes": (
        "SELECT sum(pg_total_relation_size(oid))::bigint FROM pg_class"
        " WHERE relnamespace = 'earwitness'::regnamespace AND relkind = 'r'"
    ),
}
_FORBIDDEN = """
SELECT string_agg(lower(privilege) || ' on ' || relname, ', ' ORDER BY relname, privilege)
FROM pg_class, unnest(ARRAY['SELECT', 'INSERT', 'UPDATE', 'DELETE']) AS privilege
WHERE relnamespace = 'earwitness'::regnamespace AND relname = ANY(%s)
    AND NOT has_table_privilege(pg_class.oid, privilege)
"""
TABLES = (
    "session",
    "container",
    "membership",
    "entry",
    "plan",
    "plan_text",
    "delivery",
    "repeated_delivery",
    "message",
    "plugin_data",
    "claim",
)


async def examine(connection: Connection) -> Health:
    """Versions, permissions, counts, and the milliseconds of a round trip."""
    latency = await _milliseconds(connection)
    server = connection.info
    details: Details = {"database": f"{server.dbname} on {server.host}:{server.port}"}
    details |= {name: await _value(connection, question) for name, question in _SERVER.items()}
    missing = await _value(connection, _FORBIDDEN, (list(TABLES),))
    counts = {name: int(await _value(connection, question)) for name, question in _COUNTS.items()}
    details |= {"latency_ms": latency, "missing_permissions": missing or "none", **counts}
    return Health(ok=missing is None and not details["is_standby"], details=details)


async def _value(connection: Connection, question: str, parameters: tuple[object, ...] | None = None) -> Any:
    row = await (await connection.execute(question.encode(), parameters)).fetchone()
    return row[0] if row else None


async def _milliseconds(connection: Connection) -> float:
    """The shortest of several round trips."""
    return round(min([await _one(connection) for _ in range(ROUND_TRIPS)]) * 1000, 2)


async def _one(connection: Connection) -> float:
    began = perf_counter()
    await connection.execute("SELECT 1")
    return perf_counter() - began
