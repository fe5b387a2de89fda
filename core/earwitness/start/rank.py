"""START: ranking what was found: weights, age, threshold, merging, diversity, budget, order. Pure functions."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass

from ..loading.settings import RecallSettings, Recency
from ..records.memory import Hit, Memory
from ..words import terms
from .recalled import Recalled, Section

CHARACTERS_A_TOKEN = 4
SHORTEST_EXCERPT = 50
"""Tokens. A longer memory is included as soon as an excerpt of this size fits into the budget."""


def ranked(hits: Sequence[Hit], weights: Mapping[str, float], day: float, settings: RecallSettings) -> list[Recalled]:
    """The hits with their final scores, best first. Those below the threshold are left out."""
    scored = [_scored(hit, weights.get(hit.memory.id), day, settings.recency) for hit in hits]
    kept = [each for each in scored if each.score >= settings.threshold]
    return sorted(kept, key=lambda each: (-each.score, each.memory.id))


def merged(lists: Sequence[Sequence[Recalled]]) -> Sequence[Recalled]:
    """The candidates of one section, best first.

    Candidates from several containers are ordered by the reciprocal of their rank, because scores of different
    containers are not comparable. A memory that two reads found keeps its best rank; so does one of two memories that
    say the same of the same messages, such as what was lived with two personas at once. Of those, one that must not be
    said here comes first.
    """
    if len(lists) == 1:
        return lists[0]
    best: dict[object, Recalled] = {}
    for each in (_by_rank(candidate, rank) for found in lists for rank, candidate in enumerate(found, 1)):
        about = _about(each.memory)
        if about not in best or _first(best[about]) < _first(each):
            best[about] = each
    return sorted(best.values(), key=lambda each: -each.score)  # stable: equal ranks stay in the order of the reads


def _about(memory: Memory) -> object:
    """The same for memories that two containers beyond sessions have of the same messages, in the same words. What was
    kept of another session names no message of this one, but when it was said."""
    session, said = memory.metadata.get("sessionId"), memory.message_keys or memory.metadata.get("createdAt")
    return (session, said, memory.type, memory.text) if session and said else memory.id


def _first(recalled: Recalled) -> tuple[bool, float]:
    return not recalled.sayable, recalled.score


def _by_rank(candidate: Recalled, rank: int) -> Recalled:
    return candidate.model_copy(update={"score": 1 / rank, "parts": {**candidate.parts, "rank": 1 / rank}})


@dataclass(frozen=True, slots=True)
class SectionCandidates:
    """The memories found for one section."""

    section: Section
    """The section."""
    number: int
    """Maximum number of memories in the section."""
    found: Sequence[Recalled]
    """The memories that were found, best first."""
    always: Sequence[Recalled] = ()
    """Memories that are always included."""


def chosen(sections: Sequence[SectionCandidates], settings: RecallSettings, mark: str = "") -> list[Recalled]:
    """The recall, section by section: what is always included, then the best of the rest within number and budget.

    All sections share one budget, which is spent in their order. A memory in one section is left out of later ones.
    `mark` is the line below a memory that must not be said here, with `{reason}`.
    """
    purse = Purse(settings.token_budget, mark)
    recalled: list[Recalled] = []
    for section in sections:
        recalled += _section(section, {each.memory.id for each in recalled}, settings.diversity, purse)
    return recalled


def _section(offered: SectionCandidates, taken: Collection[str], diversity: float, purse: Purse) -> list[Recalled]:
    found = [each for each in offered.found if each.memory.id not in taken] if taken else offered.found
    with purse.reserved(found[: offered.number] if offered.always else ()):
        kept = purse.buy(offered.always, len(offered.always))
    picked = _diverse(found, offered.number, diversity, purse) if diversity else purse.buy(found, offered.number)
    name = offered.section.name
    placed = [each if each.section == name else each.model_copy(update={"section": name}) for each in (*kept, *picked)]
    return sorted(placed, key=stable_order)


def stable_order(recalled: Recalled) -> tuple[bool, float, str, str]:
    """Sort key: permanent memories first, then as learned. New ones come last, so prompt caches keep working."""
    memory = recalled.memory
    return (not memory.permanent, memory.learned_day or 0, str(memory.metadata.get("timestamp", "")), memory.id)


def tokens(characters: int) -> int:
    """Approximate number of tokens of a text of this length: four characters each, according to OpenAI's guide."""
    return -(-characters // CHARACTERS_A_TOKEN)


class Purse:
    """A budget of tokens; unlimited without one. A long memory costs no more than its shortest excerpt at first."""

    def __init__(self, budget: int | None, mark: str = "") -> None:
        self._left = float("inf") if budget is None else budget
        self._mark = mark

    def affords(self, recalled: Recalled) -> bool:
        """Whether the memory, or an excerpt of it, still fits into the budget."""
        return self._least(recalled) <= self._left

    def spend(self, recalled: Recalled) -> None:
        """Subtract the memory's tokens from the budget."""
        self._left -= self._least(recalled)

    def buy(self, offered: Sequence[Recalled], most: int) -> list[Recalled]:
        """The memories that fit into the budget, in this order, at most `most`. Their tokens are spent."""
        bought: list[Recalled] = []
        for each in offered:
            if len(bought) < most and self.affords(each):
                self.spend(each)
                bought.append(each)
        return bought

    @contextmanager
    def reserved(self, others: Sequence[Recalled]) -> Iterator[None]:
        """Keep back what these cost, but no more than half of the budget."""
        kept = min(sum(map(self._least, others)), self._left / 2) if others else 0
        self._left -= kept
        yield
        self._left += kept

    def _least(self, recalled: Recalled) -> int:
        return min(cost(recalled, self._mark), SHORTEST_EXCERPT)


def cost(recalled: Recalled, mark: str) -> int:
    """Approximate number of tokens of a memory in a prompt, with the mark below it if it must not be said here."""
    marked = len(mark) + len(recalled.unsayable) if mark and recalled.unsayable is not None else 0
    return tokens(len(recalled.text) + marked)


def fair_share(costs: Sequence[int], budget: int) -> int:
    """The largest share that each may have so that all fit: whoever needs less leaves the rest to the others."""
    left = budget
    for number, each in enumerate(sorted(costs)):
        if each * (len(costs) - number) > left:
            return left // (len(costs) - number)
        left -= each
    return max(costs, default=budget)


def freshness(memory: Memory, day: float, recency: Recency) -> float:
    """1 for a memory learned today, halved after each half-life. 1 for knowledge from before the story."""
    return 1.0 if memory.permanent else 0.5 ** (max(0.0, day - (memory.learned_day or 0)) / recency.half_life)


def aged(hit: Hit, day: float, recency: Recency) -> float:
    """The score reduced by age. It is never higher than the original score."""
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


def _diverse(candidates: Sequence[Recalled], number: int, diversity: float, purse: Purse) -> list[Recalled]:
    """What fits, by maximal marginal relevance (Carbonell & Goldstein 1998) with the Jaccard index of the words."""
    words = {each.memory.id: frozenset(terms(each.memory.content)) for each in candidates}
    likest = dict.fromkeys(words, 0.0)
    picked: list[Recalled] = []
    left = [each for each in candidates if purse.affords(each)]
    while left and len(picked) < number:
        best = max(left, key=lambda each: _marginal(each, likest[each.memory.id], diversity))
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
