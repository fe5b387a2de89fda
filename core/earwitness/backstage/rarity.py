"""How much of a question a text holds, where a word counts by how rare it is in one story's world. Pure.

The weight of a word is `earwitness.words.idf`. How often a text holds a word, and how long the text is, play no part:
a character who heard of the sword in a long speech knows of it too.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass
from typing import Self

from ..words import STOP_WORDS, idf, plain, query_words, terms

LEAST = 0.5
"""A text is about a question if it holds at least this share of the question's weight, …"""
SEVERAL = 2
"""… or, for a long question, the weight of this many words that only one memory holds."""
NEAR_BEST = 0.8
"""A text is about the same thing as the world's best memory of it if it holds this share of what that one holds."""


def word_set(text: str) -> frozenset[str]:
    """The terms of a text, without the furniture of our formats."""
    return frozenset(terms(plain(text)))


def asked_terms(question: str) -> tuple[str, ...]:
    """The terms that a question asks for, each once; none when it holds nothing but stop words."""
    return tuple(term for word, term in query_words(question).items() if word not in STOP_WORDS)


@dataclass(frozen=True)
class TermStatistics:
    """How rare the terms of a story's world are."""

    count: int
    """How many memories the world holds."""
    holding: Mapping[str, int]
    """Term → how many of them hold it; a term that is missing is held by none."""

    @classmethod
    def of(cls, memories: Iterable[Collection[str]]) -> Self:
        """Count the terms of memories, given the `word_set` of each."""
        sets = list(memories)
        return cls(len(sets), Counter(term for each in sets for term in each))

    def weight(self, term: str) -> float:
        """What a term weighs; one that no memory holds weighs most."""
        return self._idf(self.holding.get(term, 0))

    @property
    def once(self) -> float:
        """What a term weighs that only one memory holds."""
        return self._idf(1)

    def _idf(self, holding: int) -> float:
        return idf(max(self.count, holding), holding)


class WeightedQuery:
    """A question asked of one world. One that holds nothing but stop words matches no text."""

    def __init__(self, question: str, statistics: TermStatistics) -> None:
        self._weights = {term: statistics.weight(term) for term in asked_terms(question)}
        self._enough = min(LEAST * sum(self._weights.values()), SEVERAL * statistics.once)

    def held(self, there: Collection[str]) -> float:
        """How much of the question these terms hold; 0 where that is too little to be about it."""
        held = sum(weight for term, weight in self._weights.items() if term in there)
        return held if held >= self._enough else 0.0
