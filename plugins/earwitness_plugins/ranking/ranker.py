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
    ranking = RankingSteps(candidates, words, limit, method)
    ranking.rerank()
    return ranking.best()


class RankingSteps:
    """`rank` in two steps, for a store that reads ids and texts of few candidates only.

        ranking = RankingSteps(candidates, words, limit, method)
        ...                                    # read the memories at the places `ranking.shortlist`
        ranking.rerank()
        ...                                    # read the memories at the places `ranking.finalists`
        ranking.best()

    Of the candidates, `id_at` and `tokens` are asked for those places only.
    """

    def __init__(self, candidates: Candidates, words: Mapping[str, str], limit: int, method: RankingMethod) -> None:
        self._candidates = candidates
        self._words = words
        self._limit = limit
        self._reranker = method.reranker
        found = (candidates.words > 0) | (candidates.meaning > 0)
        fused = fusion.fuse(candidates.words, candidates.meaning, method.fusion, depth=_depth(found, limit))
        near = _near(fused.scores, found, candidates.spoken, at_least=max(limit, rerank.DEPTH))
        self._scored = _Scored(near, fused.scores[near], fused.words[near], fused.meaning[near])
        self._neighbours = Neighbours.of(candidates.spoken, near)
        self._lifted = fusion.rounded(self._neighbours.lifted(self._scored.scores))

    @property
    def shortlist(self) -> list[int]:
        """The places of what may be re-ranked; empty without a reranker."""
        return [] if self._reranker is None else self._leaders(rerank.DEPTH)

    def rerank(self) -> None:
        """Compare the best once more. Without a reranker, nothing happens."""
        if self._reranker is None or not self._scored.places.size:
            return
        tokens, weights = rerank.weighed_tokens(self._reranker, self._words, self._candidates.idf)
        if not tokens.size:
            return
        chosen = fusion.best(self._lifted, self._id_at, rerank.DEPTH)
        documents = self._candidates.tokens(self._scored.places[chosen].tolist())
        again = np.full(len(self._lifted), np.nan)
        again[chosen] = rerank.similarities(self._reranker, tokens, weights, documents)
        scores = fusion.rounded((1 - rerank.SHARE) * self._lifted + rerank.SHARE * np.nan_to_num(again))
        self._scored = self._scored._replace(scores=scores, again=again)
        self._lifted = fusion.rounded(self._neighbours.lifted(scores))

    @property
    def finalists(self) -> list[int]:
        """The places of what may be among the best `limit`."""
        return self._leaders(self._limit)

    def best(self) -> Ranked:
        """The best `limit`, best first."""
        scored = self._scored
        chosen = np.array(fusion.best(self._lifted, self._id_at, self._limit), np.intp)
        scores = self._lifted[chosen]
        lifts = scores - scored.scores[chosen]
        return Ranked(scored.places[chosen].tolist(), scores.tolist(), _parts(scored, chosen, lifts))

    def _leaders(self, count: int) -> list[int]:
        leaders: list[int] = self._scored.places[fusion.leaders(self._lifted, count)].tolist()
        return leaders

    def _id_at(self, place: int) -> str:
        return self._candidates.id_at(int(self._scored.places[place]))


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
