"""One program at a time does something with a conversation that takes long: an upload, a consolidation."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Callable
from contextlib import AbstractContextManager, ExitStack, asynccontextmanager
from time import monotonic

from earwitness.errors import StorageLocked

PAUSE = 0.05
"""Seconds between two looks whether another one is done."""


@asynccontextmanager
async def alone(lock: Callable[[], AbstractContextManager[None]], seconds: float) -> AsyncIterator[None]:
    """Hold the lock, in whichever process others want it. Raises `StorageLocked` after so many seconds."""
    until = monotonic() + seconds
    while True:
        with ExitStack() as held:
            try:
                held.enter_context(lock())
            except StorageLocked:
                if monotonic() >= until:
                    raise
            else:
                yield
                return
        await asyncio.sleep(PAUSE)
