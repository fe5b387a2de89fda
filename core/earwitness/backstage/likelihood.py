"""How likely each of the world's memories is what a question and its answer speak of. Pure functions.

A question and its answer are weighed apart: whoever repeats only the question does not tell the answer. Each share is
relative to the memory that covers most, so that it does not matter how freely the fact is worded. Likelihoods add up to
1 in one world: several memories that tell one fact share it, and who holds most of it knows the fact.

The weights are those of a softmax that was fitted to which messages of the corpus `overheard` (its part dev) hold the
evidence for a fact. Fitted without one style they hardly differ. FANToM was left out (docs/researchers.md).
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from math import exp
from typing import NamedTuple

from ..patterns import lazy_pattern
from .rarity import TermStatistics, asked_terms, one_word

KNOWS = 0.4
"""Who holds memories of at least this likelihood, all together, knows the fact."""
UNSURE = (0.25, 0.6)
"""Between these, the memories do not decide."""
RETOLD = 0.5
"""What holding a memory that tells the answer again counts at least."""
FEW = 3
"""So many words of an answer tell it by themselves; fewer, as in "The oak is old", only with a word of the question."""
YES_OR_NO = frozenset(
    (
        "yes",
        "yeah",
        "yep",
        "no",
        "nope",
        "not",
        "ja",
        "nein",
        "doch",
        "oui",
        "non",
        "si",
        "sí",
        "sim",
        "não",
        "да",
        "нет",
    )
)
"""Answers that say nothing without their question."""
MOST = 0.6
"""Whose copy of a message holds this share of what the whole one holds of the fact has heard it."""
_ASKED = lazy_pattern('[^?\uff1f\u061f]*[?\uff1f\u061f][»”」』"]?')
_WHOLE, _QUESTION, _ANSWER = 5.0, 1.0, 4.4
_WORTH = 0.5
"""Memories that score less than this share of the best count for nothing: a long story has thousands of them."""
_ONE_TELLS = 0.5
"""A memory can tell the answer alone if it holds this share of those words of it that were ever said."""
_AGAIN, _ABOUT_IT = 0.9, 0.6
"""A memory tells the answer again if it holds this share of what the best one holds of the answer, and of the whole."""


class AskedFact(NamedTuple):
    """A fact in words."""

    question: str
    """What is asked; empty for a statement."""
    answer: str
    """The answer, or the statement."""

    @classmethod
    def of(cls, fact: str, question: str | None = None) -> AskedFact:
        """Divide a fact after its question. Without a `question`, that is what ends with its first question mark.

        A bare yes or no has no words by which it could be found; such a fact is a question alone.
        """
        if question is None:
            found = _ASKED.match(fact)
            question = found[0] if found else ""
            if not _terms(fact[len(question) :]).keys() - YES_OR_NO:
                question = ""
        if not question or not fact.startswith(question):
            return cls("", fact)
        return cls(question, fact[len(question) :].strip())

    @property
    def whole(self) -> str:
        """Question and answer."""
        return f"{self.question} {self.answer}".strip()


def likelihoods(
    fact: AskedFact, memories: Sequence[Collection[str]], statistics: TermStatistics | None = None
) -> list[float]:
    """The likelihood of each memory, given as `rarity.word_set`; all 0 where none holds a word of the fact.

    `statistics` are those of the whole world, where only some of its memories are given.
    """
    statistics = statistics or TermStatistics.of(memories)
    weighed = [
        (weight, _relative(_held(text, memories, statistics)))
        for weight, text in ((_WHOLE, fact.whole), (_QUESTION, fact.question), (_ANSWER, fact.answer))
    ]
    if not any(weighed[0][1]):
        return [0.0] * len(memories)
    scores = [sum(weight * shares[place] for weight, shares in weighed) for place in range(len(memories))]
    best = max(scores)
    raised = [exp(score - best) if score >= _WORTH * best else 0.0 for score in scores]
    total = sum(raised)
    return [each / total for each in raised]


def retold(
    fact: AskedFact, memories: Sequence[Collection[str]], statistics: TermStatistics | None = None
) -> list[bool]:
    """Whether each memory tells the answer as fully as the best one: "Yes, the low-sodium diet" tells it again.

    Only the words of the answer count that are not in the question. An answer of which no memory holds half, is told by
    several together, and by none of them again.
    """
    statistics = statistics or TermStatistics.of(memories)
    every = frozenset[str]().union(*memories)
    *held, together = _held(fact.answer, [*memories, every], statistics, without=fact.question)
    if not together or max(held) < _ONE_TELLS * together:
        return [False] * len(memories)
    answer = _relative(held)
    whole = _relative(_held(fact.whole, memories, statistics))
    asked = _held(fact.question, memories, statistics, without=fact.answer)
    is_short = len(_terms(fact.answer).keys() - _terms(fact.question).keys()) < FEW
    return [
        own >= _AGAIN and all_ >= _ABOUT_IT and (named > 0 or not is_short)
        for own, all_, named in zip(answer, whole, asked, strict=True)
    ]


def _held(text: str, memories: Sequence[Collection[str]], statistics: TermStatistics, without: str = "") -> list[float]:
    """The weight of the words of a text that each memory holds, `without` those of another text."""
    others = _terms(without)
    weights = {term: statistics.weight(term) for term in _terms(text) if term not in others}
    return [sum(weight for term, weight in weights.items() if term in there) for there in memories]


def _terms(text: str) -> dict[str, None]:
    return dict.fromkeys(map(one_word, asked_terms(text))) if text else {}


def _relative(held: list[float]) -> list[float]:
    most = max(held, default=0.0)
    return [each / most for each in held] if most else held


class ToldFact(NamedTuple):
    """What one of the world's memories tells of a fact."""

    likelihood: float
    """How likely it is the one that tells it."""
    again: bool
    """Whether it tells the answer as fully as the best one."""
    held: float
    """The weight of the fact's words in it."""


def told_by(fact: AskedFact, holding: Mapping[str, Collection[str]], statistics: TermStatistics) -> dict[str, ToldFact]:
    """Memory id → what it tells, for those that tell anything. `holding`: id → the terms of the fact that it holds."""
    sets = list(holding.values())
    likely, again = likelihoods(fact, sets, statistics), retold(fact, sets, statistics)
    held = _held(fact.whole, sets, statistics)
    told = dict(zip(holding, map(ToldFact, likely, again, held), strict=True))
    return {id: each for id, each in told.items() if each.likelihood or each.again}
