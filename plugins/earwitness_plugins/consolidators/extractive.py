"""The consolidator `extractive`: the sentences that say most. No model is asked, nothing is reworded."""

from __future__ import annotations

from collections import Counter
from math import ceil, log

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
SaidSentence = tuple[Remembered, str]
"""Somebody's words, and one sentence of them."""


class ExtractiveConsolidator:
    """Keeps the sentences that say most: rare words weigh more, and so does what one says of oneself. No questions."""

    def consolidate(self, task: ConsolidationTask) -> Consolidation:
        """The best sentences, with their speakers."""
        return Consolidation(memory_update=tuple(best_lines(task)), version="1")


def best_lines(task: ConsolidationTask) -> list[str]:
    """The best sentences in their order, each once, as far as they have room. Pure."""
    said = [
        (each, sentence.strip())
        for each in task.remembered
        for sentence in (sentences(each.text) if each.weight else ())
        if not sentence.strip().endswith("?")
    ]
    words = [{each for each in terms(plain(sentence)) if each not in STOP_WORDS} for _, sentence in said]
    counts = Counter(word for each in words for word in each)
    weights = [_weight(*pair, each, counts, len(said)) for pair, each in zip(said, words, strict=True)]
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


def _weight(remembered: Remembered, sentence: str, words: set[str], counts: Counter[str], among: int) -> float:
    told = 1.5 if ABOUT_ONESELF.intersection(sentence.casefold().split()) else 1.0
    return remembered.weight * told * sum(log(1 + among / counts[word]) for word in words)
