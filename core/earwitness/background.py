"""The background tasks of an open instance. None of them outlives it."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Coroutine
from types import TracebackType
from typing import Any, Self

from .errors import NotOpen
from .home import Home

CLOSING = "this Earwitness is closing: nothing new can begin."


class Background:
    """A task group that raises a clear error when it is not open, and lets the host's own errors through unwrapped."""

    def __init__(self) -> None:
        self._group: asyncio.TaskGroup | None = None
        self._home: Home | None = None
        self._callbacks: list[Callable[[], object]] = []
        self._cancelled: set[asyncio.Task[None]] = set()
        """The tasks that closing cancels."""
        self.closing = False
        """Whether closing has begun: a task that is retrying then tries once more, and gives up."""

    async def __aenter__(self) -> Self:
        self.closing = False
        self._home = Home.here()
        self._group = await asyncio.TaskGroup().__aenter__()
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, traceback: TracebackType | None
    ) -> None:
        group = self._opened()
        self.closing = True
        for callback in self._callbacks:
            callback()
        for task in list(self._cancelled):
            task.cancel()
        try:
            await group.__aexit__(kind, error, traceback)
        except BaseExceptionGroup:
            if error is None:  # otherwise it only wraps the host's error, which propagates by itself
                raise
        finally:
            self._group = None

    def start(
        self, work: Callable[[], Coroutine[Any, Any, None]], name: str, *, cancelled_on_close: bool = False
    ) -> asyncio.Task[None]:
        """Start a task. It is awaited on closing, or cancelled. Raises `NotOpen`."""
        group = self._opened()
        if self.closing and cancelled_on_close:
            raise NotOpen(CLOSING)
        coroutine = work()
        try:
            task = group.create_task(coroutine, name=name)
        except RuntimeError as error:  # the group is closing
            coroutine.close()
            raise NotOpen(CLOSING) from error
        if cancelled_on_close:
            self._cancelled.add(task)
            task.add_done_callback(self._cancelled.discard)
        return task

    def on_close(self, callback: Callable[[], object]) -> None:
        """Register a callback that runs when closing begins, before the tasks are awaited."""
        self._callbacks.append(callback)

    def check(self) -> None:
        """Raises `NotOpen` before opening, after closing, in a forked process, and on another event loop."""
        self._opened()

    @property
    def is_open(self) -> bool:
        """Whether it is open, wherever that is."""
        return self._group is not None

    @property
    def is_parents(self) -> bool:
        """Whether it was opened by the process that this one was forked from."""
        return self._home is not None and self._home.is_parents

    def _opened(self) -> asyncio.TaskGroup:
        if self._group is None or self._home is None:
            raise NotOpen(
                "this Earwitness is not open. Use it and its sessions in `async with Earwitness.open(…)`, or between "
                "`await ew.start()` and `await ew.close()`."
            )
        self._home.check()
        return self._group
