"""What is kept of a conversation in the long-term memory here. Extractive: no model is asked, nothing is reworded."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from math import log
from typing import Protocol

from earwitness.protocols import Soon
from earwitness.sentences import sentences
from earwitness.words import STOP_WORDS, plain, terms

from .records import AssistantMessage

KEPT = 0.3
"""The share of sentences that are kept."""
MOST = 20
"""The most sentences that are kept of one stretch of a conversation."""
ABOUT_ONESELF = frozenset(("i", "my", "me", "we", "our", "mine"))


class Consolidator(Protocol):
    """Messages → the lines that are worth remembering."""

    def consolidate(self, messages: Sequence[AssistantMessage]) -> Soon[Sequence[str]]:
        """Lines in the order of the conversation. If it raises, the conversation stays as it is."""
        ...


class ExtractiveConsolidator:
    """Keeps the user's sentences that say most: rare words weigh more, and so does what one says of oneself."""

    def consolidate(self, messages: Sequence[AssistantMessage]) -> Sequence[str]:
        """The best sentences, with the role of their speaker."""
        said = [
            (message.role, sentence.strip())
            for message in messages
            for sentence in sentences(message.content)
            if message.role == "user" and not sentence.strip().endswith("?")
        ]
        words = [{each for each in terms(plain(sentence)) if each not in STOP_WORDS} for _, sentence in said]
        counts = Counter(word for each in words for word in each)
        weights = [_weight(sentence, each, counts, len(said)) for (_, sentence), each in zip(said, words, strict=True)]
        number = min(MOST, max(1, round(len(said) * KEPT)))
        best = sorted(range(len(said)), key=lambda place: (-weights[place], place))[:number]
        return list(dict.fromkeys(f"{said[place][0]}: {said[place][1]}" for place in sorted(best) if weights[place]))


def _weight(sentence: str, words: set[str], counts: Counter[str], among: int) -> float:
    told = 1.5 if ABOUT_ONESELF.intersection(sentence.casefold().split()) else 1.0
    return told * sum(log(1 + among / counts[word]) for word in words)
