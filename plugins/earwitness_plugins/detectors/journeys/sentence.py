"""One sentence in tokens, with the names in it."""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from ..acts.tokens import Tokens
from ..text.names import Mention
from .lexicon import Lexicon

_ADVERB = "ly"
_ROOM = "room"
_LAST = 8
"""As many names around a verb are looked at."""


@dataclass(frozen=True, eq=False, slots=True)
class NamedTokens:
    """Those whom one place of a sentence names: `Ann`, or `Ann, Bob and the Queen`."""

    first: int
    """The first token."""
    behind: int
    """The token behind the last."""
    ids: tuple[str, ...]


def _first(named: NamedTokens) -> int:
    return named.first


@dataclass(frozen=True, eq=False, slots=True)
class TokenSentence:
    """The tokens of a sentence, who is named where, and the words of its language."""

    tokens: Tokens
    named: Sequence[NamedTokens]
    """In order; owners (`Bob's hat`) left out."""
    owners: frozenset[int]
    """Tokens that name an owner."""
    lexicon: Lexicon
    by_token: Mapping[int, NamedTokens] = field(init=False)
    """Token → whoever is named by it."""

    def __post_init__(self) -> None:
        tokens = {at: each for each in self.named for at in range(each.first, each.behind)}
        object.__setattr__(self, "by_token", tokens)

    def has(self, name: str, at: int) -> bool:
        """Whether a list of the language has the token."""
        return at < len(self.tokens.words) and self.tokens.words[at] in self.lexicon.words[name]

    def passes(self, at: int) -> bool:
        """Whether a token may stand between a subject and its verb: `slowly`, `had`, `then`."""
        word, words = self.tokens.words[at], self.lexicon.words
        return (
            word in words["adverbs"]
            or word in words["have"]
            or (word.endswith(_ADVERB) and len(word) > len(_ADVERB) + 2)
        )

    def is_place(self, at: int) -> bool:
        """Whether a token names a place one goes to: `kitchen`, `bathroom`."""
        word = self.tokens.words[at]
        return self.has("places", at) or (word.endswith(_ROOM) and word != _ROOM)

    def is_pronoun(self, at: int) -> bool:
        """Whether a token stands for somebody: `she`."""
        return any(self.has(each, at) for each in ("he", "she", "they", "i"))

    def named_at(self, at: int) -> NamedTokens | None:
        """Whoever is named by this token."""
        return self.by_token.get(at)

    def before(self, at: int) -> Sequence[NamedTokens]:
        """The last few who are named before a token."""
        behind = bisect_left(self.named, at, key=_first)
        return [each for each in self.named[max(0, behind - _LAST) : behind] if each.behind <= at]

    def after(self, at: int) -> Sequence[NamedTokens]:
        """The first few who are named behind a token."""
        first = bisect_right(self.named, at, key=_first)
        return self.named[first : first + _LAST]

    def bounds(self, at: int) -> tuple[int, int]:
        """The clause around a token: between two commas or conjunctions."""
        begin, end = self.tokens.clause(at)
        first = at
        while first > begin and not self._joins(first - 1):
            first -= 1
        behind = at + 1
        while behind < end and not self._joins(behind):
            behind += 1
        return first, behind

    def _joins(self, at: int) -> bool:
        """Whether a token begins another clause; the `and` within a list of names does not."""
        return self.has("conjunctions", at) and self.named_at(at) is None


def in_names(tokens: Tokens, groups: Sequence[Sequence[Mention]]) -> list[NamedTokens]:
    """Lists of mentions, by their tokens."""
    found = []
    for group in groups:
        first = bisect_left(tokens.starts, group[0].start)
        behind = bisect_left(tokens.starts, group[-1].end)
        found.append(NamedTokens(first, max(first + 1, behind), tuple(dict.fromkeys(mention.id for mention in group))))
    return found
