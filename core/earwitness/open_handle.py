"""An `async with` block entered by one call and left by another, possibly in different tasks.

A task group must be entered and left in the same task. So the block runs in a task of its own.
"""

from __future__ import annotations

import asyncio
from contextlib import AbstractAsyncContextManager
from typing import Any

from .errors import InputError
from .home import Home

OPEN_ALREADY = "this Earwitness is open already. Call close() first, or open another."


class OpenHandle:
    """One block, entered by `start` and left by `close`."""

    def __init__(self, block: AbstractAsyncContextManager[Any]) -> None:
        self._block = block
        self._task: asyncio.Task[None] | None = None
        self._home: Home | None = None
        self._closing = asyncio.Event()
        self._error: BaseException | None = None

    async def start(self) -> None:
        """Enter the block. Raises whatever entering it raises, and `InputError` when it has been entered already."""
        if self._task is not None:
            raise InputError(OPEN_ALREADY)
        self._closing = asyncio.Event()  # the last one belongs to the loop of its time
        self._error = None
        self._home = Home.here()
        entered: asyncio.Future[None] = asyncio.get_running_loop().create_future()
        self._task = asyncio.create_task(self._run(entered), name="earwitness")
        try:
            await asyncio.wait({self._task, entered}, return_when=asyncio.FIRST_COMPLETED)
        finally:
            if not entered.done():  # it failed, or the caller has stopped waiting
                await self.close()

    async def close(self, error: BaseException | None = None) -> None:
        """Leave the block, as if this `error` had been raised in it. Does nothing when it has not been entered.

        Raises whatever else leaving it raises, and `NotOpen` on another event loop. A forked child leaves nothing: what
        was opened is its parent's.
        """
        task, home = self._task, self._home
        if task is None or home is None or home.is_parents:
            return
        home.check()
        self._task, self._error = None, error
        self._closing.set()
        try:
            await asyncio.shield(task)
        except BaseException as raised:
            if raised is not error:
                raise

    async def _run(self, entered: asyncio.Future[None]) -> None:
        async with self._block:
            entered.set_result(None)
            await self._closing.wait()
            if self._error is not None:
                raise self._error
