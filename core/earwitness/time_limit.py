"""A time limit that holds whatever the limited code does with its cancellation, and a name for whatever it raises."""

from __future__ import annotations

import asyncio
import inspect
from collections.abc import Awaitable, Coroutine, Generator
from contextlib import suppress
from types import coroutine
from typing import Any, TypeVar

from .errors import StrategyError, named

T = TypeVar("T")
WorkSteps = Coroutine[Any, Any, Any]
PATIENCE = 0.05
"""Seconds beyond the limit in which cancelled work may end as it should."""
CALLERS_PATIENCE = 0.5
"""The same after a cancellation of the caller's task. The work may have asked for that one, and may take it back."""
GRACE = 1.0
"""Seconds that abandoned work has to clean up, while nobody waits for it. After that it is never resumed."""


class LimitReached(TimeoutError):
    """The work has not answered in time."""

    rest: asyncio.Task[None] | None = None
    """What is left of abandoned work, until it ends or its time is up; `None` if the work ended when cancelled."""


@coroutine
def within(limit: float, work: Awaitable[T]) -> Generator[Any, Any, T]:
    """The answer of awaited work. Raises `LimitReached` after `limit` seconds, and whatever the work raises.

    At the limit, or when the caller is cancelled, the work is cancelled. If it does not end then, it is abandoned: its
    late answer is dropped, and soon it is resumed no more. It runs in the caller's task until then. So a time limit,
    cancel scope or task group of the work's own cancels that task too; the work receives it, and takes it back.
    """
    steps = _awaited(work)
    try:
        awaited = steps.send(None)
    except StopIteration as end:  # it had to wait for nothing
        answer: T = end.value
        return answer
    answer = yield from _LimitedWork(steps, limit).run(awaited)
    return answer


def apart(limit: float, work: Awaitable[T]) -> asyncio.Task[T]:
    """As `within`, in a task of its own, so that work that cancels its task, or exits, takes nobody along.

    What was abandoned may go on cancelling that task, and no other. Work that is cancelled before it begins is closed.
    """
    task = asyncio.ensure_future(_limited(limit, work))
    task.add_done_callback(lambda _: _close_unless_begun(work))
    return task


def _close_unless_begun(work: Awaitable[Any]) -> None:
    if inspect.iscoroutine(work) and inspect.getcoroutinestate(work) == inspect.CORO_CREATED:
        work.close()


async def _limited(limit: float, work: Awaitable[T]) -> T:
    try:
        return await within(limit, work)
    except (SystemExit, GeneratorExit) as error:
        raise StrategyError(named(error)) from error


def contained(error: BaseException) -> Exception:
    """The failure of third-party code, as an `Exception`: itself, or a `StrategyError` that names it.

    Call it in an `except BaseException` clause. Raises the error again if it is nobody's failure: a
    `KeyboardInterrupt`, or the cancellation of the running task.
    """
    if isinstance(error, Exception):
        return error
    if isinstance(error, KeyboardInterrupt | GeneratorExit) or _is_own_cancellation(error):
        raise error
    failure = StrategyError(named(error))
    failure.__cause__ = error
    return failure


def reason(failure: Exception) -> str:
    """What a `contained` failure says: what was raised at first."""
    cause = failure.__cause__
    return named(failure if cause is None or isinstance(cause, Exception) else cause)


def _is_own_cancellation(error: BaseException) -> bool:
    """Whether the running task was cancelled, and did not receive a cancellation that other code raised by itself."""
    if not isinstance(error, asyncio.CancelledError):
        return False
    task = None
    with suppress(RuntimeError):  # no loop is running
        task = asyncio.current_task()
    return task is not None and task.cancelling() > 0


class _LimitedWork:
    """Work that waits for something. It is resumed step by step, so that it can be stopped between two of them."""

    def __init__(self, steps: WorkSteps, limit: float) -> None:
        self._steps = steps
        self._limit = limit
        self._loop = asyncio.get_running_loop()
        self._deadline = self._loop.time() + limit
        self._end = self._deadline
        self._task = asyncio.current_task()
        self._thrown: BaseException | None = None
        """What the work receives with its next step."""
        self._verdict: BaseException | None = None
        """Why the work was cancelled: `LimitReached`, or a cancellation of the caller's task."""
        self._cancellations = 0
        """How many cancellations of that task were pending with the one in the verdict."""

    def run(self, awaited: Any) -> Generator[Any, Any, Any]:
        """Resume the work until it ends; `awaited` is what it waits for now."""
        while (yield from self._wait(awaited)):
            try:
                awaited = self._resume()
                self._forget_taken_back()
            except BaseException as end:
                self._forget_taken_back()
                if self._verdict is not None:
                    raise self._verdict from None
                if isinstance(end, StopIteration):
                    return end.value
                raise
        rest = self._abandon(awaited)
        if isinstance(self._verdict, LimitReached):
            self._verdict.rest = rest
        raise self._verdict or LimitReached

    def _resume(self) -> Any:
        thrown, self._thrown = self._thrown, None
        return self._steps.send(None) if thrown is None else self._steps.throw(thrown)

    def _wait(self, awaited: Any) -> Generator[Any, Any, bool]:
        """Wait until the work can be resumed; `False` if it was cancelled and the time for that is up too."""
        while True:
            message: tuple[Any, ...] = ()
            try:
                done = yield from self._until_done(awaited)
            except asyncio.CancelledError as cancelled:
                if not self._may_go_on(cancelled):
                    return False
                message = cancelled.args[:1]
            except RuntimeError as error:  # asyncio's answer to what cannot be awaited
                self._thrown = error
                return True
            else:
                if done or self._verdict is not None:
                    return done
                self._verdict = LimitReached(f"no answer within {self._limit:g} s")
                self._deadline = self._loop.time() + PATIENCE
            if self._cancelled(awaited, message):
                return True

    def _cancelled(self, awaited: Any, message: tuple[Any, ...]) -> bool:
        """Cancel what the work waits for. Whether the work can receive that at once; waiting gives others time."""
        if awaited is None or not awaited.cancel(*message):
            self._thrown = asyncio.CancelledError(*message)
            return True
        return bool(awaited.done())

    def _may_go_on(self, cancelled: asyncio.CancelledError) -> bool:
        """Keep a cancellation of the caller's task for the verdict. Whether the work has time left to receive it."""
        if self._verdict is None:
            self._verdict, self._deadline = cancelled, self._loop.time() + CALLERS_PATIENCE
            self._cancellations = self._task.cancelling() if self._task else 0
            return True
        return self._cancellations > 0 and self._loop.time() < self._deadline

    def _forget_taken_back(self) -> None:
        """The work had cancelled the task by itself, and has taken that back: it goes on, within its limit."""
        if self._cancellations and self._task and self._task.cancelling() < self._cancellations:
            self._verdict, self._deadline, self._cancellations = None, self._end, 0

    def _until_done(self, awaited: Any) -> Generator[Any, Any, bool]:
        """Wait as the loop would, but not beyond the deadline. Returns whether that was enough."""
        if not _is_future(awaited, self._loop):
            yield awaited
            return self._loop.time() < self._deadline
        awaited._asyncio_future_blocking = False  # noqa: SLF001 - what asyncio's own tasks do
        woken = self._loop.create_future()

        def wake(_: object = None) -> None:
            if not woken.done():
                woken.set_result(None)

        awaited.add_done_callback(wake)
        timer = self._loop.call_at(self._deadline, wake)
        try:
            yield from woken
        finally:
            timer.cancel()
            awaited.remove_done_callback(wake)
        return bool(awaited.done())

    def _abandon(self, awaited: Any) -> asyncio.Task[None]:
        """Leave the rest of the work to a task of its own, for a while."""
        if awaited is not None:
            awaited._asyncio_future_blocking = True  # noqa: SLF001 - as it was when the work yielded it
        rest = _Rest(self._steps, awaited)
        task = self._loop.create_task(rest.run())
        self._loop.call_later(GRACE, rest.stop, task)
        return task


class _Rest:
    """What is left of abandoned work."""

    def __init__(self, steps: WorkSteps, awaited: Any) -> None:
        self._steps = steps
        self._awaited = awaited
        self._is_over = False

    async def run(self) -> None:
        """Resume the work until it ends or is stopped. Its answer and its failure are dropped."""
        with suppress(Exception, GeneratorExit, SystemExit, asyncio.CancelledError):
            await self

    def stop(self, task: asyncio.Task[None]) -> None:
        """Never resume the work again."""
        self._is_over = True
        task.cancel()  # wakes it if it waits

    def __await__(self) -> Generator[Any, Any, None]:
        awaited, thrown = self._awaited, None
        while True:
            try:
                yield awaited
            except BaseException as error:  # noqa: BLE001 - the work receives it with its next step
                thrown = error
            if self._is_over:
                self._steps.close()
                return
            try:
                awaited = self._steps.send(None) if thrown is None else self._steps.throw(thrown)
            except StopIteration:
                return
            thrown = None


def _is_future(awaited: Any, loop: asyncio.AbstractEventLoop) -> bool:
    """Whether the loop can wait for it: not for `None`, which gives way, nor for a future of another loop."""
    return asyncio.isfuture(awaited) and awaited.get_loop() is loop


async def _awaited(work: Awaitable[T]) -> T:
    return await work
