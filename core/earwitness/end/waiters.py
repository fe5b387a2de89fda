"""Who waits for memories of one session, and for whose."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator
from contextlib import contextmanager

from ..foreground import Foreground


class Waiters:
    """Those who wait until memories are written. What they wait for is written next, without pauses."""

    def __init__(self, foreground: Foreground) -> None:
        self.wanted: list[str] = []
        """Containers whose owners wait for their own memories."""
        self.for_all = 0
        """How many wait for everybody's memories."""
        self._foreground = foreground
        self._progress = asyncio.Event()

    @contextmanager
    def waiting_for_all(self) -> Iterator[None]:
        """While somebody waits for everybody's memories."""
        self.for_all += 1
        self._foreground.look_again()
        try:
            yield
        finally:
            self.for_all -= 1

    @contextmanager
    def waiting_for(self, container: str) -> Iterator[None]:
        """While the owner of a container waits for their own memories."""
        self.wanted.append(container)
        self._foreground.look_again()
        try:
            yield
        finally:
            self.wanted.remove(container)

    def notify(self) -> None:
        """Wake everybody who waits: something was written, or an attempt has failed."""
        self._progress.set()
        self._progress = asyncio.Event()

    async def progress(self) -> None:
        """Wait until the next `notify`."""
        await self._progress.wait()
