"""How long work takes: the thread's own time, without the garbage collector, so that a busy machine fails no test."""

import gc
import time
from collections.abc import Callable

YARDSTICK = 0.005
"""Seconds that `_yardstick` takes on the machine for which the limits of tests are: a slower one gets as much more."""


def seconds(work: Callable[[], object]) -> float:
    """The processor time, in seconds, that `work` takes of this thread. The garbage of other tests is not counted."""
    collecting = gc.isenabled()
    gc.disable()
    try:
        began = time.thread_time()
        work()
        return time.thread_time() - began
    finally:
        if collecting:
            gc.enable()


def slowness() -> float:
    """How many times as long as there work takes here and now; at least 1."""
    return max(1.0, seconds(_yardstick) / YARDSTICK)


def least_seconds(work: Callable[[], object], *, runs: int = 4) -> float:
    """The least of several runs."""
    return min(seconds(work) for _ in range(runs))


def ever_below(limit: float, work: Callable[[], object], *, runs: int = 4) -> bool:
    """Whether one of the runs takes less than `limit` seconds, or so much more as the machine is slower just then.

    It stops at the first that does.
    """
    return any(seconds(work) < limit * slowness() for _ in range(runs))


def grows_at_most(
    factor: float, work: Callable[[int], object], small: int, large: int, *, least: float = 0.002
) -> bool:
    """Whether work of the size `large` takes at most `factor` times as long as that of `small`, in one of five tries.

    Times below `least` seconds count as `least`.
    """
    return any(
        least_seconds(lambda: work(large), runs=2) < factor * max(least_seconds(lambda: work(small), runs=2), least)
        for _ in range(5)
    )


def _yardstick() -> int:
    """Some work of the kinds that Earwitness does: texts cut and compared, tables filled."""
    words = [f"word{number % 997}" for number in range(20_000)]
    counted: dict[str, int] = {}
    for word in words:
        counted[word] = counted.get(word, 0) + 1
    return len(" ".join(words).split("7")) + len(counted)
