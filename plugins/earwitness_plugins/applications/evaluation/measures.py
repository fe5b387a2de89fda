"""Measures of predictions, computed from sums of counts so that resampling is cheap. Pure.

Each unit (a message, a quotation, a question) has a row of counts. A measure is a function of their sums: it takes sums
of shape (…, columns) and returns values of shape (…), NaN where there is nothing to measure.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from collections.abc import Set as AbstractSet
from typing import Literal, NamedTuple

import numpy as np
from numpy.typing import NDArray

from earwitness_plugins.ranking.arrays import Doubles

Better = Literal["more", "less"]


class Measure(NamedTuple):
    """One measure."""

    of: Callable[[Doubles], Doubles]
    """Sums of counts → value."""
    better: Better
    """Whether a higher or a lower value is better."""
    says: str
    """What it measures, in a few words."""


def share(numerator: Doubles, denominator: Doubles) -> Doubles:
    """A quotient; NaN where the denominator is 0."""
    empty = np.full_like(denominator, np.nan)
    return np.divide(numerator, denominator, out=empty, where=denominator > 0)


# ── sets of names: who perceives a message, who is spoken to ────────────────────────────────────────────────────────

SET_COUNTS = ("right", "wrong", "lacking", "exact", "leak", "miss", "units")
"""Columns: names in both sets, only predicted, only true; the sets are equal, one too many, one too few; 1."""


def set_counts(predicted: AbstractSet[str], true: AbstractSet[str]) -> tuple[float, ...]:
    """The counts of one predicted and one true set."""
    right, wrong, lacking = len(predicted & true), len(predicted - true), len(true - predicted)
    return right, wrong, lacking, float(predicted == true), float(wrong > 0), float(lacking > 0), 1.0


SET_MEASURES: Mapping[str, Measure] = {
    "precision": Measure(lambda s: share(s[..., 0], s[..., 0] + s[..., 1]), "more", "true among the predicted"),
    "recall": Measure(lambda s: share(s[..., 0], s[..., 0] + s[..., 2]), "more", "predicted among the true"),
    "f1": Measure(
        lambda s: share(2 * s[..., 0], 2 * s[..., 0] + s[..., 1] + s[..., 2]),
        "more",
        "their harmonic mean",
    ),
    "exact": Measure(lambda s: share(s[..., 3], s[..., 6]), "more", "the predicted set equals the true one"),
    "leak": Measure(lambda s: share(s[..., 4], s[..., 6]), "less", "the predicted set has a name too many"),
    "miss": Measure(lambda s: share(s[..., 5], s[..., 6]), "less", "the predicted set lacks a name"),
}
"""Micro-averaged over all units."""


# ── yes or no, and lists: who knows a fact ──────────────────────────────────────────────────────────────────────────

KNOWLEDGE_COUNTS = (
    *("knows, said so", "knows", "does not, said so", "does not", "list exact", "lists"),
    *("misled, cleared", "misled", "heard of it, cleared", "heard of it", "cannot tell", "answers"),
)
KNOWLEDGE_MEASURES: Mapping[str, Measure] = {
    "balanced_accuracy": Measure(
        lambda s: (share(s[..., 0], s[..., 1]) + share(s[..., 2], s[..., 3])) / 2, "more", "mean of the next two"
    ),
    "knowers_found": Measure(lambda s: share(s[..., 0], s[..., 1]), "more", "share of the knowers found"),
    "others_cleared": Measure(lambda s: share(s[..., 2], s[..., 3]), "more", "share of the others cleared"),
    "list_exact": Measure(lambda s: share(s[..., 4], s[..., 5]), "more", "the list of knowers is exactly right"),
    "misled_cleared": Measure(lambda s: share(s[..., 6], s[..., 7]), "more", "share of those told otherwise cleared"),
    "heard_of_cleared": Measure(lambda s: share(s[..., 8], s[..., 9]), "more", "share of those who only heard of it"),
    "cannot_tell": Measure(lambda s: share(s[..., 10], s[..., 11]), "less", "answers that the containers leave open"),
}


# ── evidence found ──────────────────────────────────────────────────────────────────────────────────────────────────

RETRIEVAL_COUNTS = ("at 5", "at 10", "reciprocal rank", "world at 10", "questions")
RETRIEVAL_MEASURES: Mapping[str, Measure] = {
    "recall@5": Measure(lambda s: share(s[..., 0], s[..., 4]), "more", "evidence among the first 5"),
    "recall@10": Measure(lambda s: share(s[..., 1], s[..., 4]), "more", "evidence among the first 10"),
    "mrr": Measure(lambda s: share(s[..., 2], s[..., 4]), "more", "1 / rank of the first evidence"),
    "world@10": Measure(lambda s: share(s[..., 3], s[..., 4]), "more", "recall@10 in the world container"),
}


def auc(scores: Doubles, positive: NDArray[np.bool_]) -> float:
    """Area under the ROC curve: how often a positive scores above a negative, ties by half (Hanley and McNeil 1982)."""
    above, below = scores[positive], scores[~positive]
    if not len(above) or not len(below):
        return float("nan")
    gaps = above[:, None] - below[None, :]
    return float((gaps > 0).mean() + 0.5 * (gaps == 0).mean())
