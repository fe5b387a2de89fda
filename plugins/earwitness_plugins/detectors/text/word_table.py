"""Which words that patterns need are in a text: each word of it is looked up once, however many patterns there are.

A need is a part of a word in small letters, with a mark where the word must begin or end: `^hang`, `ly$`, `^up$`.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from functools import lru_cache, reduce
from operator import or_
from threading import Lock

from earwitness.patterns import lazy_pattern

BEGINS, ENDS = "^", "$"
_WORD = lazy_pattern(r"[^\W_]+")
_MOST = 1 << 15
"""So many words are remembered."""
_COUNTS_AS_WORD = str.maketrans({"\u0130": "i", "\u0345": " "})
"""What `re` and `str.casefold` see differently: a capital I with a dot, and an iota that is not a letter by itself."""


def small(text: str) -> str:
    """In small letters as `re.IGNORECASE` compares them."""
    if text.isascii():
        return text.lower()
    return text.translate(_COUNTS_AS_WORD).casefold().replace("\u0131", "i")


class _WordBits(dict[str, int]):
    """Word → the bits of the needs that it holds, found out when it is first looked up."""

    def __init__(self, needs: Mapping[str, int], lengths: Mapping[str, frozenset[int]]) -> None:
        super().__init__()
        self._needs, self._lengths = needs, lengths

    def __missing__(self, word: str) -> int:
        marked, bits = f"{BEGINS}{word}{ENDS}", 0
        for at, letter in enumerate(marked):
            for length in self._lengths.get(letter, ()):
                bits |= self._needs.get(marked[at : at + length], 0)
        if len(self) >= _MOST:
            self.clear()
        self[word] = bits
        return bits


class WordTable:
    """Groups of needs, a bit for each; tells of a text which of them it holds one of. Grows by copies of itself."""

    def __init__(
        self,
        groups: Mapping[frozenset[str], int],
        needs: Mapping[str, int],
        lengths: Mapping[str, frozenset[int]],
    ) -> None:
        self._groups, self._needs, self._lengths = groups, needs, lengths
        self._words = _WordBits(needs, lengths)
        self.held = lru_cache(maxsize=512)(self._held)
        """The bits of all groups of which a text holds a need. Recent texts are remembered."""

    def with_groups(self, groups: Iterable[frozenset[str]]) -> WordTable:
        """One that knows these groups too."""
        new = [group for group in dict.fromkeys(groups) if group not in self._groups]
        if not new:
            return self
        known, needs, lengths = dict(self._groups), dict(self._needs), dict(self._lengths)
        for group in new:
            known[group] = bit = 1 << len(known)
            needs.update({need: needs.get(need, 0) | bit for need in group})
        for letter, length in {(need[0], len(need)) for group in new for need in group}:
            lengths[letter] = lengths.get(letter, frozenset()) | {length}
        return WordTable(known, needs, lengths)

    def bit(self, group: frozenset[str]) -> int:
        """The bit of a group."""
        return self._groups[group]

    def _held(self, text: str) -> int:
        return reduce(or_, map(self._words.__getitem__, _WORD.findall(small(text))), 0)


class _SharedTable:
    """The table of the process. It is replaced, never changed, so that threads that look into one need no lock."""

    def __init__(self) -> None:
        self._lock = Lock()
        self.table = WordTable({}, {}, {})

    def add(self, groups: Iterable[frozenset[str]]) -> WordTable:
        with self._lock:
            self.table = self.table.with_groups(groups)
            return self.table


known = _SharedTable()


def bits_of(groups: Iterable[frozenset[str]]) -> int:
    """A bit for each group of needs, together. A text that needs one of every group must have all of them."""
    wanted = tuple(groups)
    table = known.add(wanted)
    return reduce(or_, map(table.bit, wanted), 0)
