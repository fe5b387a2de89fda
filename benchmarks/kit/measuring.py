"""Time, CPU and memory of an operation. CPU is of the whole process, all its threads, and of its servers."""

from __future__ import annotations

import resource
import time
from collections.abc import Awaitable, Callable, Iterable, Sequence
from contextlib import suppress
from pathlib import Path
from statistics import median
from typing import NamedTuple

import numpy as np


class Sample(NamedTuple):
    """One operation."""

    wall: float
    """Milliseconds."""
    cpu: float
    """Milliseconds."""


class Timing(NamedTuple):
    """Many operations in several rounds, in milliseconds."""

    wall: float
    """Median of the rounds' medians."""
    wall_p99: float
    """Of all operations."""
    cpu: float
    """Median of the rounds' means: work that threads do afterwards is in it."""


Round = Sequence[Sample]


async def sampled(operations: Iterable[Callable[[], Awaitable[object]]], servers: Sequence[int] = ()) -> list[Sample]:
    """Run each operation once. What these processes and their children work meanwhile counts, too."""
    samples, others = [], family(servers)
    for operation in operations:
        theirs, cpu, wall = cpu_seconds(others), time.process_time(), time.perf_counter()
        await operation()
        took, worked = time.perf_counter() - wall, time.process_time() - cpu
        samples.append(Sample(1000 * took, 1000 * (worked + cpu_seconds(others) - theirs)))
    return samples


def family(processes: Sequence[int]) -> list[int]:
    """These processes, their children, and theirs; none where the system does not tell."""
    if not processes or not Path("/proc/self/stat").exists():
        return []
    parents = {}
    for status in Path("/proc").glob("[0-9]*/stat"):
        with suppress(OSError):  # it has just ended
            parents[int(status.parent.name)] = int(status.read_text().rpartition(")")[2].split()[1])
    found = list(processes)
    for process in found:
        found += [child for child, parent in parents.items() if parent == process]
    return found


def cpu_seconds(processes: Sequence[int]) -> float:
    """What these processes have worked so far, all their threads. Format: `schedstats` of Linux, in nanoseconds."""
    total = 0
    for process in processes:
        for thread in Path(f"/proc/{process}/task").glob("*/schedstat"):
            with suppress(OSError):
                total += int(thread.read_text().split()[0])
    return total / 1e9


def timing(rounds: Sequence[Round]) -> Timing:
    """All rounds in three numbers."""
    return Timing(
        wall=median(median(sample.wall for sample in samples) for samples in rounds),
        wall_p99=float(np.quantile([sample.wall for samples in rounds for sample in samples], 0.99)),
        cpu=median(sum(sample.cpu for sample in samples) / len(samples) for samples in rounds),
    )


def ratio(theirs: Sequence[Round], ours: Sequence[Round]) -> float:
    """How many times as long theirs takes: the median over rounds, each of which ran one after the other."""
    pairs = zip(theirs, ours, strict=True)
    return median(
        median(sample.wall for sample in their) / median(sample.wall for sample in our) for their, our in pairs
    )


def resident_mb() -> float:
    """Megabytes of memory this process has now; the most it ever had, where the system does not tell that."""
    status = Path("/proc/self/statm")
    if status.exists():
        return int(status.read_text().split()[1]) * resource.getpagesize() / 2**20
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024


def folder_mb(folder: Path) -> float:
    """Megabytes of all files in a folder."""
    return sum(file.stat().st_size for file in folder.rglob("*") if file.is_file()) / 2**20
