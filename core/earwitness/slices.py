"""Long work on the event loop, in slices, between which other tasks run."""

from __future__ import annotations

import asyncio
import gc
from collections.abc import Awaitable, Callable, Coroutine, Iterable, Iterator, Sequence
from contextlib import contextmanager, suppress
from contextvars import ContextVar
from functools import partial
from threading import Lock
from time import monotonic
from typing import Any, TypeVar

T = TypeVar("T")
U = TypeVar("U")
SLICE = 0.0005
"""Seconds that the loop may be held by work that can be divided."""
MANY = 256
"""A step that looks at more than so many may take a slice or longer."""
PIECE = 32
"""Of what is quickly made, so many are made before anybody looks at the clock."""
_AFTERWARDS = 0.1
"""Seconds for which the garbage collector rests once work that looked at many is over, …"""
_LONGEST = 1.0
"""… and the most seconds for which it rests in all."""
_first: ContextVar[Callable[[], Awaitable[None]] | None] = ContextVar("first", default=None)


@contextmanager
def giving_way(first: Callable[[], Awaitable[None]]) -> Iterator[None]:
    """While work in slices waits, after each slice, for what comes `first`."""
    token = _first.set(first)
    try:
        yield
    finally:
        _first.reset(token)


async def _rest() -> None:
    """Let other tasks run after a slice, and what comes first to its end."""
    await asyncio.sleep(0)
    if (first := _first.get()) is not None:
        await first()


class Pace:
    """Gives way to other tasks as soon as a slice is over."""

    def __init__(self) -> None:
        self._end = monotonic() + SLICE

    async def kept(self) -> None:
        """Call it after each piece of work."""
        if monotonic() > self._end:
            await _rest()
            self._end = monotonic() + SLICE


async def between_steps(size: int) -> None:
    """Let other tasks run between two steps of work that both look at so many, if these are many."""
    if size > MANY:
        await _rest()


async def in_slices(items: Iterable[T]) -> list[T]:
    """The items as a list, where making each takes a little time."""
    found: list[T] = []
    end = monotonic() + SLICE
    with uncollected():
        for each in items:
            found.append(each)
            if monotonic() > end:
                await _rest()
                end = monotonic() + SLICE
    return found


async def in_pieces(items: Sequence[T], make: Callable[[Sequence[T]], Iterable[U]]) -> list[U]:
    """What `make` makes of the items, a few at a time, where making each takes a microsecond."""
    if len(items) <= PIECE:
        return [*make(items)]
    found: list[U] = []
    end = monotonic() + SLICE
    with uncollected():
        for begin in range(0, len(items), PIECE):
            found += make(items[begin : begin + PIECE])
            if monotonic() > end:
                await _rest()
                end = monotonic() + SLICE
    return found


class _Collector:
    """Python's garbage collector, which rests while anybody wants it to, unless the host has stopped it."""

    def __init__(self) -> None:
        self._lock = Lock()
        self._wanting = 0
        self._is_ours = False

    def rest(self) -> None:
        """Rest until `go_on` was called as often."""
        with self._lock:
            if not self._wanting:
                self._is_ours = gc.isenabled()
                if self._is_ours:
                    gc.disable()
            self._wanting += 1

    def go_on(self) -> None:
        """See `rest`."""
        with self._lock:
            self._wanting -= 1
            if self._is_ours and not self._wanting:
                gc.enable()


_collector = _Collector()


@contextmanager
def uncollected() -> Iterator[None]:
    """While thousands of records are made that stay: Python's garbage collector would look for garbage among everything
    in memory again and again, in vain, and hold the loop for 70 ms or more each time."""
    _collector.rest()
    try:
        yield
    finally:
        _collector.go_on()


@contextmanager
def collected_later(size: int, start: Callable[[Callable[[], Coroutine[Any, Any, None]]], object]) -> Iterator[None]:
    """While work that looks at so many goes on, and a moment after, the garbage collector rests if these are many, for
    a second at most: whoever waits for that work need not wait for the collector. `start` starts a task."""
    if size <= MANY:
        yield
        return
    over = asyncio.Event()
    start(partial(_uncollected_until, over))
    try:
        yield
    finally:
        over.set()


async def _uncollected_until(over: asyncio.Event) -> None:
    with uncollected(), suppress(TimeoutError):
        async with asyncio.timeout(_LONGEST):
            await over.wait()
            await asyncio.sleep(_AFTERWARDS)
