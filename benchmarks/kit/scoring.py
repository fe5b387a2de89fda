"""How good a ranking is, and whether one is better than another by more than chance."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

Doubles = NDArray[np.float64]

MEASURES = ("recall@5", "recall@10", "mrr")
RESAMPLES = 10_000


class Interval(NamedTuple):
    """A mean difference, and between what it lies in 95 of 100 resamples."""

    mean: float
    low: float
    high: float


def scores(found: Sequence[str], evidence: frozenset[str]) -> tuple[float, float, float]:
    """Of one question, in the order of MEASURES: the share of its evidence among the first 5, among the first 10, and
    1 / the rank of the first evidence among those 10 (0 when there is none)."""
    first = next((1 / rank for rank, id in enumerate(found[:10], 1) if id in evidence), 0.0)
    return _share(found[:5], evidence), _share(found[:10], evidence), first


def _share(found: Sequence[str], evidence: frozenset[str]) -> float:
    return len(evidence.intersection(found)) / len(evidence)


def paired_bootstrap(differences: Doubles, *, seed: int = 7) -> Interval:
    """The mean of paired differences with its percentile interval (Efron and Tibshirani 1993, ch. 13); shape (n,)."""
    generator = np.random.default_rng(seed)
    chunks = [generator.integers(0, len(differences), (500, len(differences))) for _ in range(RESAMPLES // 500)]
    means = np.concatenate([differences[chunk].mean(axis=1) for chunk in chunks])
    low, high = np.quantile(means, [0.025, 0.975])
    return Interval(float(differences.mean()), float(low), float(high))
