"""One container in memory, as a search needs it: for stores whose own service ranks less well, or more slowly.

All counts are the container's own. Rows are only ever added; a memory that is replaced or removed leaves a dead row
behind, and where those are the most, the index is made anew.
"""

from __future__ import annotations

from array import array
from collections import Counter
from collections.abc import Hashable, Iterable, Mapping, Sequence
from functools import partial
from typing import NamedTuple, TypeVar

import numpy as np
from numpy.typing import NDArray

from earwitness.filters import EVERYTHING, Filter
from earwitness.records.backends import TermHolders
from earwitness.records.memory import Hit, Memory
from earwitness.slices import Pace
from earwitness.words import idf, plain, query_words
from earwitness.words import terms as terms_of

from . import bm25
from .arrays import Doubles, Flags, Floats, Integers, TokenIds
from .columns import Column
from .masks import key, mask
from .neighbours import SPOKEN
from .ranker import RankingMethod, rank
from .rerank import Reranker
from .rows import IndexedCandidates, Occurrences, Selection

_BYTES_A_MEMORY = 2_500
"""About what the Python objects of one take, beside its text and vector."""
_SPARE = 512
"""So many dead rows are no reason yet to make the index anew."""
_SELECTIONS = 16
"""So many filters are kept with what they let through."""
_NOWHERE = array("q")
S = TypeVar("S", bound=np.generic)


class IndexedMemory(NamedTuple):
    """A memory with what an index needs to know of it."""

    memory: Memory
    """Nobody may change it afterwards."""
    position: int
    """Memories are listed in the order of these."""
    terms: Sequence[str]
    """The `earwitness.words.terms` of its `plain` content."""
    vector: Floats
    """Shape (dimension,)."""


class _Field(NamedTuple):
    """The values of a metadata field."""

    column: Column
    size: int
    """Of how many rows."""


class MemoryIndex:
    """The memories of one container. `dimension` is the length of a vector."""

    def __init__(self, dimension: int) -> None:
        self._dimension = dimension
        self._clear()

    def __len__(self) -> int:
        return len(self._row_of)

    @property
    def nbytes(self) -> int:
        """About how many bytes it takes."""
        return self._vectors.nbytes + 2 * self._characters + _BYTES_A_MEMORY * len(self._memories)

    def put(self, memories: Iterable[IndexedMemory]) -> None:
        """Take in or replace memories by id."""
        for each in memories:
            self._kill(each.memory.id)
            self._add(each)
        self._changed()

    async def put_in_slices(self, memories: Iterable[IndexedMemory]) -> None:
        """As `put`, in slices, between which other tasks run. They find what was taken in by then."""
        pace = Pace()
        for each in memories:
            self.put([each])
            await pace.kept()

    def remove(self, ids: Iterable[str]) -> None:
        """Take memories out. Unknown ids are ignored."""
        for id in ids:
            self._kill(id)
        self._changed()

    def get(self, id: str) -> Memory | None:
        """The memory with this id."""
        row = self._row_of.get(id)
        return None if row is None else self._memories[row]

    def ids(self) -> Sequence[str]:
        """The ids of all memories, in no order."""
        return [*self._row_of]

    def list(self, filter: Filter = EVERYTHING, limit: int | None = None, offset: int = 0) -> list[Memory]:
        """Memories in the order of their positions."""
        end = None if limit is None else max(offset, 0) + max(limit, 0)
        return [self._memories[row] for row in self.selected(filter).rows[max(offset, 0) : end].tolist()]

    def search(self, query: str, vector: Floats, filter: Filter, limit: int, method: RankingMethod) -> Sequence[Hit]:
        """The best hits that match the filter and share a word or some meaning with the query, best first; ties by id.

        A query without words and meaning finds the newest memories, with score 0.

        Args:
            query: a question, `plain`.
            vector: its vector, shape (dimension,).
            filter: what may be found.
            limit: how many at most.
            method: how to rank.
        """
        rows, spoken = self.selected(filter)
        if limit <= 0 or not rows.size:
            return []
        words = query_words(query)
        if not words and not vector.any():
            return [self._hit(row, 0.0, {}) for row in rows[::-1][:limit].tolist()]
        scores, idfs = self._word_scores([*words.values()])
        meaning = np.vecdot(self._vectors[rows], vector).astype(np.float64)
        tokens_of = partial(self.tokens, reranker=method.reranker)
        seen = IndexedCandidates(rows, scores[rows], meaning, spoken, idfs, self.id_at, tokens_of)
        ranked = rank(seen, words, limit, method)
        chosen = zip(rows[ranked.places].tolist(), ranked.scores, ranked.parts, strict=True)
        return [self._hit(row, score, parts) for row, score, parts in chosen]

    def holders(self, terms: Sequence[str]) -> TermHolders:
        """Who holds each of these terms; see `earwitness.extras.TermIndex`."""
        held = {term: self._postings.get(term, _NOWHERE)[::2] for term in terms}
        ids = {term: tuple(self.id_at(row) for row in rows if self._live[row]) for term, rows in held.items()}
        return TermHolders(count=len(self), ids=ids)

    def selected(self, filter: Filter) -> Selection:
        """What a filter lets through."""
        its_key = key(filter)
        found = self._selections.get(its_key)
        if found is None:
            rows = np.flatnonzero(self._live[: self._size] & self._mask(filter))
            rows = rows[np.argsort(self._positions[rows], kind="stable")]
            found = Selection(rows, self._mask(SPOKEN)[rows])
            if len(self._selections) < _SELECTIONS:
                self._selections[its_key] = found
        return found

    def tokens(self, rows: Integers, reranker: Reranker | None) -> Sequence[TokenIds]:
        """The reranker's token ids of these rows; none without a reranker."""
        return [self._tokens_of(row, reranker) for row in rows.tolist()] if reranker else []

    def _tokens_of(self, row: int, reranker: Reranker) -> TokenIds:
        """A content is cut into tokens only once."""
        found = self._tokens.get(row)
        if found is None:
            found = self._tokens[row] = reranker.token_ids(plain(self._memories[row].content))
        return found

    def id_at(self, row: int) -> str:
        """The id of the memory in a row."""
        return self._memories[row].id

    def _hit(self, row: int, score: float, parts: Mapping[str, float]) -> Hit:
        return Hit.unchecked({"memory": self._memories[row], "score": score, "parts": parts})

    # ── rows ────────────────────────────────────────────────────────────────────────────────────────────────────────

    def _clear(self) -> None:
        self._size = 0
        self._characters = 0
        self._row_of: dict[str, int] = {}
        self._memories: list[Memory] = []
        self._postings: dict[str, array[int]] = {}
        """Term → row, count, row, count, …"""
        self._columns: dict[str, _Field] = {}
        self._tokens: dict[int, TokenIds] = {}
        self._positions = np.zeros(0, np.int64)
        self._lengths = np.zeros(0, np.int64)
        self._live = np.zeros(0, np.bool_)
        self._vectors = np.zeros((0, self._dimension), np.float32)
        self._changed()

    def _changed(self) -> None:
        """Forget what was worked out before."""
        self._norms: Doubles | None = None
        self._selections: dict[Hashable, Selection] = {}
        if self._size > 2 * len(self._row_of) + _SPARE:
            self._make_anew()

    def _make_anew(self) -> None:
        memories, positions, vectors = self._memories, self._positions, self._vectors
        living = sorted(self._row_of.values())
        self._clear()
        for row in living:
            each = memories[row]
            self._add(IndexedMemory(each, int(positions[row]), terms_of(plain(each.content)), vectors[row]))

    def _add(self, new: IndexedMemory) -> None:
        row = self._size
        self._reserve(row + 1)
        self._size += 1
        self._row_of[new.memory.id] = row
        self._positions[row], self._lengths[row], self._live[row] = new.position, len(new.terms), True
        self._vectors[row] = new.vector
        self._memories.append(new.memory)
        self._characters += len(new.memory.content)
        for term, count in Counter(new.terms).items():
            self._postings.setdefault(term, array("q")).extend((row, count))

    def _kill(self, id: str) -> None:
        row = self._row_of.pop(id, None)
        if row is not None:
            self._live[row] = False
            self._tokens.pop(row, None)

    def _reserve(self, size: int) -> None:
        if size > len(self._live):
            larger = max(size, len(self._live) * 3 // 2, 64)
            self._positions = _grown(self._positions, larger)
            self._lengths = _grown(self._lengths, larger)
            self._live = _grown(self._live, larger)
            self._vectors = _grown(self._vectors, larger)

    # ── what may be found, and how well it fits ─────────────────────────────────────────────────────────────────────

    def _mask(self, filter: Filter) -> Flags:
        return mask(filter, self._size, self._column)

    def _column(self, field: str) -> Column:
        """The values of a field by row. Rows that came since the last time are added."""
        found = self._columns.get(field) or _Field(Column(), 0)
        if found.size < self._size:
            new = self._memories[found.size : self._size]
            found.column.put(np.arange(found.size, self._size), [each.metadata.get(field) for each in new])
            self._columns[field] = _Field(found.column, self._size)
        return found.column

    def _word_scores(self, terms: Sequence[str]) -> tuple[Doubles, dict[str, float]]:
        """BM25 of all rows, shape (size,), and what each term weighs."""
        rows, counts, places = self._occurrences(terms)
        holding = np.bincount(places[self._live[rows]], minlength=len(terms)).tolist()
        idfs = [idf(len(self), containing) for containing in holding]
        if self._norms is None:
            self._norms = bm25.length_norms(self._lengths[: self._size], self._live[: self._size])
        scores = bm25.scores(np.array(idfs, np.float64)[places], rows, counts, self._norms)
        return scores, dict(zip(terms, idfs, strict=True))

    def _occurrences(self, terms: Sequence[str]) -> Occurrences:
        found = [self._postings.get(term, _NOWHERE) for term in terms]
        pairs = np.array(sum(found, array("q")), np.int64)
        sizes = [len(each) // 2 for each in found]
        return Occurrences(pairs[0::2], pairs[1::2], np.repeat(np.arange(len(terms)), sizes))


def _grown(values: NDArray[S], size: int) -> NDArray[S]:
    larger = np.zeros((size, *values.shape[1:]), values.dtype)
    larger[: len(values)] = values
    return larger
