"""Text as tokens: words without case and apostrophes, the signs of Japanese and Chinese one by one; and its clauses."""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache

from earwitness.patterns import lazy_pattern

_TOKEN = lazy_pattern(
    r"(?P<sign>[\u3040-\u30ff\u3400-\u9fff\uff66-\uff9f])|(?P<word>[^\W_\u3040-\u30ff\u3400-\u9fff]+(?:['’][^\W_]+)*)"
    r"|(?P<stop>[.!?…\u3002\uff01\uff1f\n]+)|(?P<pause>[,;:—–\uff0c\u3001\uff1b\uff1a«»“”\"()*]|\s-\s)"
)
_SIGN = lazy_pattern(r"[\u3040-\u30ff\u3400-\u9fff\uff66-\uff9f]")
_WORD = lazy_pattern(r"[^\W_]+(?:['’][^\W_]+)*")
"""The words that `_TOKEN` finds where there are no such signs."""
FAR = 40
"""Tokens beyond which nothing that is said has to do with a phrase any more: long texts cost no more by the word."""
_STRETCHED = lazy_pattern(r"([^\W\d_])\1{2,}")
_STRETCHED_END = lazy_pattern(r"([^\W\d_])\1{2,}\Z")
_APOSTROPHES = str.maketrans("", "", "'’")
_REMEMBERED = 1 << 13
"""So many words at most are remembered as they are compared."""
_ASKS = frozenset("?\uff1f")


@dataclass(frozen=True, slots=True)
class Tokens:
    """The tokens of a text, fillers left out; each list has one entry a token."""

    words: tuple[str, ...]
    """As they are compared."""
    starts: tuple[int, ...]
    """Offsets of their first characters."""
    clauses: tuple[int, ...]
    """The number of the clause each stands in, from 0."""
    sentences: tuple[int, ...]
    """The number of its sentence, from 0."""
    questions: frozenset[int]
    """Numbers of the sentences that end with a question mark."""

    def clause(self, at: int) -> tuple[int, int]:
        """The first token of the clause of a token, and the one behind its last; at most `FAR` tokens each way."""
        return _span(self.clauses, at)

    def sentence(self, at: int) -> tuple[int, int]:
        """The same for its sentence."""
        return _span(self.sentences, at)


def words_of(text: str) -> tuple[str, ...]:
    """The words of a phrase."""
    bare = text.replace("'", "")
    if bare.isascii() and bare.replace(" ", "").isalnum() and "''" not in text:
        return tuple(map(_plain, bare.split()))
    return tuple(_plain(found[0]) for found in _TOKEN.finditer(text) if found.lastgroup in ("sign", "word"))


def words_in(text: str, fillers: frozenset[str]) -> tuple[str, ...]:
    """The words that `tokenised` finds, in a fraction of the time: most texts hold no phrase, and need no more."""
    if not text.isascii() and _SIGN.search(text):
        return tokenised(text, fillers).words
    return tuple([word for word in map(_plain, _WORD.findall(text)) if word not in fillers])


@lru_cache(maxsize=256)
def tokenised(text: str, fillers: frozenset[str]) -> Tokens:
    """A text in tokens. A clause ends at a comma or a bracket, a sentence at a full stop."""
    words: list[str] = []
    starts: list[int] = []
    clauses: list[int] = []
    sentences: list[int] = []
    questions: set[int] = set()
    clause = sentence = 0
    folded = text.lower() if text.isascii() else text  # offsets stay as they are
    for found in _TOKEN.finditer(folded):
        kind = found.lastgroup
        if kind == "stop" or kind == "pause":
            clause += 1
            if kind == "stop":
                if not _ASKS.isdisjoint(found[0]):
                    questions.add(sentence)
                sentence += 1
        elif (word := _plain(found[0])) not in fillers:
            words.append(word)
            starts.append(found.start())
            clauses.append(clause)
            sentences.append(sentence)
    return Tokens(tuple(words), tuple(starts), tuple(clauses), tuple(sentences), frozenset(questions))


@lru_cache(maxsize=_REMEMBERED)
def _plain(word: str) -> str:
    """A word as it is compared: `Byeee` is `bye`, and `gooodnight` `goodnight`."""
    plain = word.lower().replace("'", "") if word.isascii() else word.casefold().translate(_APOSTROPHES)
    if len(plain) > 3 and _STRETCHED.search(plain):
        return _STRETCHED.sub(r"\1\1", _STRETCHED_END.sub(r"\1", plain))
    return plain


def _span(numbers: Sequence[int], at: int) -> tuple[int, int]:
    first = max(bisect_left(numbers, numbers[at]), at - FAR)
    return first, min(bisect_right(numbers, numbers[at]), at + FAR)
