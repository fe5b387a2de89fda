"""Confidence intervals by percentile bootstrap over groups of units that belong together. Pure.

The messages of one scene resemble each other, so whole groups are drawn, with replacement (Efron and Tibshirani 1993,
ch. 13; the cluster bootstrap of Field and Welsh 2007). Two detectors are compared on the same draws.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping

import numpy as np
from numpy.typing import NDArray

from earwitness.records.base import Record
from earwitness_plugins.ranking.arrays import Doubles

from .measures import Measure

DRAWS_PER_BATCH = 500
MIN_GROUPS = 2


class Interval(Record):
    """A value and its 95 % interval."""

    value: float | None
    """The measured value; `None` where there is nothing to measure."""
    low: float | None = None
    """2.5th percentile of the draws; `None` with fewer than two groups to draw from."""
    high: float | None = None
    """97.5th percentile of the draws; `None` as `low`."""

    def __str__(self) -> str:
        if self.value is None:
            return "nothing to measure"
        ends = "" if self.low is None or self.high is None else f" ({self.low:.3f} to {self.high:.3f})"
        return f"{self.value:.3f}{ends}"


def by_group(counts: Doubles, groups: NDArray[np.intp]) -> Doubles:
    """Sum the rows of each group: counts of shape (rows, columns) become sums of shape (groups, columns).

    `groups` holds the group number of each row.
    """
    sums = np.zeros((int(groups.max(initial=-1)) + 1, counts.shape[1]))
    np.add.at(sums, groups, counts)
    return sums[sums.any(axis=1)]


def intervals(sums: Doubles, measures: Mapping[str, Measure], *, resamples: int, seed: int) -> dict[str, Interval]:
    """The interval of each measure; `sums` has shape (groups, columns)."""
    drawn = _drawn(sums, resamples, seed)
    return {
        name: _interval(float(each.of(sums.sum(axis=0))), each.of(drawn) if drawn is not None else None)
        for name, each in measures.items()
    }


def differences(
    ours: Doubles, theirs: Doubles, measures: Mapping[str, Measure], *, resamples: int, seed: int
) -> dict[str, Interval]:
    """The interval of ours minus theirs for each measure. Rows of both are the same groups, in the same order."""
    columns = ours.shape[1]
    drawn = _drawn(np.hstack([ours, theirs]), resamples, seed)
    found = {}
    for name, each in measures.items():
        value = float(each.of(ours.sum(axis=0)) - each.of(theirs.sum(axis=0)))
        gaps = None if drawn is None else each.of(drawn[:, :columns]) - each.of(drawn[:, columns:])
        found[name] = _interval(value, gaps)
    return found


def _drawn(sums: Doubles, resamples: int, seed: int) -> Doubles | None:
    """The sums of each draw, shape (resamples, columns); `None` where nothing can be drawn."""
    if len(sums) < MIN_GROUPS or not resamples:
        return None
    return np.concatenate(list(_draws(sums, resamples, seed)))


def _draws(sums: Doubles, resamples: int, seed: int) -> Iterator[Doubles]:
    generator, groups = np.random.default_rng(seed), len(sums)
    for first in range(0, resamples, DRAWS_PER_BATCH):
        times = generator.multinomial(groups, np.full(groups, 1 / groups), size=min(DRAWS_PER_BATCH, resamples - first))
        yield times @ sums


def _interval(value: float, drawn: Doubles | None) -> Interval:
    if np.isnan(value):
        return Interval(value=None)
    usable = np.empty(0) if drawn is None else drawn[~np.isnan(drawn)]
    if not len(usable):
        return Interval(value=value)
    low, high = np.quantile(usable, [0.025, 0.975])
    return Interval(value=value, low=float(low), high=float(high))
