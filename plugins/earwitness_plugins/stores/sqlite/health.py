"""The health of the file, for `doctor`."""

from __future__ import annotations

import apsw

from earwitness.records.backends import EmbedderIdentity, Health
from earwitness_plugins.sqlite.migrations import version

from .containers import all_containers
from .fingerprint import stored
from .schema import COMPONENT


def examined(connection: apsw.Connection) -> Health:
    """Check the whole file, which takes about a second for each gigabyte."""
    containers = all_containers(connection)
    found = [str(line) for (line,) in connection.execute("PRAGMA quick_check(5)")]
    made = stored(connection)
    identity = EmbedderIdentity.model_validate_json(made.embedder) if made else None
    details: dict[str, str | int | float | bool] = {
        "sqlite": apsw.sqlite_lib_version(),
        "schema": version(connection, COMPONENT),
        "integrity": "; ".join(found),
        "containers": len(containers),
        "memories": sum(container.live for container in containers),
        "bytes": int(connection.pragma("page_count")) * int(connection.pragma("page_size")),
        "embedder": f"{identity.name} {identity.digest} ({identity.dimension})" if identity else "none yet",
    }
    return Health(ok=found == ["ok"], details=details)
