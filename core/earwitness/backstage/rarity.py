"""How much of a question a text holds, its words weighed by how rare they are in one story's world. Pure.

The weight is BM25's inverse document frequency, ln(1 + (N - n + 0.5) / (n + 0.5)), never negative (Robertson and
Zaragoza, "The Probabilistic Relevance Framework: BM25 and Beyond", 2009, as in Lucene). How often a word stands in a
text and how long that is play no part: who heard of the sword in a long speech knows of it too.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterable
from math import log

from ..words import STOP_WORDS, plain, query_words, terms

LEAST = 0.5
"""The share of a question's weight that a text about it holds at least, …"""
SEVERAL = 2
"""… or, of a long question, the weight of this many words that one memory alone holds."""
NEAR_BEST = 0.8
"""What holds at least this share of what the world's best memory of it holds is a memory of the same."""


def word_set(text: str) -> frozenset[str]:
    """The terms of a text, without the furniture of our formats."""
    return frozenset(terms(plain(text)))


class World:
    """How rare every word is in a story's world."""

    def __init__(self, memories: Iterable[Collection[str]]) -> None:
        """`memories`: the `word_set` of each."""
        sets = list(memories)
        self._count = len(sets)
        self._holding = Counter(term for each in sets for term in each)

    def weight(self, term: str) -> float:
        """What a term weighs; one that nobody ever said weighs most."""
        return self._idf(self._holding[term])

    @property
    def once(self) -> float:
        """What a term weighs that one memory alone holds."""
        return self._idf(1)

    def _idf(self, holding: int) -> float:
        return log(1 + (max(self._count, holding) - holding + 0.5) / (holding + 0.5))


class Question:
    """A question asked of one world. One in nothing but stop words asks for nothing."""

    def __init__(self, text: str, world: World) -> None:
        asked = [term for word, term in query_words(text).items() if word not in STOP_WORDS]
        self._weights = {term: world.weight(term) for term in asked}
        self._enough = min(LEAST * sum(self._weights.values()), SEVERAL * world.once)

    def held(self, there: Collection[str]) -> float:
        """How much of the question these words hold; 0 where that is too little to be about it."""
        held = sum(weight for term, weight in self._weights.items() if term in there)
        return held if held >= self._enough else 0.0
