"""The versions of stored and exported records that can be read, and the upgrades between them.

A ledger runs an upgrade once over all its records, as a migration. An import runs the upgrades it needs on each line.
"""

from __future__ import annotations

from typing import Any

from .from_3 import FROM_3
from .from_4 import FROM_4
from .upgrade import StoredKind, Upgrade, upgraded_once

OLDEST = 3
"""The oldest version that can be read."""
UPGRADES: tuple[Upgrade, ...] = (FROM_3, FROM_4)
"""The upgrades in order. The first one makes version `OLDEST + 1`. Append new ones; never change a released one."""
VERSION = OLDEST + len(UPGRADES)
"""The version that is written."""


def upgraded(kind: StoredKind, record: Any, version: int) -> Any:
    """Upgrade a record, and the records inside it, to the current version. Raises as `upgraded_once`."""
    for upgrade in UPGRADES[version - OLDEST :]:
        record = upgraded_once(kind, record, upgrade)
    return record
