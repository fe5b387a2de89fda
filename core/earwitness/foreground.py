"""What hosts wait for just now, to which work in the background gives way."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator
from contextlib import contextmanager, suppress

GIVING_WAY = 3
"""Work in the background waits for this many times as long as its last piece took, after as long a pause."""


class Foreground:
    """The recalls and decisions that are going on in one open instance."""

    def __init__(self) -> None:
        self._number = 0
        self._over = asyncio.Event()

    @contextmanager
    def going_on(self) -> Iterator[None]:
        """While a recall or a decision is going on."""
        self._number += 1
        try:
            yield
        finally:
            self._number -= 1
            if not self._number:
                self._over.set()
                self._over = asyncio.Event()

    async def pause(self, seconds: float) -> None:
        """Pause between two pieces of work in the background, of which the last one took so many seconds."""
        await asyncio.sleep(seconds)
        await self.over(GIVING_WAY * seconds)

    async def over(self, at_most: float) -> None:
        """Wait until none is going on, for at most so many seconds."""
        if not self._number or at_most <= 0:
            return
        with suppress(TimeoutError):
            async with asyncio.timeout(at_most):
                while self._number:
                    await self._over.wait()
