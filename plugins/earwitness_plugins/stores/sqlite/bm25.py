"""BM25 from one container's own counts, so that nothing another container holds moves a score.

Formula: Robertson and Zaragoza, "The Probabilistic Relevance Framework: BM25 and Beyond", 2009, eq. 3.15, with
k1 = 1.2 and b = 0.75; the inverse document frequency is Lucene's, ln(1 + (N - n + 0.5) / (n + 0.5)), never negative.
"""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import NDArray

K1 = 1.2
B = 0.75

Integers = NDArray[np.int64]
Doubles = NDArray[np.float64]
Flags = NDArray[np.bool_]


def idf(documents: int, containing: int) -> float:
    """What a term weighs that `containing` of so many `documents` hold."""
    return math.log(1 + (documents - containing + 0.5) / (containing + 0.5))


def length_norms(lengths: Integers, live: Flags) -> Doubles:
    """k1 · (1 - b + b · length / average) of each row, with the average of the live rows; shape (n,)."""
    average = float(lengths[live].mean()) if live.any() else 1.0
    return K1 * (1 - B) + lengths.astype(np.float64) * (K1 * B / max(average, 1.0))


def add_term(scores: Doubles, weight: float, rows: Integers, counts: Integers, norms: Doubles) -> None:
    """Add to the scores what a term of this weight, standing so many times in these rows, counts for."""
    scores[rows] += weight * (K1 + 1) * counts / (counts + norms[rows])
