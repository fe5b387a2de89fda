"""Long work on the event loop, in slices, between which other tasks run."""

from __future__ import annotations

import asyncio
from collections.abc import Iterable
from time import monotonic
from typing import TypeVar

T = TypeVar("T")
SLICE = 0.0005
"""Seconds that the loop may be held by work that can be divided."""
MANY = 256
"""A step that looks at more than so many may take a slice or longer."""


class Pace:
    """Gives way to other tasks as soon as a slice is over."""

    def __init__(self) -> None:
        self._end = monotonic() + SLICE

    async def kept(self) -> None:
        """Call it after each piece of work."""
        if monotonic() > self._end:
            await asyncio.sleep(0)
            self._end = monotonic() + SLICE


async def between_steps(size: int) -> None:
    """Let other tasks run between two steps of work that both look at so many, if these are many."""
    if size > MANY:
        await asyncio.sleep(0)


async def in_slices(items: Iterable[T]) -> list[T]:
    """The items as a list, where making each takes a little time."""
    found: list[T] = []
    end = monotonic() + SLICE
    for each in items:
        found.append(each)
        if monotonic() > end:
            await asyncio.sleep(0)
            end = monotonic() + SLICE
    return found
