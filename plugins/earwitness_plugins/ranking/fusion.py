"""Two rankings of the same rows become one: scores in, scores from 0 to 1 out."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Literal

import numpy as np

from .arrays import Doubles, Integers

Fusion = Literal["score", "rrf"]
FUSIONS: tuple[Fusion, ...] = ("score", "rrf")
DEPTH = 100
"""How far down a ranking counts, unless more hits are asked for."""
WORDS_SHARE = 0.7
"""Share of the words in a fused score; the rest is the meaning's."""
_RRF = 60
_COLUMNS = 4
"""`kth_largest` lays the scores out in this many columns for each score that is wanted."""
_FEW = 1_000
"""Among up to this many scores it looks at all."""
_UNIT = 1e6
"""Scores are rounded to this many parts: what differs only by the noise of float32 is a tie, and ties go by id."""


@dataclass(frozen=True)
class Fused:
    """One score a row, and the two parts it is made of; each of shape (n,), from 0 to 1."""

    scores: Doubles
    words: Doubles
    meaning: Doubles


def fuse(words: Doubles, meaning: Doubles, fusion: Fusion, *, depth: int = DEPTH) -> Fused:
    """Fuse scores by words and by meaning, each of shape (n,). Where one finds nothing at all, the other counts alone.

    `score`: 0.7 · words + 0.3 · meaning, each normalised over its best `depth`. `rrf`: reciprocal rank fusion of the
    best `depth` of each (Cormack, Clarke and Büttcher 2009, k = 60), scaled so that first in both is 1.
    """
    part = normalised if fusion == "score" else reciprocal_ranks
    share = WORDS_SHARE if fusion == "score" else 0.5
    by_words, by_meaning = part(words, depth), part(meaning, depth)
    if not by_words.max(initial=0.0):
        share = 0.0
    elif not by_meaning.max(initial=0.0):
        share = 1.0
    return Fused(rounded(share * by_words + (1 - share) * by_meaning), by_words, by_meaning)


def normalised(scores: Doubles, depth: int) -> Doubles:
    """0 to 1 from the score at `depth` (from 0, when there are no more rows than that) to the best; negatives are 0."""
    best = float(scores.max(initial=0.0))
    floor = kth_largest(scores, depth) if len(scores) > depth <= np.count_nonzero(scores > 0) else 0.0
    if best <= floor:
        return np.where((scores >= best) & (scores > 0), 1.0, 0.0)
    scaled: Doubles = np.maximum(scores, floor)
    scaled -= floor
    scaled /= best - floor
    return scaled


def kth_largest(scores: Doubles, k: int) -> float:
    """The k-th largest of at least k scores.

    Of many, most are left out first: the k-th largest of the largest of each column is no larger than what is wanted.
    """
    height = len(scores) // (_COLUMNS * k)
    if height > 1 and len(scores) > _FEW:
        table = scores[: len(scores) // height * height].reshape(height, -1)
        scores = scores[scores >= np.partition(table.max(axis=0), -k)[-k]]
    return float(np.partition(scores, -k)[-k])


def reciprocal_ranks(scores: Doubles, depth: int) -> Doubles:
    """61 / (60 + rank) for the best `depth` above 0, and 0 for the others; equal scores have equal ranks."""
    parts = np.zeros(len(scores))
    chosen = np.flatnonzero(scores > 0)
    order = chosen[np.argsort(-scores[chosen], kind="stable")][:depth]
    if order.size:
        ranks = 1 + np.searchsorted(-scores[order], -scores[order], "left")
        lowest = scores[order[-1]]
        parts[order] = (_RRF + 1) / (_RRF + ranks)
        parts[scores == lowest] = parts[order[-1]]  # those that tie with the last one are not cut off by their place
    return parts


def rounded(scores: Doubles) -> Doubles:
    """The scores without the noise of their last digits."""
    return np.rint(scores * _UNIT) / _UNIT


def best(scores: Doubles, id_of: Callable[[int], str], count: int) -> list[int]:
    """The places of the best `count` scores, best first; ties by the id of the place."""
    places = leaders(scores, count)
    found = places.tolist()
    keys = [(-score, id_of(place)) for place, score in zip(found, scores[places].tolist(), strict=True)]
    return [place for _, place in sorted(zip(keys, found, strict=True))][:count]


def leaders(scores: Doubles, count: int) -> Integers:
    """The places of what may be among the best `count` scores, by place: those, and what ties with the last of them."""
    if len(scores) <= count or count <= 0:
        return np.arange(len(scores))
    return (scores >= kth_largest(scores, count)).nonzero()[0]
