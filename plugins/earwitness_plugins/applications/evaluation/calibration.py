"""Calibration: does a probability of 0.8 come true four times in five? Pure."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from earwitness.records.base import Record
from earwitness_plugins.ranking.arrays import Doubles

BINS = 15


class Bin(Record):
    """The answers whose probability lies within one fifteenth of the scale."""

    count: int
    """Number of answers."""
    said: float
    """Their mean probability."""
    was: float
    """Share of them that came true."""


def bins(probabilities: Doubles, outcomes: NDArray[np.bool_]) -> tuple[Bin, ...]:
    """The bins that are not empty, lowest first. A bin includes its upper end."""
    place = np.clip(np.ceil(probabilities * BINS).astype(int) - 1, 0, BINS - 1)
    return tuple(
        Bin(count=int(inside.sum()), said=float(probabilities[inside].mean()), was=float(outcomes[inside].mean()))
        for number in range(BINS)
        if (inside := place == number).any()
    )


def expected_error(found: tuple[Bin, ...]) -> float | None:
    """Expected calibration error: the mean of |said - was|, weighted by count (Guo et al. 2017, eq. 3, 15 bins)."""
    total = sum(each.count for each in found)
    return sum(each.count * abs(each.said - each.was) for each in found) / total if total else None
