"""Whether a database has the tables of a component, without making them: for `doctor`."""

from __future__ import annotations

from collections.abc import Sequence

from earwitness.records.backends import Health

from .database import Connection, PostgresDatabase
from .migrations import PostgresMigration, up_to_date, version

_ASKED = b"""
SELECT current_user, current_setting('server_version'),
    CASE WHEN to_regnamespace('earwitness') IS NULL THEN has_database_privilege(current_database(), 'CREATE')
        ELSE has_schema_privilege('earwitness', 'CREATE') END,
    EXISTS (SELECT FROM pg_extension WHERE extname = 'vector'), pg_is_in_recovery()
"""


async def unprepared(
    database: PostgresDatabase, component: str, migrations: Sequence[PostgresMigration], *, needs_vector: bool = False
) -> Health | None:
    """What opening the component would make or migrate, and whether it can; `None` if its tables are up to date.

    On a connection of its own, which changes nothing. Raises `StorageError`, `SchemaMismatch`."""
    async with database.connected() as connection:
        if await up_to_date(connection, database.label, component, migrations):
            return None
        found = await version(connection, component)
        user, server, may_create, has_vector, standby = await _asked(connection)
    problems = {
        f"the user {user!r} may not make tables there: use the owner of the database, or grant it": not may_create,
        "pgvector is not there: run CREATE EXTENSION vector in it, as a superuser": needs_vector and not has_vector,
        "the server is a standby, which cannot be written to: name the primary": standby,
    }
    wrong = [problem for problem, holds in problems.items() if holds]
    details: dict[str, str | int | float | bool] = {
        "database": database.label,
        "postgresql": server,
        "user": user,
        "note": _note(component, found, len(migrations)),
    }
    return Health(ok=not wrong, details=details | ({"problem": "; ".join(wrong)} if wrong else {}))


def _note(component: str, found: int, known: int) -> str:
    if not found:
        return f"no tables of the {component} are there yet: the first story makes them"
    return (
        f"the tables of the {component} have version {found}: the next process that opens a story migrates them to "
        f"{known}, and older ones refuse them then"
    )


async def _asked(connection: Connection) -> tuple[str, str, bool, bool, bool]:
    row = await (await connection.execute(_ASKED)).fetchone()
    assert row is not None  # noqa: S101 - one row, always
    user, server, may_create, has_vector, standby = row
    return user, server, may_create, has_vector, standby
