"""The version of each component's tables in a database, and the migrations that bring them up to date."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Sequence
from typing import TYPE_CHECKING, Any, TypeAlias

from earwitness.errors import SchemaMismatch

if TYPE_CHECKING:
    from psycopg import AsyncConnection

SCHEMA = "earwitness"
"""All tables are in this schema, and all statements name it."""
PostgresMigration: TypeAlias = "str | Callable[[AsyncConnection[Any]], Awaitable[None]]"
"""An SQL script, or what needs more than that."""
_LOCK = "SELECT pg_advisory_xact_lock(hashtext('earwitness.migrations'))"
_BEGINNING = """
CREATE SCHEMA IF NOT EXISTS earwitness;
COMMENT ON SCHEMA earwitness IS 'Earwitness: who remembers what';
CREATE TABLE IF NOT EXISTS earwitness.component (
    name text CONSTRAINT component_pk PRIMARY KEY,
    version integer NOT NULL CONSTRAINT component_version_positive CHECK (version > 0),
    migrated_at timestamptz NOT NULL DEFAULT now()
);
COMMENT ON TABLE earwitness.component IS 'Which migrations have run: one row for the ledger, one for the store, …';
COMMENT ON COLUMN earwitness.component.name IS 'ledger, store, …';
COMMENT ON COLUMN earwitness.component.version IS 'How many of its migrations have run';
COMMENT ON COLUMN earwitness.component.migrated_at IS 'When the last of them ran';
"""


async def up_to_date(
    connection: AsyncConnection[Any], label: str, component: str, migrations: Sequence[PostgresMigration]
) -> bool:
    """Whether the database has run all migrations. Raises `SchemaMismatch` for one of a newer version."""
    found = await version(connection, component)
    if found > len(migrations):
        raise SchemaMismatch(
            f"{label!r} was written by a newer Earwitness: its {component} tables have version {found}, "
            f"this one knows versions up to {len(migrations)}. Update Earwitness; the database was left as it is."
        )
    return found == len(migrations)


async def migrate(
    connection: AsyncConnection[Any], label: str, component: str, migrations: Sequence[PostgresMigration]
) -> None:
    """Run the missing migrations in this transaction, one process at a time."""
    await connection.execute("SET LOCAL statement_timeout = 0")  # another process, or a large table, may take long
    await connection.execute(_LOCK)
    if await up_to_date(connection, label, component, migrations):
        return  # another process has just done it
    await connection.execute(_BEGINNING)
    for migration in migrations[await version(connection, component) :]:
        if callable(migration):
            await migration(connection)
        else:
            await connection.execute(migration.encode())
    await connection.execute(
        "INSERT INTO earwitness.component (name, version) VALUES (%s, %s)"
        " ON CONFLICT (name) DO UPDATE SET version = excluded.version, migrated_at = now()",
        (component, len(migrations)),
    )


async def version(connection: AsyncConnection[Any], component: str) -> int:
    """How many of the component's migrations the database has run."""
    found = await (await connection.execute("SELECT to_regclass('earwitness.component')")).fetchone()
    if found is None or found[0] is None:
        return 0
    asked = "SELECT version FROM earwitness.component WHERE name = %s"
    row = await (await connection.execute(asked, (component,))).fetchone()
    return 0 if row is None else int(row[0])
