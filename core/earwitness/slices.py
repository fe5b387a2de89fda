"""Long work on the event loop, in slices, between which other tasks run."""

from __future__ import annotations

import asyncio
import gc
from collections.abc import Awaitable, Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from contextvars import ContextVar
from time import monotonic
from typing import TypeVar

T = TypeVar("T")
Made = TypeVar("Made")
SLICE = 0.0005
"""Seconds that the loop may be held by work that can be divided."""
MANY = 256
"""A step that looks at more than so many may take a slice or longer."""
_PIECE = 32
"""Of what is quickly made, so many are made before anybody looks at the clock."""
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


async def in_pieces(items: Sequence[T], make: Callable[[Sequence[T]], Iterable[Made]]) -> list[Made]:
    """What `make` makes of the items, a few at a time, where making each takes a microsecond."""
    found: list[Made] = []
    end = monotonic() + SLICE
    with uncollected():
        for begin in range(0, len(items), _PIECE):
            found += make(items[begin : begin + _PIECE])
            if monotonic() > end:
                await _rest()
                end = monotonic() + SLICE
    return found


@contextmanager
def uncollected() -> Iterator[None]:
    """While thousands of records are made that stay: Python's garbage collector would look for garbage among everything
    in memory again and again, in vain, and hold the loop for 70 ms or more each time."""
    if not gc.isenabled():  # by the host, or by another task that ends it
        yield
        return
    gc.disable()
    try:
        yield
    finally:
        gc.enable()
