"""A circuit breaker: a service that has failed several times in a row is left alone for a while (Nygard 2007, *Release
It!*), so that nobody waits for it."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from time import monotonic
from typing import TypeVar

from earwitness.errors import InputError, PartialWrite, StorageError, named
from earwitness.time_limit import LimitReached, apart, contained

T = TypeVar("T")


class LeftAlone(StorageError):
    """The service was not asked: it is left alone for a while. That is no further failure of it."""


class CircuitBreaker:
    """Counts failures. After `failures` in a row it is open for `pause` seconds, each time twice as long as before.

    Then one call may try; the others are kept away until that has been answered. Calls that were under way when it
    opened say nothing new by failing.
    """

    def __init__(
        self, *, failures: int, pause: float, longest: float = 15.0, clock: Callable[[], float] = monotonic
    ) -> None:
        self.failure: str | None = None
        """Why the last `call` failed; `None` once one has succeeded."""
        self.period = 0
        """Grows whenever it opens, and with each call that tries. A call notes it when it begins."""
        self._limit, self._first_pause, self._clock = failures, pause, clock
        self._longest = max(pause, longest)
        self._failures = 0
        self._pause = pause
        self._until = 0.0
        self._is_probed = False
        """Whether one call tries, after a pause."""

    @property
    def left(self) -> float:
        """Seconds for which the service is still left alone; 0 = it may be asked."""
        return max(0.0, self._until - self._clock())

    @property
    def is_probed(self) -> bool:
        """Whether one call tries just now, after a pause."""
        return self._is_probed and self.left > 0

    def may_ask(self) -> bool:
        """Whether a call may be made now. One that may after a pause keeps the others away meanwhile."""
        if self.left:
            return False
        if self._failures >= self._limit:
            self._begin_period(is_probed=True)
        return True

    def succeeded(self) -> None:
        """The service has answered."""
        self._failures, self._pause, self._until, self.failure = 0, self._first_pause, 0.0, None
        self._is_probed = False

    def failed(self, why: str | None = None, *, period: int | None = None, is_enough: bool = False) -> None:
        """The service has not answered, or not in time. `period` is the one in which the call began; `None` = now.

        `is_enough`: this failure alone opens it, as when somebody has waited for it.
        """
        self.failure = why
        if period not in {None, self.period}:
            return
        before = self._failures
        self._failures = max(before + 1, self._limit) if is_enough else before + 1
        if before < self._limit <= self._failures or self._is_probed:
            self._begin_period(is_probed=False)
            self._pause = min(self._pause * 2, self._longest)

    def given_up(self, *, period: int) -> None:
        """A call of that period ended before the service could answer. If it was to try, the next one may."""
        if self._is_probed and period == self.period:
            self._is_probed, self._until = False, 0.0

    def _begin_period(self, *, is_probed: bool) -> None:
        self.period += 1
        self._is_probed, self._until = is_probed, self._clock() + self._pause

    async def call(self, work: Callable[[], Awaitable[T]], limit: float) -> T:
        """The answer of some work, within `limit` seconds.

        Raises `InputError` and `PartialWrite` as the work does: the service has answered then. Raises `LeftAlone` while
        the service is left alone, here or by the work, and `StorageError` for everything else that fails.
        """
        if not self.may_ask():
            raise LeftAlone(f"the service is left alone for a while, because it keeps failing: {self.failure}")
        period = self.period
        try:
            answer = await apart(limit, _awaited(work))
        except (InputError, PartialWrite):
            self.succeeded()
            raise
        except LeftAlone as error:
            self.failure = named(error)
            self.given_up(period=period)
            raise
        except LimitReached as error:
            self.failed(f"no answer within {limit:g} s", period=period)
            raise StorageError(f"the service has not answered within {limit:g} s.") from error
        except BaseException as error:
            failure = self._failure(error, period)
            self.failed(named(failure), period=period)
            if isinstance(failure, StorageError):
                raise
            raise StorageError(named(failure)) from error
        self.succeeded()
        return answer

    def _failure(self, error: BaseException, period: int) -> Exception:
        """The failure of the work. Raises the error again if the caller was cancelled: the next call may try then."""
        try:
            return contained(error)
        except BaseException:
            self.given_up(period=period)
            raise


async def _awaited(work: Callable[[], Awaitable[T]]) -> T:
    return await work()
