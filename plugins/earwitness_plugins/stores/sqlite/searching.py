"""Ranking one container, as one connection and one snapshot see it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import cached_property, partial

import apsw
import numpy as np

from earwitness.filters import EVERYTHING, Filter
from earwitness.records.memory import Hit
from earwitness.words import idf, plain, query_words
from earwitness_plugins.ranking import Doubles, Flags, Floats, Integers, RankingMethod, Reranker, TokenIds, bm25, rank
from earwitness_plugins.ranking.neighbours import SPOKEN

from .filtering import mask
from .loading import column, meet, postings
from .reading import BLANK, content_at, memories_at
from .snapshot import Postings, Snapshot

_FEW = 4
"""Below one row in so many, only the vectors of the rows themselves are looked at."""
_BLANK = Hit.model_construct(memory=BLANK, score=0.0, parts={})


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

    def mask(self, filter: Filter) -> Flags:
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
            self._idfs[term] = idf(self.documents, int(containing))
        return self._idfs[term]


@dataclass(frozen=True, eq=False)
class _Seen:
    """The rows of a container that a search may find; see `earwitness_plugins.ranking.Candidates`."""

    view: View
    rows: Integers
    words: Doubles
    meaning: Doubles
    spoken: Flags
    reranker: Reranker | None

    def id_at(self, place: int) -> str:
        """The id of the memory at a place."""
        return self.view.snapshot.ids[int(self.rows[place])]

    def idf(self, term: str) -> float:
        """What a term weighs in this container."""
        return self.view.idf(term)

    def tokens(self, places: Sequence[int]) -> Sequence[TokenIds]:
        """The token ids of these rows; cut from their contents only once."""
        return _documents(self.view, self.rows[places], self.reranker) if self.reranker else []


def search(view: View, question: Question, filter: Filter, limit: int, method: RankingMethod) -> list[Hit]:
    """The best hits among the memories the filter holds for: those that share a word or some meaning with the question.

    A question without words and meaning finds the newest memories, with score 0.
    """
    rows = view.rows(filter)
    if limit <= 0 or not rows.size:
        return []
    if not question.words and not question.vector.any():
        return _newest(view, rows[::-1][:limit].tolist())
    words, meaning = _word_scores(view, question)[rows], _meaning_scores(view.snapshot, question.vector, rows)
    seen = _Seen(view, rows, words, meaning, view.mask(SPOKEN)[rows], method.reranker)
    ranked = rank(seen, question.words, limit, method)
    return _as_hits(view, rows[ranked.places].tolist(), ranked.scores, ranked.parts)


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


def _documents(view: View, rows: Integers, reranker: Reranker) -> list[TokenIds]:
    """The token ids of these rows; cut from their contents only once."""
    snapshot = view.snapshot
    new = [row for row in rows.tolist() if snapshot.tokens(row) is None]
    for row, content in zip(new, content_at(view.connection, snapshot.number, _positions(snapshot, new)), strict=True):
        snapshot.keep_tokens(row, reranker.token_ids(plain(content)))
    return [ids for row in rows.tolist() if (ids := snapshot.tokens(row)) is not None]


def _newest(view: View, rows: list[int]) -> list[Hit]:
    return _as_hits(view, rows, [0.0] * len(rows), [{}] * len(rows))


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
