"""Where the CPU time goes: cProfile over every thread, as a short table.

From Python 3.12 on a process has one profiler, which tells the threads apart no longer.
"""

from __future__ import annotations

import cProfile
import pstats
import sys
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from .report import Table

ONE_EACH = sys.version_info < (3, 12)
"""Whether every thread may have a profiler of its own."""


class Profile:
    """What ran while it was looking, in the threads that were started meanwhile too."""

    def __init__(self) -> None:
        self._profiles: list[cProfile.Profile] = []

    @contextmanager
    def looking(self) -> Iterator[None]:
        """Look at everything that runs in the block."""
        if ONE_EACH:
            threading.setprofile(self._begin_thread)
        main = self._new()
        main.enable()
        try:
            yield
        finally:
            main.disable()
            threading.setprofile(None)

    def clear(self) -> None:
        """Forget what was seen so far."""
        for profile in self._profiles:
            profile.clear()

    def table(self, operations: int, *, lines: int = 30) -> Table:
        """The functions that took longest by themselves, in microseconds for one operation."""
        stats = pstats.Stats()
        for profile in self._profiles:
            profile.create_stats()
            if profile.stats:  # type: ignore[attr-defined]
                stats.add(profile)
        rows = sorted(stats.stats.items(), key=lambda item: -item[1][2])[:lines]  # type: ignore[attr-defined]
        return Table(
            f"Where the CPU time goes, by {operations} operations (under the profiler everything is slower)",
            ["function", "calls", "own µs", "with calls µs"],
            [
                [_name(*place), calls / operations, 1e6 * own / operations, 1e6 * together / operations]
                for place, (_, calls, own, together, _) in rows
            ],
        )

    def _new(self) -> cProfile.Profile:
        profile = cProfile.Profile(time.thread_time)  # a thread that waits for another one costs nothing
        self._profiles.append(profile)
        return profile

    def _begin_thread(self, *_: Any) -> None:
        """Called with a new thread's first event: from here on the thread has a profile of its own."""
        self._new().enable()


def _name(file: str, line: int, function: str) -> str:
    if file == "~":
        return function
    return f"{'/'.join(Path(file).parts[-2:])}:{line} {function}"
