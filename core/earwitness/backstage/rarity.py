"""Measures how much of a question a text covers. Words that are rare in the story's world count more. Pure functions.

The weight of a word is `earwitness.words.idf`. The frequency of a word within a text and the length of the text do not
matter: a character who heard of the sword in a long speech knows of it too.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass
from typing import Self

from ..words import STOP_WORDS, idf, plain, query_words, terms

LEAST = 0.5
"""A text is about a question if it covers at least this share of the question's weight, …"""
SEVERAL = 2
"""… or, for a long question, the weight of this many words that occur in only one memory."""
NEAR_BEST = 0.8
"""A text is about the same thing as the world's best memory if it covers this share of what that memory covers."""


def word_set(text: str) -> frozenset[str]:
    """The terms of a text, without the headings and labels of our formats."""
    return frozenset(terms(plain(text)))


def asked_terms(question: str) -> tuple[str, ...]:
    """The distinct terms of a question; none if it consists of stop words only."""
    return tuple(term for word, term in query_words(question).items() if word not in STOP_WORDS)


@dataclass(frozen=True)
class TermStatistics:
    """Statistics on how rare terms are in a story's world."""

    count: int
    """Number of the world's memories."""
    holding: Mapping[str, int]
    """Term → number of memories that contain it. A missing term occurs in none."""

    @classmethod
    def of(cls, memories: Iterable[Collection[str]]) -> Self:
        """Statistics of memories, given the `word_set` of each."""
        sets = list(memories)
        return cls(len(sets), Counter(term for each in sets for term in each))

    def weight(self, term: str) -> float:
        """The weight of a term. A term that occurs in no memory has the highest weight."""
        return self._idf(self.holding.get(term, 0))

    @property
    def once(self) -> float:
        """The weight of a term that occurs in only one memory."""
        return self._idf(1)

    def _idf(self, holding: int) -> float:
        return idf(max(self.count, holding), holding)


class WeightedQuery:
    """A question with the weights of its terms in one world. A question of stop words only matches no text."""

    def __init__(self, question: str, statistics: TermStatistics) -> None:
        self._weights = {term: statistics.weight(term) for term in asked_terms(question)}
        self._enough = min(LEAST * sum(self._weights.values()), SEVERAL * statistics.once)

    def held(self, there: Collection[str]) -> float:
        """The weight of the question that these terms cover; 0 if it is too little to be about the question."""
        return self.held_by(term for term in self._weights if term in there)

    def held_by(self, terms: Iterable[str]) -> float:
        """As `held`, of terms that the question has, each once, in its order."""
        held = sum(self._weights[term] for term in terms)
        return held if held >= self._enough else 0.0
