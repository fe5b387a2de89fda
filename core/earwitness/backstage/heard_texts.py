"""One text that was heard, read for what it says beyond a statement's words. Each part is read once. Pure, English."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence, Set
from dataclasses import dataclass
from functools import cached_property
from itertools import pairwise

from .claims import folded
from .negation import base_of
from .plain_sentences import SPEAKER, PlainSentence, plain_sentences


@dataclass(frozen=True, slots=True)
class FollowedWords:
    """The words of a text in lower case, without the name before it, by the word that follows."""

    every: Set[str]
    """All of them."""
    before: Mapping[str, Set[str]]
    """Word → the words that stand directly before it somewhere."""

    @classmethod
    def of(cls, tokens: Sequence[str]) -> FollowedWords:
        """The words of a text, given in order."""
        before: dict[str, set[str]] = {}
        for one, two in pairwise(tokens):
            before.setdefault(two, set()).add(one)
        return cls(frozenset(tokens), before)

    def in_front_of(self, word: str) -> Set[str]:
        """The words directly before this one."""
        return self.before.get(word, frozenset())


@dataclass(frozen=True)
class HeardText:
    """A text that somebody heard."""

    text: str
    """The text."""
    names: Mapping[str, str]
    """Name in lower case → id of the character who alone has it."""

    @cached_property
    def said(self) -> str:
        """What was said, without the name before it."""
        return SPEAKER.sub("", self.text)

    @cached_property
    def words(self) -> frozenset[str]:
        """All of its words in lower case."""
        return frozenset(folded(self.text))

    @cached_property
    def bases(self) -> frozenset[str]:
        """Its words in their base form, and the ids of those they name."""
        return base_words(self.words, self.names)

    @cached_property
    def spoken(self) -> FollowedWords:
        """The words of what was said."""
        return FollowedWords.of(folded(self.said))

    @cached_property
    def sentences(self) -> Sequence[PlainSentence]:
        """What it says outright, each sentence once."""
        return tuple(dict.fromkeys(plain_sentences(self.text, self.names)))


def base_words(words: Iterable[str], names: Mapping[str, str]) -> frozenset[str]:
    """The words in their base form, and the ids of those they name."""
    bare = [each.removesuffix("'s") for each in words]
    return frozenset(map(base_of, bare)).union(names[each] for each in bare if each in names)
