"""The version of each component's tables in a file, and the migrations that bring them up to date."""

from __future__ import annotations

from collections.abc import Sequence

import apsw

from earwitness.errors import SchemaMismatch


def version(connection: apsw.Connection, component: str) -> int:
    """How many of the component's migrations the file has run."""
    found = connection.execute("SELECT version FROM schema WHERE component = ?", (component,)).get
    return int(found) if found is not None else 0


def up_to_date(path: str, component: str, migrations: Sequence[str], connection: apsw.Connection) -> bool:
    """Whether the file has run all migrations. Raises `SchemaMismatch` for a file of a newer version."""
    found = version(connection, component)
    if found > len(migrations):
        raise SchemaMismatch(
            f"{path!r} was written by a newer Earwitness: its {component} tables have version {found}, "
            f"this one knows versions up to {len(migrations)}. Update Earwitness; the file was left as it is."
        )
    return found == len(migrations)


def migrate(path: str, component: str, migrations: Sequence[str], connection: apsw.Connection) -> None:
    """Run the missing migrations. Another process may have done so meanwhile."""
    if up_to_date(path, component, migrations, connection):
        return
    for script in migrations[version(connection, component) :]:
        connection.execute(script)
    connection.execute(
        "INSERT INTO schema VALUES (?, ?) ON CONFLICT (component) DO UPDATE SET version = excluded.version",
        (component, len(migrations)),
    )
