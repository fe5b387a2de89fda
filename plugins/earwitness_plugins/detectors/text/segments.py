"""A message as segments: what is said aloud, done, whispered, thought, spoken aside; and who alone perceives each.

A direction holds for what follows, up to the next direction: `*whispers to Bob* "Run!" *aloud* "Nothing!"`. A tag
holds for the quotes around it: `"Run!" she whispers to Bob.` Where it is open how far a whisper or a thought goes,
it goes further: a line lost is a smaller harm than a secret told.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Literal

from .conventions import PRIVATE, Stretch
from .names import Names
from .privacy import Confinement, confinement

SegmentKind = Literal["spoken", "action", "whisper", "thought", "ooc", "aside"]
_DIRECTED = frozenset({"star", "paren", "under", "bracket"})
_TAG = re.compile(r"\s*(?:[a-z]|(?:I|[A-Z][\w'’-]+(?:\s+[A-Z][\w'’-]+){0,3})\s+[a-z]\w+\b)")
_GOES_ON = re.compile(r"[,—–\w-]\Z")
_ENDS = re.compile(r"[.!?…][\W_]*\Z")
_TO_ALL = re.compile(
    r"\W*(?:to\s+(?:all|every(?:one|body)|the\s+(?:room|group|others|crowd|table|party|rest|company))|aloud|out\s+loud|loudly)\b",
    re.IGNORECASE,
)
_NEAR = 20
_LOWER = re.compile(r"\s*[a-z]")
_CONFINING = PRIVATE | {"whisper"}


@dataclass(frozen=True, slots=True)
class HeardSegment:
    """One segment, and who alone perceives it."""

    text: str
    """As written."""
    kind: SegmentKind
    """How it is told."""
    audience: tuple[str, ...] | None
    """Ids of those it is for, besides the speaker; `None` = everybody."""


def segments(found: Sequence[Stretch], names: Names, spoken_to: Sequence[str]) -> tuple[HeardSegment, ...]:
    """The segments of a character's message, neighbours of a kind joined; `spoken_to` are those named in vocatives."""
    confined = [_confined(stretch, names, spoken_to) for stretch in found]
    before: int | None = None  # what says how the next is said: no thought in brackets, no talk out of character
    for at in range(len(found)):
        scope = confined[at]
        if scope is not None and _reaches_back(found, at):
            confined[at - 1] = confined[at - 1] or scope
        elif scope is None and before is not None and confined[before] is not None and _carries_on(found, before, at):
            confined[at] = confined[before]
        before = before if _stands_for_itself(found[at]) else at
    return _joined([_heard(stretch, scope) for stretch, scope in zip(found, confined, strict=True)])


def _confined(stretch: Stretch, names: Names, spoken_to: Sequence[str]) -> Confinement | None:
    private = [piece for piece in stretch.pieces if piece.kind in _CONFINING]
    return confinement(private, names, spoken_to, narrator=False) if private else None


def _reaches_back(found: Sequence[Stretch], at: int) -> bool:
    """`"Run!" she whispers to Bob.`, `"Run!" *he whispers to Bob*`: the tag is for the quote before it."""
    if not at or found[at - 1].mark != "quote":
        return False
    if found[at].mark == "bare":
        return bool(_TAG.match(found[at].text))
    is_tag = at + 1 == len(found) or _GOES_ON.search(found[at - 1].text.rstrip('"”»“」』*_ ')[-_NEAR:])
    return found[at].mark in _DIRECTED - {"bracket"} and bool(is_tag)


def _carries_on(found: Sequence[Stretch], last: int, at: int) -> bool:
    """What follows a direction is said as it says, until another direction; a thought in brackets stands for itself."""
    before, stretch = found[last], found[at]
    if stretch.carried_on:
        return True
    if _is_thought_told(found, last):
        return False
    if before.mark == "quote" and stretch.mark == "bare" and _LOWER.match(stretch.text):
        return True
    if before.mark in _DIRECTED and stretch.mark == "bare":
        return True
    if stretch.mark in _DIRECTED:
        return not _TO_ALL.match(stretch.text) and all(piece.kind == "spoken" for piece in stretch.pieces)
    return stretch.mark == "quote" or all(piece.kind in ("spoken", "quoted") for piece in stretch.pieces)


def _is_thought_told(found: Sequence[Stretch], at: int) -> bool:
    """`"Fool," Alice thought.` tells of the quote before it; what is said next is said aloud."""
    told = found[at].mark == "bare" and all(piece.kind == "thought" for piece in found[at].pieces)
    return told and _reaches_back(found, at) and bool(_ENDS.search(found[at].text[-_NEAR:]))


def _stands_for_itself(stretch: Stretch) -> bool:
    """`[I hate him.]` is the thought, `*thinks to himself*` says that one follows."""
    own = stretch.mark.startswith("own") or all(piece.kind == "ooc" for piece in stretch.pieces)
    return own or (stretch.mark == "bracket" and all(piece.kind == "thought" for piece in stretch.pieces))


def _heard(stretch: Stretch, scope: Confinement | None) -> HeardSegment:
    if scope is not None:
        return HeardSegment(stretch.text, _kind(scope), scope.listeners)
    spoken = any(piece.kind in ("spoken", "quoted") for piece in stretch.pieces)
    return HeardSegment(stretch.text, "spoken" if spoken or not stretch.pieces else "action", None)


def _kind(scope: Confinement) -> SegmentKind:
    for kind in ("whisper", "thought", "aside", "ooc"):
        if scope.how == kind:
            return kind
    raise ValueError(scope.how)


def _joined(found: Sequence[HeardSegment]) -> tuple[HeardSegment, ...]:
    joined: list[HeardSegment] = []
    for each in found:
        if joined and (joined[-1].kind, joined[-1].audience) == (each.kind, each.audience):
            gap = "" if joined[-1].text[-1:].isspace() or each.text[:1].isspace() else " "
            joined[-1] = replace(joined[-1], text=f"{joined[-1].text}{gap}{each.text}")
        else:
            joined.append(each)
    return tuple(joined)
