"""START: from what was found to what is recalled: weights, recency, threshold, diversity, budget, order. Pure."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from ..loading.settings import RecallSettings, Recency
from ..records.memory import Hit, Memory
from ..words import terms
from .recalled import Recalled

CHARACTERS_A_TOKEN = 4


def ranked(hits: Sequence[Hit], weights: Mapping[str, float], day: float, settings: RecallSettings) -> list[Recalled]:
    """Candidates with their final scores, best first, those under the threshold left out."""
    scored = [_scored(hit, weights.get(hit.memory.id), day, settings.recency) for hit in hits]
    kept = [each for each in scored if each.score >= settings.threshold]
    return sorted(kept, key=lambda each: (-each.score, each.memory.id))


def chosen(candidates: Sequence[Recalled], always: Sequence[Recalled], settings: RecallSettings) -> list[Recalled]:
    """The recall: what is always there, then the best of the rest within number and budget, in a stable order."""
    purse = Purse(settings.token_budget)
    kept = purse.buy(always, len(always))
    pick = _diverse if settings.diversity else _best
    return sorted([*kept, *pick(candidates, settings, purse)], key=stable_order)


def stable_order(recalled: Recalled) -> tuple[bool, float, str, str]:
    """Permanent ones first, then as learned: a prompt changes at its end, so prompt caches keep working."""
    memory = recalled.memory
    return (not memory.permanent, memory.learned_day or 0, str(memory.metadata.get("timestamp", "")), memory.id)


def tokens(text: str) -> int:
    """About how many tokens a model sees (four characters each, as OpenAI's guide has it)."""
    return -(-len(text) // CHARACTERS_A_TOKEN)


class Purse:
    """Tokens to spend; without a budget, as many as one likes."""

    def __init__(self, budget: int | None) -> None:
        self._left = float("inf") if budget is None else budget

    def affords(self, recalled: Recalled) -> bool:
        """Whether it still fits."""
        return tokens(recalled.text) <= self._left

    def spend(self, recalled: Recalled) -> None:
        """Take it."""
        self._left -= tokens(recalled.text)

    def buy(self, offered: Sequence[Recalled], most: int) -> list[Recalled]:
        """In this order whatever still fits, at most so many."""
        bought: list[Recalled] = []
        for each in offered:
            if len(bought) < most and self.affords(each):
                self.spend(each)
                bought.append(each)
        return bought


def freshness(memory: Memory, day: float, recency: Recency) -> float:
    """1 for what was learned today, half of it after each half-life; 1 for what was there before the story."""
    return 1.0 if memory.permanent else 0.5 ** (max(0.0, day - (memory.learned_day or 0)) / recency.half_life)


def aged(hit: Hit, day: float, recency: Recency) -> float:
    """The score, less what its age takes away: never more than it was."""
    return hit.score * (1 - recency.weight + recency.weight * freshness(hit.memory, day, recency))


def _scored(hit: Hit, weight: float | None, day: float, recency: Recency) -> Recalled:
    parts, score = dict(hit.parts), hit.score
    if recency.weight and not hit.memory.permanent:
        parts["recency"] = freshness(hit.memory, day, recency)
        score = aged(hit, day, recency)
    if weight is not None:
        parts["weight"] = weight
        score *= weight
    return Recalled(memory=hit.memory, score=score, parts=parts)


def _best(candidates: Sequence[Recalled], settings: RecallSettings, purse: Purse) -> list[Recalled]:
    return purse.buy(candidates, settings.memories)


def _diverse(candidates: Sequence[Recalled], settings: RecallSettings, purse: Purse) -> list[Recalled]:
    """Maximal marginal relevance (Carbonell & Goldstein 1998) of what fits; likeness = Jaccard index of the words."""
    words = {each.memory.id: frozenset(terms(each.memory.content)) for each in candidates}
    likest = dict.fromkeys(words, 0.0)
    picked: list[Recalled] = []
    left = [each for each in candidates if purse.affords(each)]
    while left and len(picked) < settings.memories:
        best = max(left, key=lambda each: _marginal(each, likest[each.memory.id], settings.diversity))
        purse.spend(best)
        picked.append(best)
        left = [each for each in left if each is not best and purse.affords(each)]
        for each in left:
            likest[each.memory.id] = max(likest[each.memory.id], _jaccard(words[each.memory.id], words[best.memory.id]))
    return picked


def _marginal(candidate: Recalled, likest: float, diversity: float) -> float:
    return (1 - diversity) * candidate.score - diversity * likest


def _jaccard(one: frozenset[str], other: frozenset[str]) -> float:
    return len(one & other) / (len(one | other) or 1)
