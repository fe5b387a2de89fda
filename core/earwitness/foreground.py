"""What hosts wait for just now, to which work in the background gives way."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress

GIVING_WAY = 10
"""Work in the background waits for this many times as long as its last piece took, after as long a pause."""


def _never() -> bool:
    return False


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
                self.look_again()

    def look_again(self) -> None:
        """Wake what is pausing: it may be needed by now."""
        self._over.set()
        self._over = asyncio.Event()

    async def pause(self, seconds: float, needed: Callable[[], bool] = _never, *, among: int = 1) -> None:
        """Pause between two pieces of work in the background, of which the last one took so many seconds.

        There is no pause where the next piece is `needed`, and it ends once it is (see `look_again`). `among` so many
        works of this kind, which must not pile up, each pauses the less.
        """
        if needed():
            return
        await asyncio.sleep(seconds / max(1, among))
        await self.over(GIVING_WAY * seconds / max(1, among), needed)

    async def over(self, at_most: float, needed: Callable[[], bool] = _never) -> None:
        """Wait until none is going on, or the work is `needed`, for at most so many seconds."""
        if not self._number or at_most <= 0:
            return
        with suppress(TimeoutError):
            async with asyncio.timeout(at_most):
                while self._number and not needed():
                    await self._over.wait()
