"""BM25 from one container's own counts, so that nothing another container holds moves a score.

Formula: Robertson and Zaragoza, "The Probabilistic Relevance Framework: BM25 and Beyond", 2009, eq. 3.15, with
k1 = 1.2 and b = 0.75; the inverse document frequency is `earwitness.words.idf`.
"""

from __future__ import annotations

import numpy as np

from .arrays import Doubles, Flags, Integers

K1 = 1.2
B = 0.75


def length_norms(lengths: Integers, live: Flags) -> Doubles:
    """k1 · (1 - b + b · length / average) of each row, with the average of the live rows; shape (n,).

    Args:
        lengths: how many terms each row has, shape (n,).
        live: which rows count for the average, shape (n,).
    """
    average = float(lengths[live].mean()) if live.any() else 1.0
    return K1 * (1 - B) + lengths.astype(np.float64) * (K1 * B / max(average, 1.0))


def scores(weights: Doubles, rows: Integers, counts: Integers, norms: Doubles) -> Doubles:
    """The score of each row; shape (n,).

    Args:
        weights: the inverse document frequency of one term in one row that holds it, shape (m,).
        rows: those rows, shape (m,); a row comes once for each term that it holds.
        counts: how often each holds that term, shape (m,).
        norms: `length_norms` of all rows, shape (n,).
    """
    found: Doubles = weights * (K1 + 1) * counts
    found /= counts + norms[rows]
    scored: Doubles = np.bincount(rows, found, len(norms)).astype(np.float64, copy=False)
    return scored
