"""What hosts wait for just now, to which work in the background gives way."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Iterator
from contextlib import contextmanager, suppress
from time import monotonic

GIVING_WAY = 20
"""Work in the background waits for this many times as long as its last piece took, after as long a pause."""
QUIET = 0.02
"""Seconds after a recall or decision until work in the background begins: the next one often follows at once."""
MOMENT = 0.002
"""Seconds for which slices of work in the background leave the loop idle while a recall or a decision is going on."""
WAY = 0.1
"""The most seconds for which a decision gives way to recalls that do not wait for it; and those for which one about
thousands is put off before it begins."""


def _never() -> bool:
    return False


class Foreground:
    """The recalls and decisions that are going on in one open instance."""

    def __init__(self) -> None:
        self._number = 0
        self._recalls = 0
        self._awaited = 0
        """How many wait for a decision."""
        self._over = asyncio.Event()
        self._ended = float("-inf")
        """When the last one ended, by the monotonic clock."""
        self._recalled = float("-inf")
        """When the last recall ended that waited for no decision."""

    @contextmanager
    def going_on(self) -> Iterator[None]:
        """While a recall or a decision is going on."""
        self._number += 1
        try:
            yield
        finally:
            self._number -= 1
            if not self._number:
                self._ended = monotonic()
                self.look_again()

    @contextmanager
    def recalling(self) -> Iterator[None]:
        """While a recall is going on that waits for no decision any more."""
        self._recalls += 1
        try:
            with self.going_on():
                yield
        finally:
            self._recalls -= 1
            self._recalled = monotonic()
            self.look_again()

    @contextmanager
    def awaiting(self) -> Iterator[None]:
        """While somebody waits for a decision."""
        self._awaited += 1
        self.look_again()
        try:
            yield
        finally:
            self._awaited -= 1

    async def before_a_crowd(self) -> None:
        """Put off a decision about thousands until the turn that follows its message has begun, and its recall is over:
        side by side, each takes longer. At once, if somebody waits for a decision."""
        began = monotonic()
        while not self._awaited and (left := began + WAY - monotonic()) > 0:
            quiet = WAY if self._recalls else max(began, self._recalled) + QUIET - monotonic()
            if quiet <= 0:
                return
            with suppress(TimeoutError):
                async with asyncio.timeout(min(left, quiet)):
                    await self._over.wait()

    def recalls_first(self, at_most: float = WAY) -> Callable[[], Awaitable[None]]:
        """A function that waits until no recall is going on. All its calls together wait for `at_most` so many seconds:
        whoever recalls all the time must not keep everything else from being decided."""
        left = at_most

        async def over() -> None:
            nonlocal left
            began = monotonic()
            while self._recalls and (rest := left - (monotonic() - began)) > 0:
                with suppress(TimeoutError):
                    async with asyncio.timeout(rest):
                        await self._over.wait()
            left -= monotonic() - began

        return over

    def idle_moments(self, needed: Callable[[], bool] = _never) -> Callable[[], Awaitable[None]]:
        """A function that leaves the loop idle for a moment while a recall or a decision is going on, unless the work
        is `needed`. Otherwise their threads would wait 5 ms for Python's lock after each statement."""

        async def moment() -> None:
            if self._number and not needed():
                await asyncio.sleep(MOMENT)

        return moment

    def look_again(self) -> None:
        """Wake what is pausing: it may be needed by now."""
        self._over.set()
        self._over = asyncio.Event()

    async def pause(self, seconds: float, needed: Callable[[], bool] = _never, *, among: int = 1) -> bool:
        """Pause between two pieces of work in the background, of which the last one took so many seconds.

        There is no pause where the next piece is `needed`, and it ends once it is (see `look_again`). `among` so many
        works of this kind, which must not pile up, each pauses the less. Returns whether nothing is in the way by then.
        """
        if needed():
            return True
        await asyncio.sleep(seconds / max(1, among))
        return await self.over(GIVING_WAY * seconds / max(1, among), needed)

    async def over(self, at_most: float, needed: Callable[[], bool] = _never) -> bool:
        """Wait until none is going on or has just ended, or the work is `needed`; returns `False` if `at_most` so many
        seconds did not suffice."""
        end = monotonic() + at_most
        while not needed() and (left := self._left()) > 0:
            if (rest := end - monotonic()) <= 0:
                return False
            with suppress(TimeoutError):
                async with asyncio.timeout(min(left, rest)):
                    await self._over.wait()
        return True

    def _left(self) -> float:
        """Seconds until it is quiet, as far as can be told; infinite while a recall or a decision is going on."""
        return float("inf") if self._number else self._ended + QUIET - monotonic()
