"""Which rows of an index a search looks at, and what it finds in them."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import NamedTuple

from .arrays import Doubles, Flags, Integers, TokenIds


class Occurrences(NamedTuple):
    """Where some terms occur: one element for each row that holds one of them; shapes (m,).

    For each row they come in the order of the terms. Deleted rows are among them.
    """

    rows: Integers
    counts: Integers
    """How often the row holds the term."""
    terms: Integers
    """Which of the terms it is, by place."""


class Selection(NamedTuple):
    """The rows that a filter lets through, in the order they were first written; shapes (n,)."""

    rows: Integers
    spoken: Flags
    """Which of them are messages."""


@dataclass(frozen=True, eq=False)
class IndexedCandidates:
    """The n rows of an index that a search may find; see `ranker.Candidates`."""

    rows: Integers
    """Row numbers in the index; shape (n,)."""
    words: Doubles
    """BM25 scores; shape (n,)."""
    meaning: Doubles
    """Cosines with the query; shape (n,)."""
    spoken: Flags
    """Which of them are messages; shape (n,)."""
    idfs: Mapping[str, float]
    """Term → its inverse document frequency in the container."""
    id_of: Callable[[int], str]
    """Row number → id of its memory."""
    tokens_of: Callable[[Integers], Sequence[TokenIds]]
    """Row numbers → the reranker's token ids of their memories."""

    def id_at(self, place: int) -> str:
        """The id of the memory at a place."""
        return self.id_of(int(self.rows[place]))

    def idf(self, term: str) -> float:
        """What a term weighs in this container."""
        return self.idfs[term]

    def tokens(self, places: Sequence[int]) -> Sequence[TokenIds]:
        """The token ids of these rows."""
        return self.tokens_of(self.rows[places])
