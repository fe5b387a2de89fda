"""A search in one container, as one connection and one index see it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import cached_property, partial

import apsw
import numpy as np

from earwitness.filters import EVERYTHING, Filter
from earwitness.protocols import TermHolders
from earwitness.records.memory import Hit
from earwitness.words import idf, plain, query_words
from earwitness_plugins.ranking import Doubles, Flags, Floats, Integers, RankingMethod, Reranker, TokenIds, bm25, rank
from earwitness_plugins.ranking.neighbours import SPOKEN

from .container_index import ContainerIndex, Postings
from .loader import column, load_postings, postings
from .masks import mask
from .memories import BLANK, content_at, memories_at

_FEW = 4
"""Where fewer than one row in this many may be found, only their vectors are compared."""
_BLANK = Hit.model_construct(memory=BLANK, score=0.0, parts={})


@dataclass(frozen=True, eq=False)
class SearchQuery:
    """A query, with what can be worked out without a container."""

    text: str
    vector: Floats
    """Shape (dimension,)."""

    @cached_property
    def words(self) -> dict[str, str]:
        """Word → term."""
        return query_words(self.text)


@dataclass(frozen=True, eq=False)
class View:
    """A container by name, the connection that reads it, and its index."""

    name: str
    connection: apsw.Connection
    index: ContainerIndex
    _postings: dict[str, Postings] = field(default_factory=dict, init=False)
    _idfs: dict[str, float] = field(default_factory=dict, init=False)

    def rows(self, filter: Filter) -> Integers:
        """The rows of the memories that match the filter, in the order they were first written."""
        index = self.index
        rows = np.flatnonzero(index.live if filter == EVERYTHING else index.live & self.mask(filter))
        return rows if index.in_order else rows[np.argsort(index.positions[rows])]

    def mask(self, filter: Filter) -> Flags:
        """Which rows match the filter, deleted ones included."""
        return mask(filter, self.index.size, partial(column, self.connection, self.index))

    def postings(self, term: str) -> Postings:
        """The rows that hold a term, deleted ones included."""
        if term not in self._postings:
            self._postings[term] = postings(self.connection, self.index, term)
        return self._postings[term]

    @cached_property
    def documents(self) -> int:
        """How many memories the container holds."""
        return int(np.count_nonzero(self.index.live))

    def idf(self, term: str) -> float:
        """What a term weighs in this container."""
        if term not in self._idfs:
            containing = np.count_nonzero(self.index.live[self.postings(term).rows])
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
        return self.view.index.ids[int(self.rows[place])]

    def idf(self, term: str) -> float:
        """What a term weighs in this container."""
        return self.view.idf(term)

    def tokens(self, places: Sequence[int]) -> Sequence[TokenIds]:
        """The token ids of these rows. Contents are cut into tokens only once."""
        return _documents(self.view, self.rows[places], self.reranker) if self.reranker else []


def search(view: View, query: SearchQuery, filter: Filter, limit: int, method: RankingMethod) -> list[Hit]:
    """The best hits among the memories that match the filter and share a word or some meaning with the query.

    A query without words and meaning finds the newest memories, with score 0.
    """
    rows = view.rows(filter)
    if limit <= 0 or not rows.size:
        return []
    if not query.words and not query.vector.any():
        return _newest(view, rows[::-1][:limit].tolist())
    words, meaning = _word_scores(view, query)[rows], _meaning_scores(view.index, query.vector, rows)
    seen = _Seen(view, rows, words, meaning, view.mask(SPOKEN)[rows], method.reranker)
    ranked = rank(seen, query.words, limit, method)
    return _as_hits(view, rows[ranked.places].tolist(), ranked.scores, ranked.parts)


def holders(view: View, terms: Sequence[str]) -> TermHolders:
    """Ids of the memories that hold each of these terms."""
    index = view.index
    load_postings(view.connection, index, terms)
    ids = {}
    for term in terms:
        rows = view.postings(term).rows
        ids[term] = tuple(index.ids[row] for row in rows[index.live[rows]].tolist())
    return TermHolders.model_construct(count=view.documents, ids=ids)


def _word_scores(view: View, query: SearchQuery) -> Doubles:
    scores = np.zeros(view.index.size)
    norms = view.index.length_norms
    load_postings(view.connection, view.index, query.words.values())
    for term in query.words.values():
        where = view.postings(term)
        if where.rows.size:
            bm25.add_term(scores, view.idf(term), where.rows, where.counts, norms)
    return scores


def _meaning_scores(index: ContainerIndex, vector: Floats, rows: Integers) -> Doubles:
    """Cosines. A matrix product would go through threaded BLAS, which takes many times the CPU of `vecdot`."""
    if not vector.any():
        return np.zeros(len(rows))
    few = len(rows) * _FEW < index.size
    cosines = np.vecdot(index.vectors[rows], vector) if few else np.vecdot(index.vectors, vector)[rows]
    doubles: Doubles = cosines.astype(np.float64)
    return doubles


def _documents(view: View, rows: Integers, reranker: Reranker) -> list[TokenIds]:
    """The token ids of these rows. Contents are cut into tokens only once."""
    index = view.index
    new = [row for row in rows.tolist() if index.tokens(row) is None]
    for row, content in zip(new, content_at(view.connection, index.number, _positions(index, new)), strict=True):
        index.keep_tokens(row, reranker.token_ids(plain(content)))
    return [ids for row in rows.tolist() if (ids := index.tokens(row)) is not None]


def _newest(view: View, rows: list[int]) -> list[Hit]:
    return _as_hits(view, rows, [0.0] * len(rows), [{}] * len(rows))


def _as_hits(view: View, rows: list[int], scores: Sequence[float], parts: Sequence[dict[str, float]]) -> list[Hit]:
    index = view.index
    memories = memories_at(view.connection, view.name, index.number, _positions(index, rows))
    return [  # not validated again: it was checked when it was written
        _BLANK.model_copy(update={"memory": memory, "score": score, "parts": made_of})
        for memory, score, made_of in zip(memories, scores, parts, strict=True)
    ]


def _positions(index: ContainerIndex, rows: list[int]) -> list[int]:
    found: list[int] = index.positions[np.array(rows, np.intp)].tolist()
    return found
