"""Who knows a fact? Compares each character's best memory of it with the best one in the world container.

The measure is that of `backstage.who_knows` (`earwitness.backstage.rarity`). Pure.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

from earwitness.backstage.rarity import TermStatistics, WeightedQuery, word_set

Texts = Sequence[frozenset[str]]


class FactShares:
    """The word statistics of one conversation."""

    def __init__(self, world: Iterable[str]) -> None:
        """`world`: the texts of the world container."""
        self._words = word_sets(world)
        self._world = TermStatistics.of(self._words)

    def shares(self, fact: str, containers: Mapping[str, Texts]) -> dict[str, float]:
        """Name → how much of the fact the best memory in that container holds, as a share of the world's best memory.

        0 for a fact that nobody ever spoke of.
        """
        asked = WeightedQuery(fact, self._world)
        best = _best(asked, self._words)
        return {name: min(_best(asked, own) / best, 1.0) if best else 0.0 for name, own in containers.items()}


def word_sets(texts: Iterable[str]) -> list[frozenset[str]]:
    """The words of each text of a container."""
    return [word_set(text) for text in texts]


def _best(asked: WeightedQuery, container: Texts) -> float:
    return max(map(asked.held, container), default=0.0)
