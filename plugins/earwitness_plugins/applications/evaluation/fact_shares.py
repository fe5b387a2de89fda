"""Who knows a fact? How much of what tells it in the world container a character's container holds. Pure.

The measure is that of `earwitness.backstage.likelihood`.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

from earwitness.backstage.likelihood import MOST, RETOLD, AskedFact, likelihoods, retold
from earwitness.backstage.rarity import TermStatistics, asked_terms, one_word, word_set
from earwitness.records.memory import Memory

Texts = Mapping[str, frozenset[str]]
"""Key of a message → the words of a container's copy of it."""


class FactShares:
    """The messages of one conversation."""

    def __init__(self, world: Texts) -> None:
        """`world`: the world container."""
        self._keys = list(world)
        self._words = list(world.values())
        self._world = TermStatistics.of(self._words)

    def shares(self, fact: AskedFact, containers: Mapping[str, Texts]) -> dict[str, float]:
        """Name → the likelihood of what that container holds, from 0 to 1; 0 for a fact that nobody ever spoke of."""
        likely, again = likelihoods(fact, self._words), retold(fact, self._words)
        asked = [*map(one_word, asked_terms(fact.whole))]
        found = {}
        for name, own in containers.items():
            held = self._held(asked, own)
            least = RETOLD if any(again[place] for place in held) else 0.0
            found[name] = min(max(sum(likely[place] for place in held), least), 1.0)
        return found

    def _held(self, asked: Sequence[str], own: Texts) -> list[int]:
        """The places of the messages that a container holds, whole or as far as they matter."""
        every = enumerate(zip(self._keys, self._words, strict=True))
        return [place for place, (key, words) in every if key in own and self._is_heard(asked, own[key], words)]

    def _is_heard(self, asked: Sequence[str], copy: frozenset[str], whole: frozenset[str]) -> bool:
        return copy >= whole or self._weight(asked, copy) >= MOST * self._weight(asked, whole)

    def _weight(self, asked: Iterable[str], words: frozenset[str]) -> float:
        return sum(self._world.weight(term) for term in set(asked) if term in words)


def texts_of(memories: Iterable[Memory]) -> dict[str, frozenset[str]]:
    """The words of each message in a container. What is not a message has its own id as key."""
    return {_key(each): word_set(each.content) for each in memories}


def _key(memory: Memory) -> str:
    return next(iter(memory.message_keys), memory.id)
