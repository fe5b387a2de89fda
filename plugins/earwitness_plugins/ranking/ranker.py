"""The steps of a ranking, one after the other: fuse, lift, re-rank, choose the best."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import NamedTuple, Protocol

import numpy as np

from . import fusion, rerank
from .arrays import Doubles, Flags, Integers, TokenIds
from .fusion import Fusion
from .neighbours import Neighbours, beside
from .rerank import Reranker


@dataclass(frozen=True)
class RankingMethod:
    """How a store ranks."""

    fusion: Fusion = "score"
    """How scores by words and by meaning become one."""
    reranker: Reranker | None = None
    """What compares the best of them once more; `None` leaves that out."""


class Candidates(Protocol):
    """The n memories of one container that a search may find, in the order they were first written."""

    @property
    def words(self) -> Doubles:
        """BM25 scores, from the container's own counts; shape (n,)."""
        ...

    @property
    def meaning(self) -> Doubles:
        """Cosines with the query; shape (n,)."""
        ...

    @property
    def spoken(self) -> Flags:
        """Which of them are messages; shape (n,)."""
        ...

    def id_at(self, place: int) -> str:
        """The id of the memory at a place from 0 to n - 1."""
        ...

    def idf(self, term: str) -> float:
        """The term's inverse document frequency in the container."""
        ...

    def tokens(self, places: Sequence[int]) -> Sequence[TokenIds]:
        """The reranker's token ids of the memories at these places."""
        ...


class Ranked(NamedTuple):
    """The best of the candidates, best first; lists of the same length."""

    places: list[int]
    """The place of each among the candidates."""
    scores: list[float]
    """From 0 to 1."""
    parts: list[dict[str, float]]
    """What each score is made of: `words`, `meaning`, and, where they counted, `rerank` and `context`."""


_ALL = 1_000
"""Among up to this many candidates, all that were found are looked at: leaving some out would take longer."""


class _Scored(NamedTuple):
    """m candidates that share something with the query; shapes (m,)."""

    places: Integers
    scores: Doubles
    words: Doubles
    meaning: Doubles
    again: Doubles | None = None
    """What re-ranking gave them; NaN for those that were not re-ranked."""


def rank(candidates: Candidates, words: Mapping[str, str], limit: int, method: RankingMethod) -> Ranked:
    """The best `limit` of the candidates that share a word or some meaning with the query; ties by id.

    `words` are the query's: word → term, as `earwitness.words.query_words` gives them.
    """
    found = (candidates.words > 0) | (candidates.meaning > 0)
    fused = fusion.fuse(candidates.words, candidates.meaning, method.fusion, depth=_depth(found, limit))
    near = _near(fused.scores, found, candidates.spoken, at_least=max(limit, rerank.DEPTH))
    scored = _Scored(near, fused.scores[near], fused.words[near], fused.meaning[near])
    neighbours = Neighbours.of(candidates.spoken, near)
    if method.reranker is not None and near.size:
        scored = _reranked(candidates, words, scored, neighbours, method.reranker)
    return _best(candidates, scored, fusion.rounded(neighbours.lifted(scored.scores)), limit)


def _depth(found: Flags, limit: int) -> int:
    """How far down a ranking counts: to its end, unless more are found than that."""
    depth = max(limit, fusion.DEPTH)
    return depth if np.count_nonzero(found) > depth else len(found)


def _near(scores: Doubles, found: Flags, spoken: Flags, *, at_least: int) -> Integers:
    """The places of all that can be among the best: those with a score, and their neighbours."""
    if len(found) > _ALL:
        strong = scores.nonzero()[0]
        found = found & beside(spoken, strong) if len(strong) >= at_least else found
    return found.nonzero()[0]


def _reranked(
    candidates: Candidates, words: Mapping[str, str], scored: _Scored, neighbours: Neighbours, reranker: Reranker
) -> _Scored:
    tokens, weights = rerank.weighed_tokens(reranker, words, candidates.idf)
    if not tokens.size:
        return scored
    lifted = fusion.rounded(neighbours.lifted(scored.scores))
    chosen = fusion.best(lifted, lambda place: candidates.id_at(scored.places[place]), rerank.DEPTH)
    documents = candidates.tokens(scored.places[chosen].tolist())
    again = np.full(len(lifted), np.nan)
    again[chosen] = rerank.similarities(reranker, tokens, weights, documents)
    scores = fusion.rounded((1 - rerank.SHARE) * lifted + rerank.SHARE * np.nan_to_num(again))
    return scored._replace(scores=scores, again=again)


def _best(candidates: Candidates, scored: _Scored, lifted: Doubles, limit: int) -> Ranked:
    """The best of the `lifted` scores, which are those of `scored` with the lift of their neighbours."""
    places = scored.places.tolist()
    chosen = np.array(fusion.best(lifted, lambda place: candidates.id_at(places[place]), limit), np.intp)
    scores = lifted[chosen]
    lifts = scores - scored.scores[chosen]
    return Ranked(scored.places[chosen].tolist(), scores.tolist(), _parts(scored, chosen, lifts))


def _parts(scored: _Scored, chosen: Integers, lifts: Doubles) -> list[dict[str, float]]:
    """What the chosen scores are made of."""
    columns = zip(scored.words[chosen].tolist(), scored.meaning[chosen].tolist(), strict=True)
    found = [{"words": words, "meaning": meaning} for words, meaning in columns]
    if scored.again is not None:
        for part, again in zip(found, scored.again[chosen].tolist(), strict=True):
            if again == again:  # not NaN
                part["rerank"] = again
    for part, lift in zip(found, lifts.tolist(), strict=True):
        if lift > 0:
            part["context"] = lift
    return found
