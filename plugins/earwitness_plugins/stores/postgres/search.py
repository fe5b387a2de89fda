"""One statement finds what may be among the best of one container; `earwitness_plugins.ranking` ranks that.

BM25 is worked out from the container's own counts. The vectors of its first ten thousand memories are all compared;
those of what comes later are found through the HNSW index, which goes on until it has enough of this container.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any, NamedTuple

import numpy as np

from earwitness.words import idf, query_words
from earwitness_plugins.ranking import Doubles, Flags, Ranked, RankingMethod, TokenIds, rank
from earwitness_plugins.ranking.bm25 import K1, B
from earwitness_plugins.ranking.fusion import DEPTH

from .conditions import JsonbCondition
from .text import kept

_HELD = """
WITH c AS MATERIALIZED (
    SELECT number, memories, words::double precision / greatest(memories, 1) AS average
    FROM earwitness.memory_container WHERE name = %(container)s
), held AS MATERIALIZED (
    SELECT w.number, w.term, w.times, w.words, count(*) OVER (PARTITION BY w.term) AS documents
    FROM earwitness.memory_word w WHERE w.container = {its} AND w.term = ANY(%(terms)s::text[])
), lexical AS MATERIALIZED (
    SELECT h.number, sum(
        ln(1 + (c.memories - h.documents + 0.5::float8) / (h.documents + 0.5::float8))
        * (%(k1)s::float8 + 1) * h.times
        / (h.times + %(k1)s::float8 * (1 - %(b)s::float8 + %(b)s::float8 * h.words / greatest(c.average, 1)))
    ) AS score
    FROM held h, c GROUP BY h.number
)"""
_ALL = """, visible AS MATERIALIZED (
    SELECT m.number, m.spoken, coalesce(l.score, 0) AS words,
        coalesce(-(m.embedding <#> %(vector)s::halfvec), 0) AS meaning
    FROM earwitness.memory m LEFT JOIN lexical l ON l.number = m.number
    WHERE m.container = {its} AND {condition}
)"""
_FIRST_AND_BEST = """, found AS MATERIALIZED (
    (SELECT m.number, m.spoken, coalesce(-(m.embedding <#> %(vector)s::halfvec), 0) AS meaning
    FROM earwitness.memory m WHERE m.container = {its} AND NOT m.indexed AND {condition})
    UNION ALL
    (SELECT m.number, false,
        coalesce(-((m.embedding::halfvec({dimension})) <#> %(vector)s::halfvec({dimension})), 0) AS meaning
    FROM earwitness.memory m WHERE m.container = {its} AND m.indexed AND {condition}
    ORDER BY (m.embedding::halfvec({dimension})) <#> %(vector)s::halfvec({dimension}) LIMIT %(depth)s)
), named AS MATERIALIZED (
    SELECT m.number, false, coalesce(-(m.embedding <#> %(vector)s::halfvec), 0) AS meaning
    FROM (SELECT number FROM lexical ORDER BY score DESC LIMIT 10 * %(depth)s) l, LATERAL (
        SELECT * FROM earwitness.memory m
        WHERE m.container = {its} AND m.number = l.number AND m.indexed AND {condition} LIMIT 1
    ) m WHERE l.number NOT IN (SELECT number FROM found)
), visible AS MATERIALIZED (
    SELECT f.number, f.spoken, coalesce(l.score, 0) AS words, f.meaning
    FROM (SELECT * FROM found UNION ALL SELECT * FROM named) f LEFT JOIN lexical l ON l.number = f.number
)"""
"""Which messages stand beside each other is known only of the first: the others are lifted by no neighbour."""
_NEAR = """, least AS MATERIALIZED (
    SELECT (SELECT words FROM visible WHERE words > 0 ORDER BY words DESC OFFSET %(depth)s - 1 LIMIT 1) AS words,
        (SELECT meaning FROM visible WHERE meaning > 0 ORDER BY meaning DESC OFFSET %(depth)s - 1 LIMIT 1) AS meaning
), strong AS (
    SELECT v.number, v.spoken, v.words, v.meaning, (v.words > 0 AND v.words >= coalesce(least.words, 0))
        OR (v.meaning > 0 AND v.meaning >= coalesce(least.meaning, 0)) AS good
    FROM visible v, least
), placed AS (
    SELECT s.*, row_number() OVER beside AS place, lag(good) OVER beside AS before, lead(good) OVER beside AS after
    FROM strong s WINDOW beside AS (PARTITION BY spoken ORDER BY number)
)
SELECT p.spoken, p.place, p.words, p.meaning, m.id, m.content, coalesce(m.exact_metadata::text, m.metadata::text)
FROM placed p, LATERAL (
    SELECT * FROM earwitness.memory m WHERE m.container = {its} AND m.number = p.number LIMIT 1
) m
WHERE p.good OR (p.spoken AND (p.before OR p.after))
UNION ALL
SELECT NULL, d.documents, c.memories, c.number, d.term, NULL, NULL FROM c LEFT JOIN
    (SELECT DISTINCT term, documents FROM held) d ON true
ORDER BY 1, 2
"""
_FOUND_NUMBER, _KNOWN_NUMBER = "(SELECT number FROM c)", "%(number)s::integer"
_NEWEST = """
SELECT m.id, m.content, coalesce(m.exact_metadata::text, m.metadata::text) FROM earwitness.memory m
WHERE m.container = (SELECT number FROM earwitness.memory_container WHERE name = %(container)s) AND {condition}
ORDER BY m.number DESC LIMIT %(limit)s
"""
ITERATE = b"SET LOCAL hnsw.iterative_scan = strict_order; SET LOCAL hnsw.max_scan_tuples = 100000"
"""Without it, a search of one container would end when the index has looked at 40 vectors of all containers."""


class FoundMemory(NamedTuple):
    """A memory as it is stored."""

    id: str
    content: str
    metadata: str
    """JSON; of most that are found, nobody reads it."""


class KnownContainer(NamedTuple):
    """What a search has learned of a container, for those that follow."""

    number: int
    """With it the server plans for one partition only."""
    is_large: bool
    """Whether it has too many vectors to compare them all."""


TokensOf = Callable[[str], TokenIds]
"""Content → the reranker's token ids."""


@dataclass(frozen=True, eq=False)
class HybridQuery:
    """A query, with what can be worked out without a container."""

    text: str
    vector: str | None
    """As pgvector reads it; `None` without meaning."""
    dimension: int
    limit: int

    @cached_property
    def words(self) -> dict[str, str]:
        """Word → term."""
        return query_words(self.text)

    @property
    def is_empty(self) -> bool:
        """Whether it has neither words nor meaning: then the newest are found."""
        return not self.words and self.vector is None

    def statement(
        self, container: str, condition: JsonbCondition, known: KnownContainer | None
    ) -> tuple[str, dict[str, Any]]:
        """SQL and its parameters. What is `known` of the container must be checked with what is found."""
        given = {"container": container, "limit": self.limit, **condition.parameters}
        if self.is_empty:
            return _NEWEST.format(condition=condition.text), given
        visible = _FIRST_AND_BEST if known and known.is_large else _ALL
        statement = (_HELD + visible + _NEAR).format(
            its=_FOUND_NUMBER if known is None else _KNOWN_NUMBER,
            condition=condition.text,
            dimension=int(self.dimension),
        )
        given |= {
            "k1": K1,
            "b": B,
            "terms": [kept(term) for term in self.words.values()],
            "vector": self.vector,
            "depth": max(self.limit, DEPTH),
        }
        return statement, given if known is None else given | {"number": known.number}


ScoredRow = tuple[FoundMemory, float, dict[str, float]]
"""A row, its score from 0 to 1, and what that is made of."""


def newest(rows: Sequence[tuple[Any, ...]]) -> list[ScoredRow]:
    """What an empty query finds."""
    return [(FoundMemory(*row), 0.0, {}) for row in rows]


class FoundRows(NamedTuple):
    """What a statement found: candidates, and the container's counts."""

    rows: list[tuple[Any, ...]]
    held: int
    """How many memories the container holds."""
    number: int | None
    """The container's; `None` if it has never held any."""
    documents: Mapping[str, int]
    """Term → how many of them hold it."""

    @classmethod
    def of(cls, rows: Sequence[tuple[Any, ...]]) -> FoundRows:
        """Read the rows of a statement. The last ones are counts."""
        counts = [row for row in rows if row[0] is None]
        held, number = (int(counts[0][2]), int(counts[0][3])) if counts else (0, None)
        documents = {row[4]: int(row[1]) for row in counts if row[4] is not None}
        return cls([row for row in rows if row[0] is not None], held, number, documents)

    def ranked(self, query: HybridQuery, method: RankingMethod, tokens: TokensOf) -> Iterator[ScoredRow]:
        """The best, best first: each with its score, and what that is made of."""
        candidates = _FoundCandidates(self, tokens)
        best: Ranked = rank(candidates, query.words, query.limit, method)
        for place, score, parts in zip(best.places, best.scores, best.parts, strict=True):
            yield candidates.row_at(place), score, parts


class _FoundCandidates:
    """The candidates in the order they were first written; see `earwitness_plugins.ranking.Candidates`.

    Where messages that were not found stand between two that were, there is one that fits nothing: so the two are not
    beside each other.
    """

    def __init__(self, found: FoundRows, tokens: TokensOf) -> None:
        self._found = found
        self._tokens = tokens
        self._rows: list[tuple[Any, ...] | None] = [*_with_gaps(found.rows)]
        self.words: Doubles = np.array([row[2] if row else 0.0 for row in self._rows], np.float64)
        self.meaning: Doubles = np.array([row[3] if row else 0.0 for row in self._rows], np.float64)
        self.spoken: Flags = np.array([row is None or row[0] for row in self._rows], np.bool_)

    def row_at(self, place: int) -> FoundMemory:
        row = self._rows[place]
        assert row is not None  # noqa: S101 - what fits nothing is never among the best
        return FoundMemory(*row[4:])

    def id_at(self, place: int) -> str:
        row = self._rows[place]
        return row[4] if row else ""

    def idf(self, term: str) -> float:
        return idf(self._found.held, self._found.documents.get(term, 0))

    def tokens(self, places: Sequence[int]) -> Sequence[TokenIds]:
        return [self._tokens(self.row_at(place).content) for place in places]


def _with_gaps(rows: Sequence[tuple[Any, ...]]) -> Iterator[tuple[Any, ...] | None]:
    """Messages come after all else, in their order: what is no message has no neighbours."""
    before: int | None = None
    for row in rows:
        if row[0]:
            if before is not None and row[1] != before + 1:
                yield None
            before = row[1]
        yield row
