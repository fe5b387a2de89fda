"""A job: work that a coroutine hands to a thread, and its answer. One hop each way, no polling."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Iterable
from contextlib import suppress
from typing import Any, Generic, TypeVar

import apsw

T = TypeVar("T")
Transaction = Callable[[apsw.Connection], T]


class Job(Generic[T]):
    """One transaction: submitted on an event loop, run on a thread, answered on the loop it came from."""

    __slots__ = ("durable", "error", "loop", "operation", "result", "waiting")

    def __init__(self, operation: Transaction[T], *, durable: bool = False) -> None:
        self.operation = operation
        self.durable = durable
        self.loop = asyncio.get_running_loop()
        self.waiting: asyncio.Future[T] = self.loop.create_future()
        self.result: T | None = None
        self.error: BaseException | None = None

    def run(self, connection: apsw.Connection) -> None:
        """Run it, and keep the result or the error."""
        try:
            self.result = self.operation(connection)
        except BaseException as error:  # noqa: BLE001 - the caller gets it, whatever it is; the thread goes on
            self.error = error

    def answer(self) -> None:
        """Wake the caller, on its own loop only. A caller that was cancelled meanwhile gets nothing."""
        if self.waiting.done():
            return
        if self.error is not None:
            self.waiting.set_exception(self.error)
        else:
            self.waiting.set_result(self.result)  # type: ignore[arg-type]


def answer_all(jobs: Iterable[Job[Any]]) -> None:
    """Wake all callers, with one call for each loop."""
    by_loop: dict[asyncio.AbstractEventLoop, list[Job[Any]]] = {}
    for job in jobs:
        by_loop.setdefault(job.loop, []).append(job)
    for loop, its_jobs in by_loop.items():
        with suppress(RuntimeError):  # the loop was closed, so nobody waits
            loop.call_soon_threadsafe(_answer_each, its_jobs)


def _answer_each(jobs: list[Job[Any]]) -> None:
    for job in jobs:
        job.answer()
