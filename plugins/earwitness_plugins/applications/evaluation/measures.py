"""What predicted sets are worth: measures over sums of counts, so that they can be resampled cheaply. Pure.

A unit (a message, a quotation, a question) has a row of counts. A measure is a function of their sums: it takes sums of
shape (…, columns) and gives values of shape (…), NaN where there is nothing to measure.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from collections.abc import Set as AbstractSet
from typing import Literal, NamedTuple

import numpy as np
from numpy.typing import NDArray

Doubles = NDArray[np.float64]
Better = Literal["more", "less"]


class Measure(NamedTuple):
    """One measure."""

    of: Callable[[Doubles], Doubles]
    """Sums of counts → its value."""
    better: Better
    """Whether more or less of it is better."""
    says: str
    """What it measures, in a few words."""


def share(numerator: Doubles, denominator: Doubles) -> Doubles:
    """A quotient; NaN where there is nothing to divide by."""
    empty = np.full_like(denominator, np.nan)
    return np.divide(numerator, denominator, out=empty, where=denominator > 0)


# ── sets of names: who perceives a message, who is spoken to ────────────────────────────────────────────────────────

SETS = ("right", "wrong", "lacking", "exact", "leak", "miss", "units")
"""Columns: names in both sets, only predicted, only true; the sets are equal, one too many, one too few; 1."""


def set_counts(predicted: AbstractSet[str], true: AbstractSet[str]) -> tuple[float, ...]:
    """The row of one pair of sets."""
    right, wrong, lacking = len(predicted & true), len(predicted - true), len(true - predicted)
    return right, wrong, lacking, float(predicted == true), float(wrong > 0), float(lacking > 0), 1.0


SET_MEASURES: Mapping[str, Measure] = {
    "precision": Measure(lambda s: share(s[..., 0], s[..., 0] + s[..., 1]), "more", "of those named, who is right"),
    "recall": Measure(lambda s: share(s[..., 0], s[..., 0] + s[..., 2]), "more", "of those there are, who is named"),
    "f1": Measure(lambda s: share(2 * s[..., 0], 2 * s[..., 0] + s[..., 1] + s[..., 2]), "more", "both together"),
    "exact": Measure(lambda s: share(s[..., 3], s[..., 6]), "more", "the set is just right"),
    "leak": Measure(lambda s: share(s[..., 4], s[..., 6]), "less", "somebody is in it who should not be"),
    "miss": Measure(lambda s: share(s[..., 5], s[..., 6]), "less", "somebody is not in it who should be"),
}
"""Micro-averaged, as the README of the development data says it."""


# ── yes or no, and lists: who knows a fact ──────────────────────────────────────────────────────────────────────────

KNOWING = ("knows, said so", "knows", "does not, said so", "does not", "list exact", "lists")
KNOWING_MEASURES: Mapping[str, Measure] = {
    "balanced_accuracy": Measure(
        lambda s: (share(s[..., 0], s[..., 1]) + share(s[..., 2], s[..., 3])) / 2, "more", "mean of the next two"
    ),
    "knowers_found": Measure(lambda s: share(s[..., 0], s[..., 1]), "more", "of those who know, who is said to"),
    "others_cleared": Measure(lambda s: share(s[..., 2], s[..., 3]), "more", "of those who do not, who is said not to"),
    "list_exact": Measure(lambda s: share(s[..., 4], s[..., 5]), "more", "the list of those who know is just right"),
}


# ── evidence found ──────────────────────────────────────────────────────────────────────────────────────────────────

FINDING = ("at 5", "at 10", "reciprocal rank", "world at 10", "questions")
FINDING_MEASURES: Mapping[str, Measure] = {
    "recall@5": Measure(lambda s: share(s[..., 0], s[..., 4]), "more", "evidence among the first 5"),
    "recall@10": Measure(lambda s: share(s[..., 1], s[..., 4]), "more", "evidence among the first 10"),
    "mrr": Measure(lambda s: share(s[..., 2], s[..., 4]), "more", "1 / rank of the first evidence"),
    "world@10": Measure(lambda s: share(s[..., 3], s[..., 4]), "more", "the same in the world container"),
}


def auc(scores: Doubles, positive: NDArray[np.bool_]) -> float:
    """Area under the ROC curve: how often a positive scores above a negative, ties by half (Hanley and McNeil 1982)."""
    above, below = scores[positive], scores[~positive]
    if not len(above) or not len(below):
        return float("nan")
    gaps = above[:, None] - below[None, :]
    return float((gaps > 0).mean() + 0.5 * (gaps == 0).mean())
