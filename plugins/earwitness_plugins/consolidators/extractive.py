"""The consolidator `extractive`: the sentences that say most. No model is asked, nothing is reworded."""

from __future__ import annotations

from collections import Counter
from math import ceil, log
from typing import NamedTuple

from earwitness.sentences import sentences
from earwitness.words import STOP_WORDS, plain, terms

from ..consolidation.protocol import Consolidation, ConsolidationTask, Remembered

KEPT = 0.3
"""The share of sentences that are kept of a conversation, which is uploaded whole."""
KEPT_OF_STORIES = 0.5
"""The share that is kept of a character's memories, whose originals leave recall."""
MOST = 20
"""The most sentences that are kept at a time."""
ABOUT_ONESELF = frozenset(("i", "my", "me", "we", "our", "mine"))
ABOUT_OTHERS = frozenset(("you", "your", "yours"))


class SentenceWeights(NamedTuple):
    """What makes a sentence say more. `benchmarks/consolidation.py` chooses these, with a conversation left out."""

    oneself: float = 1.5
    """Of a sentence about oneself."""
    others: float = 0.7
    """Of one about whoever is talked to."""
    exclaimed: float = 0.6
    """Of an exclamation."""
    named: float = 3.0
    """Of the words of names and numbers."""


WEIGHTS = SentenceWeights()


class ExtractiveConsolidator:
    """Keeps the sentences that say most. No questions.

    Rare words weigh more, names and numbers too, and so does what one says of oneself; exclamations weigh less.
    """

    def consolidate(self, task: ConsolidationTask) -> Consolidation:
        """The best sentences, with their speakers."""
        return Consolidation(memory_update=tuple(best_lines(task)), version="2")


def best_lines(task: ConsolidationTask, by: SentenceWeights = WEIGHTS) -> list[str]:
    """The best sentences in their order, each once, as far as they have room. Pure."""
    said = [
        (each, sentence.strip())
        for each in task.remembered
        for sentence in (sentences(each.text) if each.weight else ())
        if not sentence.strip().endswith("?")
    ]
    words = [{each for each in terms(plain(sentence)) if each not in STOP_WORDS} for _, sentence in said]
    counts = Counter(word for each in words for word in each)
    weights = [_weight(*pair, each, counts, len(said), by) for pair, each in zip(said, words, strict=True)]
    number = min(MOST, max(1, ceil(len(said) * KEPT_OF_STORIES) if task.owner else round(len(said) * KEPT)))
    best = sorted(range(len(said)), key=lambda place: (-weights[place], place))[:number]
    lines = dict.fromkeys(_line(*said[place]) for place in sorted(best) if weights[place])
    return within([*lines], task.most)


def within(lines: list[str], most: int) -> list[str]:
    """The first of these lines that have no more characters together. Pure."""
    kept = []
    for each in lines:
        most -= len(each) + 1
        if most < 0:
            break
        kept.append(each)
    return kept


def _line(remembered: Remembered, sentence: str) -> str:
    return f"{remembered.speaker}: {sentence}" if remembered.speaker else sentence


def _weight(
    remembered: Remembered,
    sentence: str,
    words: set[str],
    counts: Counter[str],
    among: int,
    by: SentenceWeights,
) -> float:
    said = {each.partition("'")[0] for each in sentence.casefold().replace("\u2019", "'").split()}
    whose = by.oneself if ABOUT_ONESELF & said else by.others if ABOUT_OTHERS & said else 1.0
    manner = by.exclaimed if sentence.endswith("!") else 1.0
    named = _named(sentence)
    rare = sum(log(1 + among / counts[word]) * (by.named if word in named else 1.0) for word in words)
    return remembered.weight * whose * manner * rare


def _named(sentence: str) -> set[str]:
    """The terms of names and numbers: capitals that do not begin the sentence, and whatever has a digit."""
    every = sentence.split()
    found = [word for word in every if any(map(str.isdigit, word))]
    found += [word for word in every[1:] if word.lstrip("\"'([*_")[:1].isupper()]
    return {term for word in found for term in terms(word)}
