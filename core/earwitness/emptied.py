"""Containers of which the store holds nothing, although the ledger knows that memories were delivered there.

So it is after the settings name another store than before, or after a service was emptied: nobody remembers anything.
"""

from __future__ import annotations

from .engine import Engine
from .errors import EarwitnessError, quoted
from .live import Live


async def why_emptied(engine: Engine, live: Live, container: str, limit: float) -> str | None:
    """What to say of a container of this session in which a recall has found nothing; `None` if that may be right.

    The store is asked until it has once held something, or rightly nothing, within `limit` seconds. One that is two
    says it by itself.
    """
    if engine.local_first or container in live.looked_at:
        return None
    try:
        emptied = await engine.store_work(limit, is_emptied(engine, live.snapshot.id, container))
    except (EarwitnessError, TimeoutError):
        return None  # whoever searches it says that it fails
    if not emptied:
        live.looked_at.add(container)
        return None
    return (
        f"the store holds nothing of {quoted(container)}, although memories were delivered there. Was it emptied, or "
        "is it another store than before? `earwitness doctor` says what to do"
    )


async def is_emptied(engine: Engine, session: str, container: str) -> bool:
    """Whether the store holds nothing of a container to which this session has delivered something."""
    if await engine.store.count(container):
        return False
    return bool(await engine.ledger.deliveries(session, container=container, status="applied", limit=1))


async def delivered_in_vain(engine: Engine, session: str | None, container: str) -> int:
    """How many memories this session has delivered to a container of which the store holds nothing; 0 if it holds some.

    Raises `StorageError`."""
    if session is None or not await is_emptied(engine, session, container):
        return 0
    delivered = await engine.ledger.deliveries(session, container=container, status="applied")
    return len({each.memory_id for each in delivered})
