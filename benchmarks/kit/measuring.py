"""Time, CPU and memory of an operation. CPU is of the whole process, all its threads."""

from __future__ import annotations

import resource
import time
from collections.abc import Awaitable, Callable, Iterable, Sequence
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


async def sampled(operations: Iterable[Callable[[], Awaitable[object]]]) -> list[Sample]:
    """Run each operation once."""
    samples = []
    for operation in operations:
        cpu, wall = time.process_time(), time.perf_counter()
        await operation()
        samples.append(Sample(1000 * (time.perf_counter() - wall), 1000 * (time.process_time() - cpu)))
    return samples


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
