"""The versions of stored and exported records that can be read, and the way from each to today's.

A ledger runs an upgrade once over all it holds, as a migration; an import runs those it needs over each line.
"""

from __future__ import annotations

from typing import Any

from .from_3 import FROM_3
from .upgrade import StoredKind, Upgrade, upgraded_once

OLDEST = 3
"""The oldest version that can be read."""
UPGRADES: tuple[Upgrade, ...] = (FROM_3,)
"""In order: the first makes version `OLDEST + 1`. Add one at the end; never change one that was released."""
VERSION = OLDEST + len(UPGRADES)
"""Of what is written today."""


def upgraded(kind: StoredKind, record: Any, version: int) -> Any:
    """A record of a version, with the records inside it, in today's shape. Raises as `upgraded_once`."""
    for upgrade in UPGRADES[version - OLDEST :]:
        record = upgraded_once(kind, record, upgrade)
    return record
