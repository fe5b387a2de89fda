"""Whose names a text holds: for certain, and for walls, which had better withhold too much, perhaps.

Case, accents, widths and invisible characters make no difference, and neither does whether a name of several words has
hyphens, spaces or nothing between them. Names in scripts without spaces are found inside a run of text.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from earwitness.patterns import lazy_pattern
from earwitness.words import UNSPACED, folded

_WORD = lazy_pattern(r"(?:[^\W_]|[\u0900-\u0963\u0966-\u109f\u1780-\u17d3])+")
_HOLDS_UNSPACED = lazy_pattern(f"[{UNSPACED}]")
_MARKUP = lazy_pattern(r"[*_~`|\\]+")
_BETWEEN = lazy_pattern(r"[\W_]+")
_OTHER_ALPHABET = lazy_pattern(r"[\u0370-\u08ff\u10a0-\u10ff\u1c80-\u1cbf\u1f00-\u1fff\u2de0-\u2dff\ua640-\ua69f]+")
_ENDING = 3
"""The most letters by which the ending of a case differs: Борис, Борису, Борисом."""
_SHORTEST_STEM = 2


class NamesInTexts:
    """Finds the ids of those named, in the order in which they were given for one name."""

    def __init__(self, names: Iterable[tuple[str, str]]) -> None:
        self._words: dict[str, dict[str, int]] = {}  # words of a name, joined → id → number of words
        self._parts: dict[str, tuple[str, list[str]]] = {}  # names found in a run → without what is between, ids
        self._stems: dict[str, list[str]] = {}
        self._most = 0
        for name, id in names:
            self._add(folded(name).strip(), id)

    def certain(self, text: str) -> tuple[str, ...]:
        """Ids of those whom the text names; of several with one name, the first."""
        plain = folded(text)
        found = [ids[0] for ids in self._whole(_words(plain))]
        found += [ids[0] for part, (bare, ids) in self._parts.items() if part in plain and (len(bare) > 1 or not bare)]
        return tuple(dict.fromkeys(found))

    def possible(self, text: str) -> tuple[str, ...]:
        """Ids of all whom the text may name: also all with one name, names with marks between their letters or a
        genitive's s, other cases in other alphabets, and a name of one ideograph."""
        plain = folded(text)
        every = (_words(plain), _words(_MARKUP.sub("", plain)))
        found = [id for words in every for ids in self._whole(words, genitive=True) for id in ids]
        bare = _BETWEEN.sub("", plain)
        for part, (squeezed, ids) in self._parts.items():
            found += ids if part in plain or (squeezed and squeezed in bare) else []
        if self._stems:
            found += [id for word in {*every[0], *every[1]} for id in self._inflected(word)]
        return tuple(dict.fromkeys(found))

    def _add(self, name: str, id: str) -> None:
        words = _words(name)
        if not words or _HOLDS_UNSPACED.search(name):
            if name:
                self._parts.setdefault(name, (_BETWEEN.sub("", name), []))[1].append(id)
            return
        joined = "".join(words)
        self._words.setdefault(joined, {}).setdefault(id, len(words))
        self._most = max(self._most, len(words))
        if _OTHER_ALPHABET.fullmatch(joined):
            stem = joined[:-1] if len(joined) > _SHORTEST_STEM else joined
            self._stems.setdefault(stem, []).append(id)

    def _whole(self, words: list[str], *, genitive: bool = False) -> Iterator[list[str]]:
        """The ids behind each name of as many words as the text has for it, or more."""
        for begin in range(len(words)):
            joined = ""
            for number, word in enumerate(words[begin : begin + self._most], 1):
                joined += word
                for form in (joined, joined[:-1]) if genitive and joined.endswith("s") else (joined,):
                    if ids := [id for id, most in self._words.get(form, {}).items() if number <= most]:
                        yield ids

    def _inflected(self, word: str) -> Iterator[str]:
        for end in range(max(len(word) - _ENDING, _SHORTEST_STEM), len(word) + 1):
            yield from self._stems.get(word[:end], ())


def _words(text: str) -> list[str]:
    return _WORD.findall(text)
