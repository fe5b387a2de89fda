"""One statement scores what a search may find in one container; `earwitness_plugins.ranking` ranks that.

BM25 is worked out from the container's own counts. The vectors of its first ten thousand memories are all compared;
those of what comes later are found through the HNSW index, which goes on until it has enough of this container.
Scores come as arrays. The texts of the few that may be among the best are read by a second statement.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from earwitness.long_texts import aside
from earwitness.words import idf, query_words
from earwitness_plugins.postgres import Connection
from earwitness_plugins.ranking import Doubles, Flags, Integers, RankingMethod, RankingSteps, TokenIds
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
_ALL = """, visible AS (
    SELECT m.number, m.spoken, coalesce(-(m.embedding <#> %(vector)s::halfvec), 0) AS meaning
    FROM earwitness.memory m WHERE m.container = {its} AND {condition}
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
), visible AS (
    SELECT * FROM found UNION ALL SELECT * FROM named
)"""
"""Which messages stand beside each other is known only of the first: the others are lifted by no neighbour."""
_SCORES = """
SELECT c.number, c.memories, v.*, l.*, d.* FROM c, (
    SELECT array_send(array_agg(number)), array_send(array_agg(spoken)), array_send(array_agg(meaning)) FROM visible
) v, (
    SELECT array_send(array_agg(number)), array_send(array_agg(score)) FROM lexical
) l, (
    SELECT array_agg(term), array_agg(documents) FROM (SELECT DISTINCT term, documents FROM held) t
) d
"""
_FOUND_NUMBER, _KNOWN_NUMBER = "(SELECT number FROM c)", "%(number)s::integer"
_NEWEST = """
SELECT m.id, m.content, coalesce(m.exact_metadata::text, m.metadata::text) FROM earwitness.memory m
WHERE m.container = (SELECT number FROM earwitness.memory_container WHERE name = %(container)s) AND {condition}
ORDER BY m.number DESC LIMIT %(limit)s
"""
_TEXTS = b"""
SELECT m.number, m.id, m.content, coalesce(m.exact_metadata::text, m.metadata::text) FROM earwitness.memory m
WHERE m.container = %(container)s::integer AND m.number = ANY(%(numbers)s::bigint[])
"""
_HEAD = 20
"""Bytes before the elements of an array."""
LARGE = b"""
SET LOCAL hnsw.iterative_scan = strict_order;
SET LOCAL hnsw.max_scan_tuples = 100000;
SET LOCAL plan_cache_mode = force_custom_plan
"""
"""For large containers. Else a search would end when the index has looked at 40 vectors of all containers, and the
server would plan it as for a container of usual size, without the index."""


class FoundMemory(NamedTuple):
    """A memory as it is stored."""

    id: str
    content: str
    metadata: str
    """JSON; of most that are read, nobody parses it."""


class KnownContainer(NamedTuple):
    """What a search has learned of a container, for those that follow."""

    number: int
    """With it the server plans for one partition only."""
    is_large: bool
    """Whether it has too many vectors to compare them all."""


class MemoryGone(Exception):
    """What one statement found, another has removed before it was read: ask both of one state of the database."""


TokensOf = Callable[[str], TokenIds]
"""Content → the reranker's token ids."""
TextsOf = Callable[[Sequence[int]], Awaitable[Sequence[tuple[Any, ...]]]]
"""`texts` of one container: numbers → rows."""


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
        """SQL and its parameters. What is `known` of the container must be checked with what is found.

        Without words and meaning it gives the columns of `FoundMemory`, else those of `FoundScores`.
        """
        given = {"container": container, "limit": self.limit, **condition.parameters}
        if self.is_empty:
            return _NEWEST.format(condition=condition.text), given
        visible = _FIRST_AND_BEST if known and known.is_large else _ALL
        statement = (_HELD + visible + _SCORES).format(
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


class FoundScores(NamedTuple):
    """What a statement found in a container: n memories that the filter lets through, and m that hold a word."""

    container: int
    """Its number."""
    held: int
    """How many memories it holds."""
    numbers: bytes | None = None
    """Of the n memories: arrays as PostgreSQL sends them; `None` where there are none."""
    spoken: bytes | None = None
    """Which of them are messages."""
    meaning: bytes | None = None
    """Their cosines."""
    word_numbers: bytes | None = None
    """Of the m memories; the filter may not let them through."""
    word_scores: bytes | None = None
    """Their BM25 scores."""
    terms: Sequence[str] | None = None
    """The terms of the query that the container holds."""
    documents: Sequence[int] | None = None
    """How many memories hold each."""


@dataclass(eq=False)
class FoundCandidates:
    """The memories of a container in the order they were first written; see `earwitness_plugins.ranking.Candidates`.

    Raises `MemoryGone` for ids and tokens of what was not read.
    """

    numbers: Integers
    words: Doubles
    meaning: Doubles
    spoken: Flags
    held: int
    documents: Mapping[str, int]
    tokens_of: TokensOf
    texts: dict[int, FoundMemory] = field(default_factory=dict)
    """By number: what was read."""

    @classmethod
    def of(cls, found: FoundScores, tokens_of: TokensOf) -> FoundCandidates:
        """What a statement found."""
        numbers = _array(found.numbers, "i8")
        order = np.argsort(numbers, kind="stable")
        numbers = numbers[order]
        return cls(
            numbers,
            _placed(numbers, _array(found.word_numbers, "i8"), _array(found.word_scores, "f8")),
            _array(found.meaning, "f8")[order],
            _array(found.spoken, "?")[order],
            found.held,
            dict(zip(found.terms or (), found.documents or (), strict=True)),
            tokens_of,
        )

    def at(self, place: int) -> FoundMemory:
        """The memory at a place."""
        number = int(self.numbers[place])
        if number not in self.texts:
            raise MemoryGone
        return self.texts[number]

    def id_at(self, place: int) -> str:
        """Its id."""
        return self.at(place).id

    def idf(self, term: str) -> float:
        """What a term weighs in this container."""
        return idf(self.held, self.documents.get(term, 0))

    def tokens(self, places: Sequence[int]) -> Sequence[TokenIds]:
        """The token ids of the memories at these places."""
        return [self.tokens_of(self.at(place).content) for place in places]

    async def read(self, places: Sequence[int], texts_of: TextsOf) -> None:
        """Read the memories at these places, unless they were read before."""
        wanted = [number for number in self.numbers[list(places)].tolist() if number not in self.texts]
        if wanted:
            self.texts |= {row[0]: FoundMemory(*row[1:]) for row in await texts_of(wanted)}


async def scores(connection: Connection, statement: str, parameters: Mapping[str, Any]) -> FoundScores | None:
    """What `HybridQuery.statement` finds; `None` without a container."""
    cursor = connection.cursor(binary=True)
    row = await (await cursor.execute(statement.encode(), parameters)).fetchone()
    return None if row is None else FoundScores(*row)


async def texts(connection: Connection, container: int, numbers: Sequence[int]) -> Sequence[tuple[Any, ...]]:
    """The memories with these numbers that are there: number, id, content, metadata."""
    wanted = {"container": container, "numbers": "{" + ",".join(map(str, numbers)) + "}"}
    return await (await connection.execute(_TEXTS, wanted)).fetchall()


async def ranked(
    candidates: FoundCandidates, query: HybridQuery, method: RankingMethod, texts_of: TextsOf
) -> list[ScoredRow]:
    """The best, best first: each with its score, and what that is made of. Raises `MemoryGone`."""
    size = len(query.text)
    ranking = await aside(size, RankingSteps, candidates, query.words, query.limit, method)
    await candidates.read(ranking.shortlist, texts_of)
    await aside(size, ranking.rerank)
    await candidates.read(ranking.finalists, texts_of)
    best = ranking.best()
    rows = zip(best.places, best.scores, best.parts, strict=True)
    return [(candidates.at(place), score, parts) for place, score, parts in rows]


def _placed(numbers: Integers, some: Integers, scores: Doubles) -> Doubles:
    """The scores of some memories as those of all of these ascending numbers, 0 where there is none."""
    found: Doubles = np.zeros(len(numbers))
    if len(numbers) and len(some):
        places = np.minimum(np.searchsorted(numbers, some), len(numbers) - 1)
        there = numbers[places] == some
        found[places[there]] = scores[there]
    return found


def _array(sent: bytes | None, kind: str) -> NDArray[Any]:
    """An array without nulls, of one dimension. Format: `array_send` in PostgreSQL's `arrayfuncs.c`.

    Five integers (dimensions, flags, type; size and lower bound of the dimension), then the elements, each after its
    length.
    """
    elements = np.dtype([("length", ">i4"), ("value", np.dtype(kind).newbyteorder(">"))])
    return np.frombuffer(sent or b"", elements, offset=_HEAD if sent else 0)["value"].astype(kind)
