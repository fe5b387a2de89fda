"""Who knows a fact, by what stands in the containers: each character's best memory of it against the world's best.

Words are weighed by how rare they are in the world container (Okapi BM25, Robertson and Zaragoza 2009, k1 = 1.2,
b = 0.75), so that scores of different containers can be compared. Pure.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from math import log

from earwitness.words import plain, query_terms, terms

K1, B = 1.2, 0.75
NEAR_BEST = 0.8
"""Whose best memory of the fact scores at least this share of the world's best is said to know it."""


class Facts:
    """What was said in one conversation, ready to be asked for facts."""

    def __init__(self, world: Iterable[str]) -> None:
        """`world`: the texts of the world container."""
        told = [_counted(text) for text in world]
        self._told = told
        self._count = len(told)
        self._length = sum(map(Counter.total, told)) / max(len(told), 1)
        self._holding = Counter(term for counted in told for term in counted)

    def shares(self, fact: str, containers: Mapping[str, Sequence[Counter[str]]]) -> dict[str, float]:
        """Name → its container's best score as a share of the world's best; 0 where nobody ever spoke of it."""
        wanted = query_terms(fact)
        best = self._best(wanted, self._told)
        return {name: min(self._best(wanted, own) / best, 1.0) if best else 0.0 for name, own in containers.items()}

    def _best(self, wanted: Sequence[str], container: Iterable[Counter[str]]) -> float:
        return max((self._score(wanted, counted) for counted in container), default=0.0)

    def _score(self, wanted: Sequence[str], counted: Counter[str]) -> float:
        norm = K1 * (1 - B + B * counted.total() / (self._length or 1))
        return sum(
            self._rarity(term) * counted[term] * (K1 + 1) / (counted[term] + norm) for term in wanted if counted[term]
        )

    def _rarity(self, term: str) -> float:
        holding = self._holding[term]
        return log(1 + (self._count - holding + 0.5) / (holding + 0.5))


def held(texts: Iterable[str]) -> list[Counter[str]]:
    """A container's texts, ready to be scored."""
    return [_counted(text) for text in texts]


def _counted(text: str) -> Counter[str]:
    return Counter(terms(plain(text)))
