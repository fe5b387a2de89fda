"""Memories as the ledger decides them now, whatever the store or this process still has of them."""

from __future__ import annotations

from collections.abc import Collection, Iterable

from .containers import world_container
from .memories import memory_of
from .protocols import Ledger
from .records.memory import Memory
from .records.plan import Delivery, grouped


async def decided_memories(ledger: Ledger, session: str, active: Iterable[Delivery]) -> list[Memory]:
    """The memories made by these active deliveries of a session, without knowledge that was retracted since."""
    groups = grouped(active, lambda each: each.memory_id)
    removed = await removed_among(ledger, session, {id for group in groups for each in group for id in each.cites})
    return [memory_of(group, removed) for group in groups]


async def removed_among(ledger: Ledger, session: str, cited: Collection[str]) -> set[str]:
    """The cited world memories that were retracted."""
    if not cited:
        return set()
    found = await ledger.deliveries(session, memory_ids=sorted(cited), container=world_container(session).name)
    return set(cited) - {each.memory_id for each in found if each.is_kept}
