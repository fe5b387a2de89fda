"""START: from what was found to what is recalled: weights, recency, threshold, diversity, budget, order. Pure."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from ..loading.settings import RecallSettings, Recency
from ..records.memory import Hit
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
    picked = _fitting(
        [*always, *_diverse(candidates, settings)], settings.token_budget, len(always) + settings.memories
    )
    return sorted(picked, key=stable_order)


def stable_order(recalled: Recalled) -> tuple[bool, float, str, str]:
    """Permanent ones first, then as learned: a prompt changes at its end, so prompt caches keep working."""
    memory = recalled.memory
    return (not memory.permanent, memory.learned_day or 0, str(memory.metadata.get("timestamp", "")), memory.id)


def tokens(text: str) -> int:
    """About how many tokens a model sees (four characters each, as OpenAI's guide has it)."""
    return -(-len(text) // CHARACTERS_A_TOKEN)


def _scored(hit: Hit, weight: float | None, day: float, recency: Recency) -> Recalled:
    parts, score = dict(hit.parts), hit.score
    if recency.weight and not hit.memory.permanent:
        parts["recency"] = fresh = 0.5 ** (max(0.0, day - (hit.memory.learned_day or 0)) / recency.half_life)
        score *= 1 - recency.weight + recency.weight * fresh
    if weight is not None:
        parts["weight"] = weight
        score *= weight
    return Recalled(memory=hit.memory, score=score, parts=parts)


def _diverse(candidates: Sequence[Recalled], settings: RecallSettings) -> list[Recalled]:
    """Maximal marginal relevance (Carbonell & Goldstein 1998), likeness = Jaccard index of the words."""
    if not settings.diversity or len(candidates) < 2:
        return list(candidates)
    words = {each.memory.id: frozenset(terms(each.memory.content)) for each in candidates}
    likest = dict.fromkeys(words, 0.0)
    left = list(candidates)
    picked: list[Recalled] = []
    while left and len(picked) < settings.memories:
        best = max(left, key=lambda each: _marginal(each, likest[each.memory.id], settings.diversity))
        left.remove(best)
        picked.append(best)
        for each in left:
            likest[each.memory.id] = max(likest[each.memory.id], _jaccard(words[each.memory.id], words[best.memory.id]))
    return picked


def _marginal(candidate: Recalled, likest: float, diversity: float) -> float:
    return (1 - diversity) * candidate.score - diversity * likest


def _jaccard(one: frozenset[str], other: frozenset[str]) -> float:
    return len(one & other) / (len(one | other) or 1)


def _fitting(candidates: Sequence[Recalled], budget: int | None, most: int) -> list[Recalled]:
    fitting: list[Recalled] = []
    spent = 0
    for each in candidates:
        cost = tokens(each.text)
        if len(fitting) < most and (budget is None or spent + cost <= budget):
            fitting.append(each)
            spent += cost
    return fitting
