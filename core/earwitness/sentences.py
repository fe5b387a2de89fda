"""Sentences of a text, and an excerpt made of whole ones. Pure functions that take time in proportion to the text."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Collection, Iterator
from functools import cache
from itertools import accumulate

from .patterns import lazy_pattern
from .words import idf, terms

CUT = "[…]"
"""Marks a place where text was left out."""
SHORTEST = 20
"""Characters of the shortest piece into which an overlong sentence is cut."""

# Chinese and Japanese marks end a sentence without a blank, but not before a closing mark.
_GAP = lazy_pattern(
    r"(?<=[.!?…])(?<!\bMr\.)(?<!\bMs\.)(?<!\bDr\.)(?<!\bSt\.)(?<!\bMrs\.)\s+|\n+"
    r"|(?<=[\u3002\uff01\uff1f])(?![\u3002\uff01\uff1f\u300d\u300f\uff09\u201d\u2019])"
)
_WORD = lazy_pattern(r"\w+")


def sentences(text: str) -> Iterator[str]:
    """The sentences of a text, in order."""
    return (sentence for sentence in _GAP.split(text) if sentence.strip())


def excerpt(text: str, room: int, wanted: Collection[str]) -> str:
    """At most about `room` characters of the text, round the sentences that hold the most of the `wanted` terms.

    It is cut at sentences, or within one that is longer than a third of the room, and marked with `CUT` on either side
    where text is left out. Without any of the terms it is the beginning. A mark that the text holds itself is escaped.
    """
    text = without_marks(text)
    if len(text) <= room:
        return text
    inner = max(room - 2 * (len(CUT) + 1), SHORTEST)
    pieces = list(_pieces(text, inner))
    begin, end = _best(pieces, inner, wanted)
    shown = "".join(pieces[begin:end]).strip()
    return f"{f'{CUT} ' if begin else ''}{shown}{f' {CUT}' if end < len(pieces) else ''}"


def without_marks(text: str) -> str:
    """The text with a backslash before each mark of its own, so that it does not pass for one of ours."""
    return text.replace(CUT, f"\\{CUT}")


def _pieces(text: str, room: int) -> Iterator[str]:
    """The sentences with the gaps after them; those longer than a third of the room in pieces, at blanks if any.

    Very short ones are put together, so that there are never many pieces.
    """
    longest, size, least = max(room // 3, SHORTEST), max(room // 16, SHORTEST), room // 64
    shorter = re.compile(rf"(?s).{{1,{size}}}(?:\s+|\Z)|.{{1,{size}}}")
    begin = 0
    for end in (*(gap.end() for gap in _GAP.finditer(text)), len(text)):
        if end - begin > longest:
            yield from shorter.findall(text, begin, end)
        elif end - begin >= least or end == len(text) > begin:
            yield text[begin:end]
        else:
            continue
        begin = end


def _best(pieces: list[str], room: int, wanted: Collection[str]) -> tuple[int, int]:
    """The run of pieces that fits and weighs the most; the middle one if several do."""
    ends = list(accumulate(map(len, pieces), initial=0))
    weights = list(accumulate(_weights(pieces, wanted), initial=0.0))
    best, runs, end = 0.0, [(0, 1)], 1
    for begin in range(len(pieces)):
        while end < len(pieces) and ends[end + 1] - ends[begin] <= room:
            end += 1
        weight = weights[end] - weights[begin]
        if weight > best or not begin:
            best, runs = weight, [(begin, end)]
        elif weight == best and best:
            runs.append((begin, end))
        if end == len(pieces):
            break
        end = max(end, begin + 2)
    return runs[len(runs) // 2]


def _weights(pieces: list[str], wanted: Collection[str]) -> list[float]:
    """The weight of each piece: that of the wanted terms in it. The fewer pieces hold a term, the more it weighs."""
    known = cache(lambda word: frozenset(terms(word)).intersection(wanted))
    found = [set[str]().union(*map(known, set(_WORD.findall(piece)))) for piece in pieces]
    held_by = Counter(term for each in found for term in each)
    return [sum(idf(len(pieces), held_by[term]) for term in sorted(each)) for each in found]
