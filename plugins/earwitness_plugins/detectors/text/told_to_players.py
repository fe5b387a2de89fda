"""What whoever leads a game tells some of the players only: `(paper slip to Bob: …)`, `Bob, you are alone.`."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from itertools import pairwise

from earwitness.patterns import lazy_pattern

from ..discretion.inner_prose import sentences
from .names import Mention, Names, lists

_CUED = lazy_pattern(r"[\s*_]*[(\[]\s*(?:@|to\s+|for\s+)?", re.IGNORECASE)
_CUED_ENDS = lazy_pattern(r"\s*(?:\(private(?:ly)?\)|only|privately)?\s*[,:\u2013\u2014-]", re.IGNORECASE)
_SLIPPED = lazy_pattern(
    r"[\s*_]*(?:[\w ]{1,20}:?\s+)?[(\[]\s*(?P<head>(?:(?:quietly|secretly|privately)\s+)?"
    r"(?:slides|passes|hands|gives|sends|slips|"
    r"whispers|texts|dms?|pms?|notes?|(?:paper\s+)?slip|card|message|private(?:ly)?|secret(?:ly)?)\b[^:)\]\n]{1,60})[:)\]]",
    re.IGNORECASE,
)
"""What whoever leads a game hands to one player: `GM (slides Bob a note): …`, `(paper slip to Bob: …)`."""
_NOTE = lazy_pattern(
    r"[\s*_(\[]*(?:(?:gm|dm|game\s+master|secret|private|handwritten|folded|quick)['’]?s?\s+){0,2}"
    r"(?:note|message|whisper|slip|card|dm|pm|text)s?\s+(?:(?:slipped|passed|handed|slid|sent|written)\s+)?(?:to|for)\s+"
    r"(?P<head>[^:\n.!?]{1,50}):",
    re.IGNORECASE,
)
"""The same without brackets: `Note to Bob: …`, `GM note slipped to Bob's player: …`."""
_HEADED = lazy_pattern(r"[\s*_]*[(\[]\s*(?:only\s+|just\s+)?(?:@|to\s+|for\s+)?", re.IGNORECASE)
_HEADED_ENDS = lazy_pattern(
    r"(?:['’]s\s+(?:eyes|ears))?(?:\s+(?:only|alone|privately|in\s+private|secretly))+\s*[:.]?\s*[)\]]", re.IGNORECASE
)
"""`(for Bob only) …`: all of the paragraph is."""
_YOU = r"(?:you|your|vous|tu|te|ihr|du|usted|você|ты|вы)\b"
_HOW = r"(?:meanwhile,?\s+|now,?\s+|as\s+for\s+)?(?:(?:in|on|at|up|down|out|by|inside|outside)\s+[\w'’ ]{2,40}[:,]\s*)?"
_TO_YOU = lazy_pattern(rf"\s*[,:\u2013\u2014-]\s*{_HOW}{_YOU}", re.IGNORECASE)
"""Sentences that open so, to several players, are each for one: `Bob, you are in the cellar.`"""
_MAY_BE_YOU = lazy_pattern(rf"\b{_YOU}", re.IGNORECASE)
_NEAR = 150
"""Within so many characters somebody is called."""
_LEAD = " \t\n*_[("


def for_whom(text: str, names: Names) -> tuple[str, ...] | None:
    """Whom alone a paragraph is for, as its head says: `[Bob, perception 17: the innkeeper lies.]`."""
    for pattern in (_SLIPPED, _NOTE):
        if (slip := pattern.match(text)) and (given := _ids(names.find(slip["head"]))):
            return given
    first = _first(text, names)
    if not first:
        return None
    headed, opens = _HEADED.match(text), _CUED.match(text)
    if headed and first[0].start == headed.end() and _HEADED_ENDS.match(text, first[-1].end):
        return _ids(first)
    if opens is None or first[0].start != opens.end() or text.rstrip(" \t\n*_")[-1:] not in ")]":
        return None
    return _ids(first) if _CUED_ENDS.match(text, first[-1].end) else None


def parted(paragraphs: Sequence[str], names: Names) -> list[str]:
    """The paragraphs, cut where a sentence turns to another player: `It is Tuesday. Bob, you are alone.`."""
    return [part for paragraph in paragraphs for part in _parted(paragraph, names)]


def _parted(paragraph: str, names: Names) -> Iterator[str]:
    if _MAY_BE_YOU.search(paragraph) is None:
        yield paragraph
        return
    cuts = [begin for begin, end in sentences(paragraph) if begin and _spoken_to(paragraph[begin:end], names)]
    edges = [0, *cuts, len(paragraph)]
    yield from (paragraph[begin:end] for begin, end in pairwise(edges))


def players(paragraphs: Sequence[str], names: Names) -> dict[int, tuple[str, ...]]:
    """Number of a paragraph → whom it speaks to, where several players are told different things."""
    spoken = {at: ids for at, paragraph in enumerate(paragraphs) if (ids := _spoken_to(paragraph, names))}
    if not spoken:
        return {}
    groups = {*spoken.values(), *(whom for paragraph in paragraphs if (whom := for_whom(paragraph, names)))}
    return spoken if len(groups) > 1 else {}


def _spoken_to(text: str, names: Names) -> tuple[str, ...]:
    """Whom a text calls at its beginning, to tell them what they do or perceive."""
    if _MAY_BE_YOU.search(text, 0, _NEAR) is None:
        return ()
    first = _first(text, names)
    calls = first and not text[: first[0].start].strip(_LEAD) and _TO_YOU.match(text, first[-1].end)
    return _ids(first) if calls else ()


def _first(text: str, names: Names) -> Sequence[Mention]:
    groups = lists(text, names.find(text))
    return groups[0] if groups else ()


def _ids(mentions: Sequence[Mention]) -> tuple[str, ...]:
    return tuple(dict.fromkeys(each.id for each in mentions))
