"""Versions: which memories of a container say the same as a new one, and which say otherwise. Pure."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Sequence
from functools import lru_cache

from earwitness import Memory
from earwitness.words import STOP_WORDS, plain, terms

from .records import KeptAction

ALIKE = 0.5
"""The share of words in common from which two memories are versions of one another."""


def same(text: str, memories: Iterable[Memory]) -> bool:
    """Whether one of the memories says the same, letter case and spaces aside."""
    wanted = folded(text)
    return any(folded(each.text) == wanted for each in memories)


def others(text: str, memories: Iterable[Memory]) -> list[Memory]:
    """The memories that say something like it, and not the same. By the Jaccard index of their words."""
    wanted = _words(text)
    return [each for each in memories if folded(each.text) != folded(text) and _alike(wanted, _words(each.text))]


def action(text: str, there: Sequence[Memory], versions: Sequence[Memory], replaced: Sequence[Memory]) -> KeptAction:
    """What is to be done with a new memory, given those that say otherwise, and those of them that it may replace."""
    if same(text, there):
        return "skip"
    if not versions:
        return "add"
    return "replace" if replaced else "beside"


def unsaid(said: Collection[str], versions: Iterable[Memory]) -> list[Memory]:
    """The versions that are not among what is said as well, as `folded` has it."""
    return [each for each in versions if folded(each.text) not in said]


def _alike(one: frozenset[str], other: frozenset[str]) -> bool:
    return len(one & other) >= ALIKE * len(one | other) > 0


@lru_cache(maxsize=10_000)
def _words(text: str) -> frozenset[str]:
    return frozenset(each for each in terms(plain(text)) if each not in STOP_WORDS)


def folded(text: str) -> str:
    """A text as it is compared, letter case and spaces aside."""
    return " ".join(text.split()).casefold()
