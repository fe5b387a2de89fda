"""Lines that are too much alike, by runs of words that they share. Pure.

A shingle is a run of `LENGTH` words (Broder 1997); a line is like another that holds `SHARE` of its shingles.
"""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from functools import partial
from typing import NamedTuple

LENGTH = 4
SHARE = 0.5
FEWEST = 5
"""A line with fewer shingles is too short to be like another one by chance or not."""
_WORD = re.compile(r"[^\W_]+")
_UNSPACED = re.compile(r"[\u3040-\u30ff\u3400-\u9fff]")


class PlacedLine(NamedTuple):
    """A line and its place."""

    place: str
    text: str
    scene: str = ""
    """Lines of one scene may repeat each other, as people do."""


class Likeness(NamedTuple):
    """Two lines that are alike."""

    line: PlacedLine
    other: PlacedLine
    share: float
    """Share of the first one's shingles that the other one holds."""


def words(text: str) -> list[str]:
    """The words of a text in lower case; for scripts without spaces, its characters."""
    return [
        part for word in _WORD.findall(text.casefold()) for part in (list(word) if _UNSPACED.search(word) else [word])
    ]


def shingles(text: str) -> frozenset[tuple[str, ...]]:
    """The runs of `LENGTH` words in a text."""
    found = words(text)
    return frozenset(tuple(found[at : at + LENGTH]) for at in range(len(found) - LENGTH + 1))


def alike(lines: Sequence[PlacedLine], others: Iterable[PlacedLine] | None = None) -> Iterator[Likeness]:
    """Lines like one of `others`; or, without those, like a later one among themselves. The likest for each."""
    within, held = others is None, [*(lines if others is None else others)]
    holders: dict[tuple[str, ...], list[int]] = defaultdict(list)
    for number, other in enumerate(held):
        for shingle in shingles(other.text):
            holders[shingle].append(number)
    for number, line in enumerate(lines):
        counts = partial(_comes_later, held, number) if within else lambda _: True
        found = _likest(line, holders, counts)
        if found is not None:
            position, share = found
            yield Likeness(line, held[position], share)


def _comes_later(lines: Sequence[PlacedLine], number: int, other: int) -> bool:
    return other > number and (not lines[number].scene or lines[number].scene != lines[other].scene)


def _likest(
    line: PlacedLine, holders: Mapping[tuple[str, ...], Sequence[int]], counts: Callable[[int], bool]
) -> tuple[int, float] | None:
    own = shingles(line.text)
    if len(own) < FEWEST:
        return None
    shared = Counter(number for shingle in own for number in holders.get(shingle, ()) if counts(number))
    if not shared:
        return None
    other, count = shared.most_common(1)[0]
    return (other, count / len(own)) if count >= SHARE * len(own) else None
