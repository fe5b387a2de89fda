"""Measures how much of a question a text covers. Words that are rare in the story's world count more. Pure functions.

The forms of an irregular verb (steal, stole, stolen) are one word. The weight of a word is `earwitness.words.idf`. The
frequency of a word within a text and the length of the text do not matter: a character who heard of the sword in a long
speech knows of it too.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass
from functools import cache
from types import MappingProxyType
from typing import Self

from ..words import STOP_WORDS, idf, plain, query_words, terms
from .clauses import word_list
from .irregular_verbs import BASE, BASES

LEAST = 0.5
"""A text is about a question if it covers at least this share of the question's weight, …"""
SEVERAL = 2
"""… or, for a long question, the weight of this many words that occur in only one memory."""
NEAR_BEST = 0.8
"""A text is about the same thing as the world's best memory if it covers this share of what that memory covers."""


EMPTY: Mapping[str, str] = MappingProxyType({})
"""No terms that mean the same."""
NOBODY = "nobodi"
"""The term of "nobody". Who says that nobody did it speaks of everybody of whom a question asks whether they did."""
LEAST_WITH_NOBODY = 3
"""Terms of the shortest question about what somebody did. A shorter one may be a topic, such as "the red key"."""
_UNNAMED = word_list("nobody none nothing neither nor never without cannot somebody someone anybody anyone")
"""Words that say how much of a question holds, and not what it is about."""


def word_set(text: str) -> frozenset[str]:
    """The terms of a text, without the headings and labels of our formats. Forms of a verb are one term."""
    bases = _base_terms()
    return frozenset(bases.get(term, term) for term in terms(plain(text)))


def asked_terms(question: str) -> tuple[str, ...]:
    """The distinct terms of a question; none if it consists of stop words only."""
    found = [(word, term) for word, term in query_words(question).items() if word not in STOP_WORDS]
    named = [term for word, term in found if word not in _UNNAMED]
    return tuple(named or [term for _, term in found])


def looked_up(question: str) -> tuple[str, ...]:
    """The terms to look up for a question: its own, and the other forms of its verbs."""
    bases = _base_terms()
    asked = {bases.get(term, term): None for term in asked_terms(question)}
    forms = [form for form, base in bases.items() if base in asked]
    nobody = [NOBODY] if len(asked) >= LEAST_WITH_NOBODY else []
    return tuple(dict.fromkeys([*asked_terms(question), *asked, *forms, *nobody]))


def one_word(term: str) -> str:
    """The term that stands for all forms of a verb; any other term itself."""
    return _base_terms().get(term, term)


@cache
def _base_terms() -> dict[str, str]:
    """Term of another form → term of the base form."""
    forms = [*BASE.items(), *((f"{base}s", base) for base in BASES)]
    pairs = ((terms(form), terms(base)) for form, base in forms)
    return {form: base for (form, *_), (base, *_) in pairs if form != base}


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

    def __init__(
        self,
        question: str,
        statistics: TermStatistics,
        least: float = LEAST,
        same: Mapping[str, str] = EMPTY,
    ) -> None:
        """`least` is the share of the question's weight that a text about it covers.

        `same` maps terms that mean the same, such as a character's names, to one of them.
        """
        self._same = same
        asked = dict.fromkeys(same.get(term, term) for term in map(one_word, asked_terms(question)))
        self._weights = {term: statistics.weight(term) for term in asked}
        self._enough = min(least * sum(self._weights.values()), SEVERAL * statistics.once)

    def held(self, there: Collection[str]) -> float:
        """The weight of the question that these terms cover; 0 if it is too little to be about the question."""
        there = {self._same.get(term, term) for term in there} if self._same else there
        held = 0.0
        for term, weight in self._weights.items():
            held += weight if term in there else 0.0
        if NOBODY in there and self._lacks_only_the_first(there):
            held += self._weights[self._first]
        return held if held >= self._enough else 0.0

    def held_in(self, holding: Mapping[str, Collection[str]]) -> dict[str, float]:
        """As `held`, of many memories: given the ids of those that contain each term, id → weight, without zeros."""
        return {id: weight for id, weight in self.covered_in(holding).items() if weight and weight >= self._enough}

    def covered_in(self, holding: Mapping[str, Collection[str]]) -> dict[str, float]:
        """As `held_in`, also of those memories that cover too little to be about the question."""
        held: dict[str, float] = {}
        for term, weight in self._weights.items():
            for id in holding.get(term, ()):
                held[id] = held.get(id, 0.0) + weight
        for id in holding.get(NOBODY, ()):
            if self._lacks_only_the_first({term for term in self._weights if id in holding.get(term, ())}):
                held[id] += self._weights[self._first]
        return held

    def shares(self, there: Collection[str]) -> bool:
        """Whether these terms have one of the question's."""
        return any(self._same.get(term, term) in self._weights for term in there)

    @property
    def enough(self) -> float:
        """What a memory must cover to be about the question."""
        return self._enough

    @property
    def _first(self) -> str:
        return next(iter(self._weights))

    def _lacks_only_the_first(self, there: Collection[str]) -> bool:
        """Whether only the first term is missing: what nobody did, whoever it names did not do either."""
        missing = [term for term in self._weights if term not in there]
        return len(self._weights) >= LEAST_WITH_NOBODY and missing == [self._first]
