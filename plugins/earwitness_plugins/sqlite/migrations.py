"""The version of each component's tables in a file, and the migrations that bring them up to date."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from contextlib import suppress
from typing import TypeAlias

import apsw

from earwitness.errors import SchemaMismatch

Migration: TypeAlias = str | Callable[[apsw.Connection], bool]
"""An SQL script; or what SQL alone cannot do, which answers whether the file should be compacted afterwards."""


def version(connection: apsw.Connection, component: str) -> int:
    """How many of the component's migrations the file has run."""
    found = connection.execute("SELECT version FROM schema WHERE component = ?", (component,)).get
    return int(found) if found is not None else 0


def up_to_date(path: str, component: str, migrations: Sequence[Migration], connection: apsw.Connection) -> bool:
    """Whether the file has run all migrations. Raises `SchemaMismatch` for a file of a newer version."""
    found = version(connection, component)
    if found > len(migrations):
        raise SchemaMismatch(
            f"{path!r} was written by a newer Earwitness: its {component} tables have version {found}, "
            f"this one knows versions up to {len(migrations)}. Update Earwitness; the file was left as it is."
        )
    return found == len(migrations)


def migrate(path: str, component: str, migrations: Sequence[Migration], connection: apsw.Connection) -> bool:
    """Run the missing migrations, and answer whether the file should be compacted.

    Another process may have done so meanwhile.
    """
    if up_to_date(path, component, migrations, connection):
        return False
    rewritten = [_run(migration, connection) for migration in migrations[version(connection, component) :]]
    connection.execute(
        "INSERT INTO schema VALUES (?, ?) ON CONFLICT (component) DO UPDATE SET version = excluded.version",
        (component, len(migrations)),
    )
    return any(rewritten)


def compact(path: str, busy_timeout: float) -> None:
    """Give back what rewritten rows have left in the file, so that nothing of them can be read there any more.

    It is not a failure when another process or a full disk stands in the way: no row holds it, and the pages are used
    again.
    """
    connection = apsw.Connection(path, flags=apsw.SQLITE_OPEN_READWRITE)
    connection.set_busy_timeout(int(busy_timeout * 1000))
    try:
        with suppress(apsw.Error):
            connection.execute("VACUUM")
            connection.wal_checkpoint(mode=apsw.SQLITE_CHECKPOINT_TRUNCATE)
    finally:
        connection.close()


def _run(migration: Migration, connection: apsw.Connection) -> bool:
    if callable(migration):
        return migration(connection)
    connection.execute(migration)
    return False
