"""A search in one container, as one connection and one index see it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property, partial
from typing import NoReturn, cast

import apsw
import numpy as np

from earwitness.filters import EVERYTHING, Filter
from earwitness.records.backends import TermHolders
from earwitness.records.memory import Hit, Memory
from earwitness.records.read_only import read_only
from earwitness.words import idf, plain, query_words
from earwitness_plugins.ranking import Doubles, Flags, Floats, Integers, RankingMethod, Reranker, TokenIds, bm25, rank
from earwitness_plugins.ranking.masks import key, mask
from earwitness_plugins.ranking.neighbours import SPOKEN
from earwitness_plugins.ranking.rows import IndexedCandidates, Occurrences, Selection
from earwitness_plugins.sqlite import WouldBlock

from .container_index import ContainerIndex
from .loader import column, load_postings
from .memories import content_at, memories_at

_FEW = 4
"""Where fewer than one row in this many may be found, only their vectors are compared."""


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


_SELECTIONS = 16
"""So many filters are kept with what they let through."""


class _NoConnection:
    """Stands for a connection where all that is needed must be in memory."""

    def execute(self, *_: object) -> NoReturn:
        """Raises `WouldBlock`: it is to be read first."""
        raise WouldBlock


NO_CONNECTION = cast(apsw.Connection, _NoConnection())


@dataclass(frozen=True, eq=False)
class View:
    """A container by name, the connection that reads it, and its index."""

    name: str
    connection: apsw.Connection
    index: ContainerIndex

    def selected(self, filter: Filter) -> Selection:
        """The memories that match the filter."""
        kept, its_key = self.index.selections, key(filter)
        found = kept.get(its_key)
        if found is None:
            rows = self.rows(filter)
            found = Selection(rows, self._mask(SPOKEN)[rows])
            if len(kept) < _SELECTIONS:
                kept[its_key] = found
        return found

    def rows(self, filter: Filter) -> Integers:
        """The rows of the memories that match the filter, in the order they were first written."""
        index = self.index
        rows = (index.live if filter == EVERYTHING else index.live & self._mask(filter)).nonzero()[0]
        return rows if index.in_order else rows[np.argsort(index.positions[rows])]

    def _mask(self, filter: Filter) -> Flags:
        return mask(filter, self.index.size, partial(column, self.connection, self.index))

    def occurrences(self, terms: Sequence[str]) -> Occurrences:
        """Where the terms occur, deleted rows included."""
        load_postings(self.connection, self.index, terms)
        return self.index.occurrences(terms)


def search(view: View, query: SearchQuery, filter: Filter, limit: int, method: RankingMethod) -> list[Hit]:
    """The best hits among the memories that match the filter and share a word or some meaning with the query.

    A query without words and meaning finds the newest memories, with score 0.
    """
    rows, spoken = view.selected(filter)
    if limit <= 0 or not rows.size:
        return []
    if not query.words and not query.vector.any():
        return _newest(view, rows[::-1][:limit].tolist())
    words, idfs = _word_scores(view, list(query.words.values()))
    meaning = _meaning_scores(view.index, query.vector, rows)
    tokens_of = partial(_documents, view, reranker=method.reranker)
    seen = IndexedCandidates(rows, words[rows], meaning, spoken, idfs, view.index.ids.__getitem__, tokens_of)
    ranked = rank(seen, query.words, limit, method)
    return _as_hits(view, rows[ranked.places].tolist(), ranked.scores, ranked.parts)


def holders(view: View, terms: Sequence[str]) -> TermHolders:
    """Ids of the memories that hold each of these terms."""
    index = view.index
    if not terms:
        return TermHolders(count=index.documents, ids={})
    rows, _, places = view.occurrences(terms)
    live = index.live[rows]
    order = np.argsort(places[live], kind="stable")
    ends = np.cumsum(np.bincount(places[live], minlength=len(terms)))
    by_term = np.split(rows[live][order], ends[:-1])
    ids = {term: tuple([index.ids[row] for row in its.tolist()]) for term, its in zip(terms, by_term, strict=True)}
    return TermHolders.unchecked({"count": index.documents, "ids": ids})


def _word_scores(view: View, terms: Sequence[str]) -> tuple[Doubles, dict[str, float]]:
    """BM25 of all rows, shape (size,), and what each term weighs."""
    index = view.index
    rows, counts, places = view.occurrences(terms)
    there = places if index.documents == index.size else places[index.live[rows]]
    holding = np.bincount(there, minlength=len(terms)).tolist()
    idfs = [idf(index.documents, containing) for containing in holding]
    scores = bm25.scores(np.array(idfs, np.float64)[places], rows, counts, index.length_norms)
    return scores, dict(zip(terms, idfs, strict=True))


def _meaning_scores(index: ContainerIndex, vector: Floats, rows: Integers) -> Doubles:
    """Cosines. A matrix product would go through threaded BLAS, which takes many times the CPU of `vecdot`."""
    if not vector.any():
        return np.zeros(len(rows))
    few = len(rows) * _FEW < index.size
    cosines = np.vecdot(index.vectors[rows], vector) if few else np.vecdot(index.vectors, vector)[rows]
    doubles: Doubles = cosines.astype(np.float64)
    return doubles


def _documents(view: View, rows: Integers, reranker: Reranker | None) -> list[TokenIds]:
    """The token ids of these rows; none without a reranker. Contents are cut into tokens only once."""
    if reranker is None:
        return []
    index = view.index
    new = [row for row in rows.tolist() if index.tokens(row) is None]
    for row, content in zip(new, content_at(view.connection, index.source, _positions(index, new)), strict=True):
        index.keep_tokens(row, reranker.token_ids(plain(content)))
    return [ids for row in rows.tolist() if (ids := index.tokens(row)) is not None]


def _newest(view: View, rows: list[int]) -> list[Hit]:
    return _as_hits(view, rows, [0.0] * len(rows), [{}] * len(rows))


def _as_hits(view: View, rows: list[int], scores: Sequence[float], parts: Sequence[dict[str, float]]) -> list[Hit]:
    kept = _memories(view, rows)
    return [
        Hit.unchecked({"memory": kept[row], "score": score, "parts": made_of})
        for row, score, made_of in zip(rows, scores, parts, strict=True)
    ]


def _memories(view: View, rows: list[int]) -> Mapping[int, Memory]:
    """The memories of these rows, and others. They are read only once, and nobody can change them."""
    index = view.index
    if new := [row for row in rows if row not in index.memories]:
        read = memories_at(view.connection, view.name, index.source, _positions(index, new))
        for row, memory in zip(new, read, strict=True):
            index.keep_memory(row, memory.model_copy(update={"metadata": read_only(memory.metadata)}))
    return index.memories


def _positions(index: ContainerIndex, rows: list[int]) -> list[int]:
    found: list[int] = index.positions[np.array(rows, np.intp)].tolist()
    return found
