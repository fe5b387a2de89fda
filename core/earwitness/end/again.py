"""Earlier retractions.

A target that was retracted already is recognised, so that repeating the call changes nothing.
"""

from __future__ import annotations

from collections.abc import Sequence

from ..containers import world_container
from ..engine import Engine
from ..records.journal import Entry, Prepared, Retracted, Transferred
from ..records.plan import Delivery
from .change import brought
from .transfers import brought_by


async def taken_back(engine: Engine, session: str, target: str, told: Entry | None) -> Entry | None:
    """The earlier retraction of a target with no active delivery left.

    `told` is the entry with the target's key, if any.
    """
    copies = await _copies(engine, session, target, told)
    if any(each.is_kept for each in copies):
        return None
    sources = sorted({each.source for each in copies})
    world = world_container(session).name  # the world's copy represents the whole
    kept = await engine.ledger.deliveries(session, sources=sources, container=world) if sources else ()
    names = {target, *sources, *(each.memory_id for each in kept)}
    entries = await engine.ledger.entries(session, after=told.sequence if told else 0)
    return next((each for each in entries if isinstance(each.body, Retracted) and each.body.target in names), None)


async def _copies(engine: Engine, session: str, target: str, told: Entry | None) -> Sequence[Delivery]:
    """The deliveries that a retraction of this target would withdraw first."""
    if told is None:
        return await engine.ledger.deliveries(session, memory_ids=[target])
    if isinstance(told.body, Transferred):
        return await brought_by(engine.ledger, told)
    if not isinstance(told.body, Prepared):
        return await engine.ledger.deliveries(session, sources=[target])
    return await brought(engine.ledger, told, told.body)
