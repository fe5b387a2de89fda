"""A narrator's message as segments: what only some of those told of perceive, sentence by sentence.

`Only Bob sees the trapdoor.`, `Carol, you notice …`, `Alice whispers to Bob: "…"`, `Unseen by the others, Dave …`,
`[Bob only: …]`. All else is for everybody who is where it happens.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from itertools import groupby

from earwitness.patterns import lazy_pattern

from ..discretion.inner_prose import sentences
from .directions import direction
from .fragments import Fragment
from .names import Mention, Names, lists
from .privacy import confinement
from .segments import HeardSegment, SegmentKind

_STEMS = (
    *(
        "only",
        "alone",
        "you ",
        "unseen",
        "secret",
        "whisper",
        "note",
        "thought",
        "thinks",
        "wonder",
        "phone",
        "mind",
        "murmur",
        "mutter",
    ),
    *(
        "earshot",
        "head",
        "ear",
        "unnotic",
        "behind",
        "under",
        "quiet",
        "read",
        "@",
        "private",
        "pocket",
        "hid",
        "feel",
        "know",
        "knew",
    ),
    *("meanwhile", "elsewhere", "the same", "back ", "the other"),
)
_PERCEIVES = (
    r"(?:see[sn]?|saw|hears?|heard|notices?|noticed|feels?|felt|senses?|sensed|recogni[sz]es?|recogni[sz]ed|remembers?|remembered|realis\w+|"
    r"realiz\w+|knows?|knew|spots?|spotted|smells?|smelled|catch(?:es)?|caught|understands?|understood|perceives?|reads?|learns?|learned|"
    r"recalls?|sense|find|finds|found|glimpses?|glimpsed|suspects?|can\s+(?:see|hear|feel|tell|smell|make)|could\s+(?:see|hear|feel|tell|smell|make)|alone|"
    r"are\s+the\s+only|is\s+the\s+only|get|gets|make\s+out|makes\s+out|think|thinks|wonder|wonders)"
)
_ONLY = lazy_pattern(
    r"\W*(?:(?:and|but|now)\s+)?(?:only|just|nobody\s+but|no\s+one\s+but|none\s+but)\s+", re.IGNORECASE
)
_ALONE = lazy_pattern(rf"\s+alone\s+(?:\w+ly\s+)?{_PERCEIVES}\b", re.IGNORECASE)
_SEES = lazy_pattern(rf"\s+(?:\w+ly\s+)?{_PERCEIVES}\b", re.IGNORECASE)
_YOU = lazy_pattern(
    rf"\s*[,:]?\s+you\s+(?:alone\s+|\w+ly\s+|suddenly\s+|also\s+)?(?:{_PERCEIVES}|are\s+(?:still|alone|by\s+yourself))\b",
    re.IGNORECASE,
)
_AFTER_CUE = lazy_pattern(r"\W{0,3}(?:only\s+)?(?:to|for)?\s*\Z", re.IGNORECASE)
_CUE_ENDS = lazy_pattern(
    r"\s*(?:only|alone|privately|\(private\)|eyes\s+only|['’]s\s+eyes\s+only)\s*[:)\]]", re.IGNORECASE
)
_IN_HEAD = lazy_pattern(
    r"\W*(?:in|inside|into|through)\s+(?:her|his|their|[\w'’-]+['’]s?)\s+(?:own\s+)?(?:mind|head|thoughts|dream|skull|ear|earpiece)\b",
    re.IGNORECASE,
)
_SCREEN = lazy_pattern(
    r"['’]s?\s+(?:phone|mobile|cell|pager|screen|watch|earpiece|tablet|comm(?:unicator)?|letter|scroll)\b[^.!?\n]{0,60}(?:[:\"“]|message|text|reads|says)",
    re.IGNORECASE,
)
_GOES_ON = lazy_pattern(
    r"\W*(?:(?:it|the\s+(?:note|letter|message|text|voice|card|paper))\s+(?:says?|said|reads?|tells?|whispers?)|you\b|your\b|[\"“«‘])",
    re.IGNORECASE,
)
_APART = lazy_pattern(
    r"\b(?:out\s+of\s+earshot|alone\s+(?:together|now|at\s+last)|in\s+private|where\s+no(?:body|\s+one)\s+(?:can|could|else)\b)",
    re.IGNORECASE,
)
_QUOTE_OPENS = lazy_pattern(r"""\s*["“«‘]""")
_TAG = lazy_pattern(r"""["”»’]\s*[^"“«‘.!?]*\Z|[:,]\s*\Z""")
_ELSEWHERE = lazy_pattern(
    r"[\W_]*(?:(?:meanwhile|at\s+the\s+same\s+(?:time|moment))\W{1,3}(?:in|at|on|over|back|up|down|out|across|elsewhere|upstairs|"
    r"downstairs|outside|far)|elsewhere|back\s+(?:in|at|on)\s+the|on\s+the\s+other\s+(?:side|end))\b",
    re.IGNORECASE,
)
_PARAGRAPH = lazy_pattern(r"\n[^\S\n]*\n\s*")
_SENTENCE_IN_QUOTE = lazy_pattern('["“«][^"”»]*["”»]?')

SoleHearers = tuple[str, ...] | None


def narrated_segments(text: str, names: Names) -> tuple[HeardSegment, ...]:
    """The segments of a narrator's message; empty where all of it is for everybody."""
    folded = text.lower()
    if not any(stem in folded for stem in _STEMS):
        return ()
    pieces = [each for paragraph in _paragraphs(text) for each in _paragraph(paragraph, names)]
    if all(audience is None for _, audience, _ in pieces):
        return ()
    groups = groupby(pieces, key=lambda each: each[1:])
    return tuple(HeardSegment("".join(part[0] for part in group), kind, audience) for (audience, kind), group in groups)


ToldPiece = tuple[str, SoleHearers, SegmentKind]


def _paragraph(text: str, names: Names) -> Iterator[ToldPiece]:
    """Its sentences, each with whom it is for; what goes on with what only some perceive is for the same."""
    if _ELSEWHERE.match(text) and (there := tuple(dict.fromkeys(each.id for each in names.find(text)))):
        yield text, there, "action"
        return
    before: SoleHearers = None
    apart = False
    for sentence in _units(text):
        audience, kind = _audience(sentence, names)
        if audience is None and before is not None and (apart or _GOES_ON.match(sentence)):
            audience, kind = before, "whisper"
        apart = apart or (audience is not None and _APART.search(sentence) is not None)
        yield sentence, audience, kind if audience is not None else "action"
        before = audience


def _audience(sentence: str, names: Names) -> tuple[SoleHearers, SegmentKind]:
    if (ids := _perceivers(sentence, names)) is not None:
        return ids, "whisper"
    outside = _SENTENCE_IN_QUOTE.sub(" … ", sentence)
    kind = direction(outside)
    if kind is None and _IN_HEAD.match(outside):
        return _named_first(sentence, names), "thought"
    if kind not in ("whisper", "thought", "secret"):
        return None, "action"
    found = confinement([Fragment(kind, outside)], names, (), narrator=True)
    if found is None or not found.listeners:
        return None, "action"
    group = _named_first(outside, names)
    listeners = tuple(dict.fromkeys((*group, *found.listeners)))
    return listeners, "action" if kind == "secret" else kind


def _perceivers(sentence: str, names: Names) -> SoleHearers:
    """Who alone perceives what a sentence tells, by its own words."""
    groups = lists(sentence, names.find(sentence))
    if not groups:
        return None
    first = groups[0]
    ids, lead = tuple(dict.fromkeys(each.id for each in first)), sentence[: first[0].start]
    rest = first[-1].end
    if _ONLY.fullmatch(lead) and _SEES.match(sentence, rest):
        return ids
    if not lead.strip(" \t\n([{@*_") and (
        _YOU.match(sentence, rest) or _ALONE.match(sentence, rest) or _is_cue(sentence, rest)
    ):
        return ids
    if _AFTER_CUE.fullmatch(lead) and lead.strip() and _is_cue(sentence, rest):
        return ids
    if first[-1].possessive and not lead.strip() and _SCREEN.match(sentence, rest):
        return ids
    return None


def _is_cue(sentence: str, at: int) -> bool:
    return _CUE_ENDS.match(sentence, at) is not None


def _named_first(sentence: str, names: Names) -> tuple[str, ...]:
    group: Sequence[Mention] = next(iter(lists(sentence, names.find(sentence))), ())
    return tuple(dict.fromkeys(each.id for each in group))


def _paragraphs(text: str) -> Iterator[str]:
    at = 0
    for gap in (*_PARAGRAPH.finditer(text), None):
        end = gap.end() if gap else len(text)
        if end > at:
            yield text[at:end]
        at = end


def _units(text: str) -> Iterator[str]:
    """Sentences, a quote together with the tag before or behind it."""
    unit = ""
    for start, end in sentences(text):
        part = text[start:end]
        if unit and (_is_within_quote(unit) or (_TAG.search(unit.rstrip()) and _QUOTE_OPENS.match(part))):
            unit += part
            continue
        if unit and unit.rstrip()[-1:] in '"”»' and part[:1].islower():
            unit += part
            continue
        if unit:
            yield unit
        unit = part
    if unit:
        yield unit


def _is_within_quote(text: str) -> bool:
    return text.count('"') % 2 == 1 or text.count("“") > text.count("”")
