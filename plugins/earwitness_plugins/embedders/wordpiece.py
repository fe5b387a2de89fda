"""WordPiece for lower-cased text: what a BERT "uncased" vocabulary was cut with, hardened for chat and story text.

The tokenizer is the one described in Devlin et al., "BERT", NAACL 2019 (basic tokenizer, then greedy longest match). It
differs on purpose where that one loses words: every symbol stands alone, so that "sword🗡️" is still a sword.
"""

from __future__ import annotations

import unicodedata
from collections.abc import Mapping, Sequence
from functools import lru_cache

LONGEST_WORD = 100
"""A longer run of letters is not a word: it becomes one unknown token."""

_CACHED_CHUNKS = 20_000
_LONGEST_CACHED_CHUNK = 32
_IDEOGRAPHS = (
    (0x3400, 0x4DBF),
    (0x4E00, 0x9FFF),
    (0xF900, 0xFAFF),
    (0x20000, 0x2A6DF),
    (0x2A700, 0x2CEAF),
    (0x2F800, 0x2FA1F),
)


class WordPiece:
    """Cuts text into tokens of a vocabulary.

    Args:
        vocabulary: the tokens in the order of their ids; ``##x`` continues a word, ``[UNK]`` is any unknown one.
    """

    def __init__(self, vocabulary: Sequence[str]) -> None:
        self.unknown = vocabulary.index("[UNK]")
        self._ids: Mapping[str, int] = {token: number for number, token in enumerate(vocabulary)}
        self._longest_token = max(map(len, vocabulary))
        self._known_chunks: dict[str, list[int]] = {}

    def ids(self, text: str) -> list[int]:
        """Token ids of a text in its order, repeats and unknowns included; no ``[CLS]``, no ``[SEP]``."""
        known = self._known_chunks
        ids: list[int] = []
        for chunk in text.split():
            found = known.get(chunk)
            ids += self._cut_and_keep(chunk) if found is None else found
        return ids

    def _cut_and_keep(self, chunk: str) -> list[int]:
        ids = [number for word in words(chunk) for number in self._cut(word)]
        if len(chunk) <= _LONGEST_CACHED_CHUNK:
            if len(self._known_chunks) >= _CACHED_CHUNKS:
                self._known_chunks.clear()  # simpler than an order of use, and frequent words are back at once
            self._known_chunks[chunk] = ids
        return ids

    def _cut(self, word: str) -> list[int]:
        if len(word) > LONGEST_WORD:
            return [self.unknown]
        ids: list[int] = []
        start = 0
        while start < len(word):
            end, number = self._longest_match(word, start)
            if number is None:
                return [self.unknown]
            ids.append(number)
            start = end
        return ids

    def _longest_match(self, word: str, start: int) -> tuple[int, int | None]:
        prefix = "##" if start else ""
        for end in range(min(len(word), start + self._longest_token), start, -1):
            number = self._ids.get(prefix + word[start:end])
            if number is not None:
                return end, number
        return start, None


def words(text: str) -> list[str]:
    """Lower-cased words without accents; a sign, a symbol and an ideograph are a word each.

    Control, format (zero-width), private and surrogate characters vanish without parting a word.
    """
    if text.isascii() and text.isalnum():
        return [text.lower()]
    folded = "".join(map(_folded, unicodedata.normalize("NFD", text)))
    return folded.lower().split()


@lru_cache(maxsize=32_768)
def _folded(character: str) -> str:
    if character.isspace():
        return " "
    category = unicodedata.category(character)
    if category in {"Mn", "Me", "Cc", "Cf", "Cs", "Co"}:
        return ""
    # "Cn" is unassigned: the emoji of a newer Unicode, which must part words on an older Python too
    alone = category[0] in "PS" or category == "Cn" or _is_ideograph(character)
    return f" {character} " if alone else character


def _is_ideograph(character: str) -> bool:
    return any(first <= ord(character) <= last for first, last in _IDEOGRAPHS)
