"""What the store elsewhere lacks of what the one here holds, as after it was emptied. For `doctor`."""

from __future__ import annotations

import asyncio
from collections.abc import Iterable
from typing import TYPE_CHECKING

from earwitness.errors import StorageError
from earwitness.extras import LocalFirstStore
from earwitness.records.prose import counted

if TYPE_CHECKING:
    from earwitness import Earwitness

AT_ONCE = 8
MOST = 400
"""Containers that are compared at most."""
ADVICE = (
    "was it emptied, or does its key belong to another account? Bring back what it lacks with `earwitness migrate HERE "
    "THERE`: settings with the fallback as the store, and with the primary as the store"
)


async def lacking(ew: Earwitness) -> dict[str, str]:
    """Container → how much of it the store elsewhere has, where that is less than here although nothing waits for it.

    Empty for a store that is not two. Raises `StorageError` if one of them does not answer.
    """
    both = ew.engine.local_first
    if both is None:
        return {}
    waiting = {each.container for each in await ew.spool.waiting()}
    names = [each for each in await _containers(ew) if each not in waiting][:MOST]
    begins = range(0, len(names), AT_ONCE)
    counts = [each for begin in begins for each in await _counts(both, names[begin : begin + AT_ONCE])]
    short = {
        name: f"{there:,} of {counted(here, 'memory', 'memories')}" for name, here, there in counts if there < here
    }
    return {**short, "advice": ADVICE} if short else {}


async def _containers(ew: Earwitness) -> list[str]:
    sessions = (None, *await ew.sessions())
    return [each.name for session in sessions for each in await ew.containers(session=session)]


async def _counts(both: LocalFirstStore, names: Iterable[str]) -> list[tuple[str, int, int]]:
    """Containers with their numbers of memories here and there."""

    async def of(name: str) -> tuple[str, int, int]:
        here = await both.local.count(name)
        return name, here, await both.elsewhere.count(name) if here else 0

    found = await asyncio.gather(*(of(name) for name in names), return_exceptions=True)
    for each in found:
        if isinstance(each, BaseException):
            raise each if isinstance(each, StorageError) else StorageError(str(each)) from each
    return [each for each in found if not isinstance(each, BaseException)]
