"""An `async with` block entered by one call and left by another, possibly in different tasks.

A task group must be entered and left in the same task. So the block runs in a task of its own.
"""

from __future__ import annotations

import asyncio
from contextlib import AbstractAsyncContextManager
from typing import Any

from .errors import InputError

OPEN_ALREADY = "this Earwitness is open already. Call close() first, or open another."


class OpenHandle:
    """One block, entered by `start` and left by `close`."""

    def __init__(self, block: AbstractAsyncContextManager[Any]) -> None:
        self._block = block
        self._task: asyncio.Task[None] | None = None
        self._closing = asyncio.Event()

    async def start(self) -> None:
        """Enter the block. Raises whatever entering it raises, and `InputError` when it has been entered already."""
        if self._task is not None:
            raise InputError(OPEN_ALREADY)
        self._closing.clear()
        entered: asyncio.Future[None] = asyncio.get_running_loop().create_future()
        self._task = asyncio.create_task(self._run(entered), name="earwitness")
        try:
            await asyncio.wait({self._task, entered}, return_when=asyncio.FIRST_COMPLETED)
        finally:
            if not entered.done():  # it failed, or the caller has stopped waiting
                await self.close()

    async def close(self) -> None:
        """Leave the block. Raises whatever leaving it raises. Does nothing when it has not been entered."""
        self._closing.set()
        task, self._task = self._task, None
        if task is not None:
            await asyncio.shield(task)

    async def _run(self, entered: asyncio.Future[None]) -> None:
        async with self._block:
            entered.set_result(None)
            await self._closing.wait()
