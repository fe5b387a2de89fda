"""The health of the database, for `doctor`."""

from __future__ import annotations

from time import perf_counter

from earwitness.records.backends import EmbedderIdentity, Health
from earwitness_plugins.postgres import Connection

from . import fingerprint

OLDEST_PGVECTOR = (0, 8)
"""The first version whose index goes on until it has enough of one container."""
_ASKED = b"""
SELECT current_setting('server_version'), (SELECT extversion FROM pg_extension WHERE extname = 'vector'),
    (SELECT version FROM earwitness.component WHERE name = 'store'), current_user,
    (SELECT count(*) FROM earwitness.memory_container WHERE memories > 0),
    (SELECT coalesce(sum(memories), 0)::bigint FROM earwitness.memory_container),
    pg_database_size(current_database()),
    (SELECT bool_and(has_table_privilege(name, privilege))
        FROM unnest(ARRAY['earwitness.memory', 'earwitness.memory_word', 'earwitness.memory_container']) AS name,
            unnest(ARRAY['SELECT', 'INSERT', 'UPDATE', 'DELETE']) AS privilege),
    row_security_active('earwitness.memory'), pg_is_in_recovery()
"""


async def examined(connection: Connection) -> Health:
    """Versions, permissions, counts, sizes and latency."""
    begun = perf_counter()
    await connection.execute(b"SELECT 1")
    latency = perf_counter() - begun
    found = await (await connection.execute(_ASKED)).fetchone()
    assert found is not None  # noqa: S101 - one row, always
    server, pgvector, schema, user, containers, memories, size, may_write, walled, standby = found
    problems = {
        f"pgvector {pgvector} is too old: update it to 0.8, and run ALTER EXTENSION vector UPDATE": _is_old(pgvector),
        f"the user {user!r} may not write the tables: use their owner, or grant it": not may_write,
        f"the user {user!r} sees only what row-level security lets it see: use the owner of the tables": walled,
        "the server is a standby, which cannot be written to: name the primary": standby,
    }
    made = await fingerprint.stored(connection)
    identity = EmbedderIdentity.model_validate_json(made.embedder) if made else None
    details: dict[str, str | int | float | bool] = {
        "postgresql": server,
        "pgvector": str(pgvector),
        "schema": schema,
        "user": user,
        "latency_ms": round(1000 * latency, 2),
        "containers": containers,
        "memories": memories,
        "bytes": size,
        "embedder": f"{identity.name} {identity.digest} ({identity.dimension})" if identity else "none yet",
    }
    found_problems = [problem for problem, holds in problems.items() if holds]
    return Health(
        ok=not found_problems, details=details | ({"problem": "; ".join(found_problems)} if found_problems else {})
    )


def _is_old(pgvector: str | None) -> bool:
    if pgvector is None:
        return True
    numbers = [int(part) for part in pgvector.split(".")[:2] if part.isdigit()]
    return tuple(numbers) < OLDEST_PGVECTOR
