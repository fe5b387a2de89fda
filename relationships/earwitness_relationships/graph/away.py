"""A graph or another server that is away is asked again after a pause, not with every message."""

from __future__ import annotations

from collections.abc import Callable
from time import monotonic

from earwitness.errors import StorageError, named

FIRST_PAUSE, LONGEST_PAUSE = 0.5, 60.0
"""Seconds."""


class BackOff:
    """The pause after a failure: half a second at first, twice as long after each further one, a minute at most."""

    def __init__(self, clock: Callable[[], float] = monotonic, what: str = "the graph") -> None:
        """`what` is away, as errors name it."""
        self._clock = clock
        self._what = what
        self._pause = 0.0
        self._until = float("-inf")
        self._why = ""

    def check(self) -> None:
        """Raises `StorageError` while the pause lasts."""
        left = self._until - self._clock()
        if left > 0:
            raise StorageError(f"{self._what} was away, and is asked again in {left:.1f} s: {self._why}")

    def failed(self, error: BaseException) -> None:
        """It has failed, or has not answered in time."""
        self._pause = min(max(FIRST_PAUSE, 2 * self._pause), LONGEST_PAUSE)
        self._until, self._why = self._clock() + self._pause, named(error)

    def answered(self) -> None:
        """It is there."""
        self._pause, self._until = 0.0, float("-inf")
