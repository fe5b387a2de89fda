"""What opening an instance would make or migrate, asked before it is opened."""

from __future__ import annotations

from typing import TYPE_CHECKING

from .extras import PreparedBackend
from .records.backends import Health

if TYPE_CHECKING:
    from .app import Earwitness


async def unprepared(ew: Earwitness) -> dict[str, Health]:
    """What opening would make or migrate of the `ledger` and the `store`, where they can say (`PreparedBackend`).

    For an instance that is not open yet; it changes nothing. Empty if all is prepared. Raises `StorageError`."""
    parts = {"ledger": ew.engine.ledger, "store": ew.engine.store}
    asked = {name: await part.unprepared() for name, part in parts.items() if isinstance(part, PreparedBackend)}
    return {name: found for name, found in asked.items() if found is not None}
