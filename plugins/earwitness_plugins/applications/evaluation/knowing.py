"""Who knows a fact, by what stands in the containers: each character's best memory of it against the world's best.

Measured as `backstage.who_knows` measures it (`earwitness.backstage.rarity`). Pure.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

from earwitness.backstage.rarity import TermStatistics, WeightedQuery, word_set

Texts = Sequence[frozenset[str]]


class Facts:
    """What was said in one conversation, ready to be asked for facts."""

    def __init__(self, world: Iterable[str]) -> None:
        """`world`: the texts of the world container."""
        self._told = held(world)
        self._world = TermStatistics.of(self._told)

    def shares(self, fact: str, containers: Mapping[str, Texts]) -> dict[str, float]:
        """Name → what its container's best memory holds of the fact, as a share of the world's best; 0 where nobody
        ever spoke of it."""
        asked = WeightedQuery(fact, self._world)
        best = _best(asked, self._told)
        return {name: min(_best(asked, own) / best, 1.0) if best else 0.0 for name, own in containers.items()}


def held(texts: Iterable[str]) -> list[frozenset[str]]:
    """A container's texts, ready to be scored."""
    return [word_set(text) for text in texts]


def _best(asked: WeightedQuery, container: Texts) -> float:
    return max(map(asked.held, container), default=0.0)
