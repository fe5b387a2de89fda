"""Ranking one container, as one connection and one snapshot see it."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from functools import cached_property, partial
from typing import NamedTuple

import apsw
import numpy as np

from earwitness.filters import EVERYTHING, Filter
from earwitness.records.memory import Hit
from earwitness.words import plain, query_words

from . import bm25, fusion, rerank
from .columns import Mask
from .context import SPOKEN, Context, beside
from .filtering import mask
from .fusion import Doubles, Fusion
from .loading import column, meet, postings
from .reading import BLANK, content_at, memories_at
from .rerank import Reranker
from .snapshot import Floats, Integers, Postings, Snapshot, TokenIds

_FEW = 4
"""Below one row in so many, only the vectors of the rows themselves are looked at."""
_BLANK = Hit.model_construct(memory=BLANK, score=0.0, parts={})


@dataclass(frozen=True)
class Ranking:
    """How a store ranks."""

    fusion: Fusion
    reranker: Reranker | None


@dataclass(frozen=True, eq=False)
class Question:
    """A query, as far as it can be worked out without a container."""

    text: str
    vector: Floats
    """Shape (dimension,)."""

    @cached_property
    def words(self) -> dict[str, str]:
        """Word → term."""
        return query_words(self.text)


@dataclass(frozen=True, eq=False)
class View:
    """A container by name, the connection that reads it, and its snapshot."""

    name: str
    connection: apsw.Connection
    snapshot: Snapshot
    _postings: dict[str, Postings] = field(default_factory=dict, init=False)
    _idfs: dict[str, float] = field(default_factory=dict, init=False)

    def rows(self, filter: Filter) -> Integers:
        """The rows of the memories that the filter holds for, in the order they were first written."""
        snapshot = self.snapshot
        rows = np.flatnonzero(snapshot.live if filter == EVERYTHING else snapshot.live & self.mask(filter))
        return rows if snapshot.in_order else rows[np.argsort(snapshot.positions[rows])]

    def mask(self, filter: Filter) -> Mask:
        """Which rows the filter holds for, gone ones included."""
        return mask(filter, self.snapshot.size, partial(column, self.connection, self.snapshot))

    def postings(self, term: str) -> Postings:
        """Where a term stands, gone rows included."""
        if term not in self._postings:
            self._postings[term] = postings(self.connection, self.snapshot, term)
        return self._postings[term]

    @cached_property
    def documents(self) -> int:
        """How many memories the container holds."""
        return int(np.count_nonzero(self.snapshot.live))

    def idf(self, term: str) -> float:
        """What a term weighs in this container."""
        if term not in self._idfs:
            containing = np.count_nonzero(self.snapshot.live[self.postings(term).rows])
            self._idfs[term] = bm25.idf(self.documents, int(containing))
        return self._idfs[term]

    def id_of(self, rows: Integers) -> Callable[[int], str]:
        """The id at a place among these rows."""
        return lambda place: self.snapshot.ids[rows[place]]


class Scored(NamedTuple):
    """n memories that were found, and what speaks for each."""

    rows: Integers
    scores: Doubles
    """Shape (n,)."""
    parts: dict[str, Doubles]
    """By name, each of shape (n,); NaN where a part was not looked at."""


def search(view: View, question: Question, filter: Filter, limit: int, ranking: Ranking) -> list[Hit]:
    """The best hits among the memories the filter holds for: those that share a word or some meaning with the question.

    A question without words and meaning finds the newest memories, with score 0.
    """
    seen = view.rows(filter)
    if limit <= 0 or not seen.size:
        return []
    if not question.words and not question.vector.any():
        return _newest(view, seen[::-1][:limit].tolist())
    words, meaning = _word_scores(view, question)[seen], _meaning_scores(view.snapshot, question.vector, seen)
    found = (words > 0) | (meaning > 0)
    fused = fusion.fuse(words, meaning, ranking.fusion, depth=_depth(found, limit))
    spoken = view.mask(SPOKEN)[seen]
    near = _near(np.flatnonzero(fused.scores), found, spoken, at_least=max(limit, rerank.DEPTH))
    parts = {"words": fused.words[near], "meaning": fused.meaning[near]}
    scored, context = Scored(seen[near], fused.scores[near], parts), Context.of(spoken, near)
    if ranking.reranker is not None and near.size:
        scored = _reranked(view, question, scored, context, ranking.reranker)
    return _hits(view, scored, fusion.rounded(context.lifted(scored.scores)), limit)


def _depth(found: Mask, limit: int) -> int:
    """How far down a ranking counts: to its end, where no more than that are found."""
    depth = max(limit, fusion.DEPTH)
    return depth if np.count_nonzero(found) > depth else len(found)


def _near(strong: Integers, found: Mask, spoken: Mask, *, at_least: int) -> Integers:
    """The places of all that can be among the best: those with a score, and those beside them."""
    return np.flatnonzero(found & beside(spoken, strong) if len(strong) >= at_least else found)


def _word_scores(view: View, question: Question) -> Doubles:
    scores = np.zeros(view.snapshot.size)
    norms = view.snapshot.length_norms
    meet(view.connection, view.snapshot, question.words.values())
    for term in question.words.values():
        where = view.postings(term)
        if where.rows.size:
            bm25.add_term(scores, view.idf(term), where.rows, where.counts, norms)
    return scores


def _meaning_scores(snapshot: Snapshot, vector: Floats, rows: Integers) -> Doubles:
    """Cosines. `vecdot`, because a matrix product goes through threaded BLAS, at many times the CPU."""
    if not vector.any():
        return np.zeros(len(rows))
    few = len(rows) * _FEW < snapshot.size
    cosines = np.vecdot(snapshot.vectors[rows], vector) if few else np.vecdot(snapshot.vectors, vector)[rows]
    doubles: Doubles = cosines.astype(np.float64)
    return doubles


def _reranked(view: View, question: Question, scored: Scored, context: Context, reranker: Reranker) -> Scored:
    tokens, weights = rerank.weighed_tokens(reranker, question.words, view.idf)
    if not tokens.size:
        return scored
    lifted = fusion.rounded(context.lifted(scored.scores))
    candidates = fusion.best(lifted, view.id_of(scored.rows), rerank.DEPTH)
    documents = _documents(view, scored.rows[candidates], reranker)
    again = np.full(len(lifted), np.nan)
    again[candidates] = rerank.similarities(reranker, tokens, weights, documents)
    scores = fusion.rounded((1 - rerank.SHARE) * lifted + rerank.SHARE * np.nan_to_num(again))
    return Scored(scored.rows, scores, {**scored.parts, "rerank": again})


def _documents(view: View, rows: Integers, reranker: Reranker) -> list[TokenIds]:
    """The token ids of these rows; cut from their contents only once."""
    snapshot = view.snapshot
    new = [row for row in rows.tolist() if snapshot.tokens(row) is None]
    for row, content in zip(new, content_at(view.connection, snapshot.number, _positions(snapshot, new)), strict=True):
        snapshot.keep_tokens(row, reranker.token_ids(plain(content)))
    return [ids for row in rows.tolist() if (ids := snapshot.tokens(row)) is not None]


def _newest(view: View, rows: list[int]) -> list[Hit]:
    return _as_hits(view, rows, [0.0] * len(rows), [{}] * len(rows))


def _hits(view: View, scored: Scored, scores: Doubles, limit: int) -> list[Hit]:
    """The best of these scores, which are those of `scored` lifted by their context."""
    places = fusion.best(scores, view.id_of(scored.rows), limit)
    lifts = scores[places] - scored.scores[places]
    parts = {name: part[places] for name, part in scored.parts.items()} | {
        "context": np.where(lifts > 0, lifts, np.nan)
    }
    columns = [[(name, value) for value in part.tolist()] for name, part in parts.items()]
    made_of = [{name: value for name, value in row if value == value} for row in zip(*columns, strict=True)]  # no NaN
    return _as_hits(view, scored.rows[places].tolist(), scores[places].tolist(), made_of)


def _as_hits(view: View, rows: list[int], scores: Sequence[float], parts: Sequence[dict[str, float]]) -> list[Hit]:
    snapshot = view.snapshot
    memories = memories_at(view.connection, view.name, snapshot.number, _positions(snapshot, rows))
    return [  # not validated: what comes from our own tables was checked when it was written
        _BLANK.model_copy(update={"memory": memory, "score": score, "parts": made_of})
        for memory, score, made_of in zip(memories, scores, parts, strict=True)
    ]


def _positions(snapshot: Snapshot, rows: list[int]) -> list[int]:
    found: list[int] = snapshot.positions[np.array(rows, np.intp)].tolist()
    return found
