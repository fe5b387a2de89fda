"""Who hears what of a message in which somebody comes or goes before it ends: its pieces, in order.

A model's long answer speaks for many. Who goes in its third paragraph does not hear the fourth; who comes in the fifth
hears it from there on. The deed itself is seen by who does it. The speaker perceives all.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache
from itertools import pairwise

from earwitness.patterns import lazy_pattern
from earwitness.records.moment import Presence, Segment
from earwitness.records.state import PERCEIVES_NOTHING

from ..text.movements import Move
from .message_case import MessageCase

_HEARD = lazy_pattern(
    r"[\"“”«»„「『]|\n[^\S\n]*[\*_>\[]{0,3}[^\W\d_][\w .'’-]{0,30}[\*_\]]{0,3}:|\n[^\S\n]*\n|\n[^\S\n]*[-–—]\s"
)
"""What others hear: words in quotation marks, behind a label or a dash; or another paragraph."""
_AROUND = "“”\"'‘’…,.;:!?()[]*_ \n"
_WORD = lazy_pattern(r"[^\W_]+")
_CLOSING = "\"”»」』'’*_)] "
_SENTENCE = lazy_pattern(r"(?:[.!?…][\"”»」』'’*_)\]]*(?=\s|\Z))|[\u3002\uff01\uff1f]|\n")


@dataclass(frozen=True, slots=True)
class _Cut:
    """A place in a text at which somebody comes or goes."""

    at: int
    id: str
    goes: bool


def in_order(case: MessageCase, presence: Presence) -> Presence:
    """The presence with the pieces that those perceive who come or go within the message."""
    moves = [move for move in _of_others(case) if not case.narrates(move.id)]
    content = case.moment.message.content
    if not moves or case.reading.confined or not _HEARD.search(content):
        return presence
    cuts = [cut for cut in _cuts(content, moves) if _matters(content, cut)]
    absent = _not_yet_here(case, cuts)
    cuts = [cut for cut in cuts if cut.goes or cut.id in absent or _returns(cut, cuts)]
    if not cuts:
        return presence
    pieces = presence.segments or (Segment(text=content, kind="spoken"),)
    return presence.model_copy(update={"segments": tuple(_heard(presence, content, pieces, cuts, absent))})


def _of_others(case: MessageCase) -> Iterator[Move]:
    """The moves of those who part from its speaker by it: who goes along goes on hearing."""
    along = {(move.kind, move.evidence) for move in case.reading.moves if move.id == case.speaker.id}
    together = case.moves_of_all if case.reading.moves else ()
    for move in case.reading.moves:
        if move.id != case.speaker.id and (move.kind, move.evidence) not in along and move not in together:
            yield move


def _cuts(content: str, moves: Sequence[Move]) -> Iterator[_Cut]:
    """Where each of them moves: who goes, behind the sentence that says so; who comes, before it.

    Where the words are not found, who goes has gone at the beginning, and who comes comes at the end.
    """
    behind: dict[tuple[str, str], int] = {}
    for move in moves:
        goes = move.kind == "leave" or move.kind in PERCEIVES_NOTHING
        if not goes and move.kind not in ("enter", "awake"):
            continue
        begin, end = _found(content, move.evidence, behind.get((move.id, move.evidence), 0))
        behind[move.id, move.evidence] = end
        if begin < 0:
            yield _Cut(0 if goes else len(content), move.id, goes)
        else:
            yield _Cut(_end(content, end) if goes else _start(content, begin), move.id, goes)


def _found(content: str, evidence: str, behind: int) -> tuple[int, int]:
    """Where the words of a move stand, whatever marks are among them; -1 where they do not."""
    words = evidence.strip(_AROUND)
    begin = content.find(words, behind) if words else -1
    if begin >= 0:
        return begin, begin + len(words)
    found = _written(words).search(content, behind) if words else None
    return found.span() if found else (-1, behind)


@lru_cache(maxsize=256)
def _written(words: str) -> re.Pattern[str]:
    """The words with marks between them: `*Bob _slowly_ left*`."""
    return re.compile(r"[\W_]{1,8}".join(map(re.escape, _WORD.findall(words))) or r"(?!)")


def _end(content: str, at: int) -> int:
    if content[max(0, at - 1) : at] in {".", "!", "?", "…", "\n"}:
        return at
    found = _SENTENCE.search(content, at)
    return found.end() if found else len(content)


def _start(content: str, at: int) -> int:
    """The beginning of a sentence, or of the line it stands in."""
    line = content.rfind("\n", 0, at) + 1
    ends = [found.end() for found in _SENTENCE.finditer(content, line, at)]
    return ends[-1] if ends else line


def _matters(content: str, cut: _Cut) -> bool:
    """Whether anything is said that they miss."""
    missed = content[cut.at :] if cut.goes else content[: cut.at]
    return bool(missed.strip(_CLOSING + "\n")) and bool(_HEARD.search(missed))


def _not_yet_here(case: MessageCase, cuts: Sequence[_Cut]) -> set[str]:
    """Ids of those who come within the message, and were not here before."""
    first = {cut.id: cut for cut in reversed(cuts)}
    return {id for id, cut in first.items() if not cut.goes and id not in case.scene.near}


def _returns(cut: _Cut, cuts: Sequence[_Cut]) -> bool:
    return any(other.goes and other.id == cut.id and other.at <= cut.at for other in cuts)


def _heard(
    presence: Presence, content: str, pieces: Sequence[Segment], cuts: Sequence[_Cut], absent: set[str]
) -> Iterator[Segment]:
    """The pieces, cut where somebody moves, each with its own listeners."""
    waiting = sorted(cuts, key=lambda cut: cut.at)
    begin = 0
    for piece in pieces:
        found = content.find(piece.text, begin)
        begin = begin if found < 0 else found
        end = begin + len(piece.text)
        inside = [cut.at - begin for cut in waiting if begin < cut.at < end] if found >= 0 else []
        edges = [0, *sorted(set(inside)), len(piece.text)]
        for start, stop in pairwise(edges):
            if (text := piece.text[start:stop]).strip():
                away = _away_at(cuts, absent, begin + start)
                yield piece.model_copy(update={"text": text, "audience": _without(presence, piece, away)})
        begin = end if found >= 0 else begin


def _away_at(cuts: Sequence[_Cut], absent: set[str], at: int) -> set[str]:
    """Ids of those who do not hear what begins here."""
    away = set(absent)
    for cut in cuts:
        if cut.at <= at:
            (away.add if cut.goes else away.discard)(cut.id)
    return away


def _without(presence: Presence, piece: Segment, away: set[str]) -> tuple[str, ...] | None:
    if not away:
        return piece.audience
    heard = presence.characters if piece.audience is None else piece.audience
    return tuple(id for id in heard if id not in away)
