"""How long work takes: the thread's own time, without the garbage collector, so that a busy machine fails no test."""

import gc
import time
from collections.abc import Callable


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


def least_seconds(work: Callable[[], object], *, runs: int = 4) -> float:
    """The least of several runs."""
    return min(seconds(work) for _ in range(runs))


def ever_below(limit: float, work: Callable[[], object], *, runs: int = 4) -> bool:
    """Whether one of the runs takes less than `limit` seconds. It stops at the first that does."""
    return any(seconds(work) < limit for _ in range(runs))


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
