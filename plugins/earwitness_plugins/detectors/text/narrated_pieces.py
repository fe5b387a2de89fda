"""A narrator's message as segments: what only some of those told of perceive, sentence by sentence.

`Only Bob sees the trapdoor.`, `Carol, you notice …`, `Alice whispers to Bob: "…"`, `Unseen by the others, Dave …`,
`[Bob only: …]`. All else is for everybody who is where it happens.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from itertools import groupby

from earwitness.patterns import lazy_pattern

from ..discretion import out_of_character
from ..discretion.inner_prose import does_something
from . import told_to_players
from .directions import direction
from .names import Mention, Names, lists
from .narrated_company import NarratedCompany
from .narrated_minds import mind_of
from .narrated_units import outside_quotes, units
from .privacy import confinement
from .segments import HeardSegment, SegmentKind
from .stems import holds_any
from .stretches import Fragment

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
    *(
        "meanwhile",
        "elsewhere",
        "the same",
        "back ",
        "the other",
        "wonder",
        "felt",
        "saw ",
        "reali",
        "remember",
        "god",
        "?",
    ),
    *(
        "hardly",
        "barely",
        "scarcely",
        "palm",
        "louder",
        "breath",
        "voice",
        "cheek",
        "above",
        "below",
        "upstairs",
        "downstairs",
    ),
    *("outside", "floor", "out in", "up on", "up in", "down in", "down on", "overhead", "next door", "across the"),
    *(
        "had ",
        "'d ",
        "’d ",
        "self",
        "want",
        "nerve",
        "heart",
        "hope",
        "guess",
        "decid",
        "love",
        "hate",
        "perhaps",
        "surely",
    ),
    *(
        "maybe",
        "count",
        "part of",
        "n't",
        "n’t",
        "did not",
        "why",
        "what ",
        "wish",
        "fear",
        "envi",
        "dread",
        "thinking",
    ),
    *("here", "shall i", "should i", "you'd", "let me", "want me", "[", "("),
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
    rf"\s*[,:]?\s+(?:you\s+(?:alone\s+|\w+ly\s+|suddenly\s+|also\s+)?(?:{_PERCEIVES}|are\s+(?:still|alone|by\s+yourself))"
    r"|your\s+(?:\w+\s+)?(?:ears?|eyes?|nose|skin|senses?|instincts?|mind|gut|earpiece|phone|dream))\b",
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
_QUOTES = lazy_pattern(r"""["“«”»„「『]|(?<!\w)['‘]""")
_ELSEWHERE = lazy_pattern(
    r"[\W_]*(?:(?:meanwhile|at\s+the\s+same\s+(?:time|moment))\W{1,3}(?:in|at|on|over|back|up|down|out|across|elsewhere|upstairs|"
    r"downstairs|outside|far)|elsewhere|back\s+(?:in|at|on)\s+the|on\s+the\s+other\s+(?:side|end))\b",
    re.IGNORECASE,
)
_FARTHER = lazy_pattern(
    r"[\W_]*(?:(?:far|high|deep|way|right|just|somewhere|two|three|one|a|several|\w+)\s+(?:floors?\s+)?){0,2}"
    r"(?:outside|upstairs|downstairs|overhead|next\s+door|below|above|beneath|"
    r"(?:up|down|out|over)\s+(?:on|in|at|by|under|below|above|there|inside|behind|from|the)|"
    r"(?:across|behind|beyond|through)\s+the\s+(?:\w+\s+)?(?:door|wall|partition|curtain|hall|street|road|yard|river|fence|screen))\b",
    re.IGNORECASE,
)
"""Where a paragraph begins so, and tells of others than those before and after, it happens out of their sight."""
_PARAGRAPH = lazy_pattern(r"\n[^\S\n]*\n\s*")

_HIS = lazy_pattern(r"\b(?:he|she|him|his|her|hers|himself|herself)\b", re.IGNORECASE)

SoleHearers = tuple[str, ...] | None
ToldPiece = tuple[str, SoleHearers, SegmentKind]


def narrated_segments(text: str, names: Names, *, private: bool = False) -> tuple[HeardSegment, ...]:
    """The segments of a narrator's message; empty where all of it is for everybody.

    `private` says that some of it is not, by its words; else only some words can make it so, which is quickly seen.
    Where it tells of nobody but one, and of nothing said, all of it is for whom it is.
    """
    if not (holds_any(text, _STEMS) or (private and _tells_of_more(text, names))):
        return ()
    paragraphs = told_to_players.parted(list(_paragraphs(text)), names)
    frames = out_of_character.frames(paragraphs)
    players = told_to_players.players(paragraphs, names)
    company = NarratedCompany(names)
    pieces: list[ToldPiece] = []
    for at, paragraph in enumerate(paragraphs):
        if at in frames:
            pieces.append((paragraph, (), "ooc"))
        elif at in players:
            pieces.append((paragraph, players[at], "whisper"))
        elif there := _farther(at, paragraphs, names):
            pieces.append((paragraph, there, "action"))
        else:
            pieces += _paragraph(paragraph, names, company)
    if all(audience is None for _, audience, _ in pieces):
        return ()
    pieces = _of_one_mind(pieces, names)
    groups = groupby(pieces, key=lambda each: each[1:])
    return tuple(HeardSegment("".join(part[0] for part in group), kind, audience) for (audience, kind), group in groups)


def _tells_of_more(text: str, names: Names) -> bool:
    return _QUOTES.search(text) is not None or len({each.id for each in names.find(text)}) > 1


def _of_one_mind(pieces: list[ToldPiece], names: Names) -> list[ToldPiece]:
    """Where a narration enters one mind, and tells of nobody else and of nothing said, all of it is theirs."""
    minds = {audience for _, audience, kind in pieces if kind == "thought"}
    told = "".join(text for text, _, _ in pieces)
    if len(minds) != 1 or _QUOTES.search(told):
        return pieces
    (mind,) = minds
    if any(audience not in (None, mind) for _, audience, _ in pieces):
        return pieces
    for text in (text for text, audience, _ in pieces if audience is None):
        named = {each.id for each in names.find(text)}
        if named - {*(mind or ())} or not (named or _HIS.search(text)):
            return pieces
    return [(text, mind, "thought") for text, _, _ in pieces]


def _farther(at: int, paragraphs: Sequence[str], names: Names) -> tuple[str, ...]:
    """Those of whom a paragraph tells that happens elsewhere: `Up on the roof Ann …`, beside one about others."""
    if len(paragraphs) < 2 or _FARTHER.match(paragraphs[at]) is None:
        return ()
    there = _named_outside(paragraphs[at], names)
    beside = (
        each
        for other in (at - 1, at + 1)
        if 0 <= other < len(paragraphs)
        for each in _named_outside(paragraphs[other], names)
    )
    return there if there and not {*beside} <= {*there} else ()


def _named_outside(text: str, names: Names) -> tuple[str, ...]:
    """Ids of those named in what is told, and not in what is said."""
    return tuple(dict.fromkeys(each.id for each in names.find(outside_quotes(text))))


def _paragraph(text: str, names: Names, company: NarratedCompany) -> Iterator[ToldPiece]:
    """Its sentences, each with whom it is for; what goes on with what only some perceive is for the same."""
    if _ELSEWHERE.match(text) and (there := tuple(dict.fromkeys(each.id for each in names.find(text)))):
        yield text, there, "action"
        return
    if (cued := told_to_players.for_whom(text, names)) is not None:
        yield text, cued, "whisper"
        return
    yield from _told(text, names, company)


def _told(text: str, names: Names, company: NarratedCompany) -> Iterator[ToldPiece]:
    before: SoleHearers = None
    how: SegmentKind = "action"
    company.begin()
    apart = False
    for sentence in units(text):
        audience, kind = _audience(sentence, names, company)
        plain = _QUOTES.search(sentence) is None
        if (
            audience is None
            and plain
            and (mind := mind_of(sentence, names, company.subject, company.named)) is not None
        ):
            audience, kind = mind, "thought"
        if audience is None and before is not None and _goes_on(sentence, how, plain=plain, apart=apart):
            audience, kind = before, how if how == "thought" else "whisper"
        apart = apart or (audience is not None and _APART.search(sentence) is not None)
        yield sentence, audience, kind if audience is not None else "action"
        before, how = audience, kind
        company.note(outside_quotes(sentence), whispering=audience if kind == "whisper" else None)


def _goes_on(sentence: str, how: SegmentKind, *, plain: bool, apart: bool) -> bool:
    """Whether a sentence is for the same as the one before; a thought goes on in what tells of no deed."""
    if how == "thought":
        return plain and not does_something(sentence)
    return apart or _GOES_ON.match(sentence) is not None


def _first_named(text: str, names: Names) -> Sequence[Mention]:
    groups = lists(text, names.find(text))
    return groups[0] if groups else ()


def _audience(sentence: str, names: Names, company: NarratedCompany) -> tuple[SoleHearers, SegmentKind]:
    if (ids := _perceivers(sentence, names)) is not None:
        return ids, "whisper"
    outside = outside_quotes(sentence)
    kind = direction(outside)
    if kind is None and _IN_HEAD.match(outside):
        return _named_first(sentence, names), "thought"
    if kind not in ("whisper", "thought", "secret", "aside"):
        return None, "action"
    if kind in ("thought", "aside"):
        return company.alone(outside), kind
    found = confinement([Fragment(kind, outside)], names, (), narrator=True)
    listeners = found.listeners if found else ()
    if kind == "whisper" and outside != sentence:
        return company.whispering(outside, listeners), "whisper"
    if not listeners:
        return None, "action"
    group = _named_first(outside, names)
    return tuple(dict.fromkeys((*group, *listeners))), "action" if kind == "secret" else kind


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
    return tuple(dict.fromkeys(each.id for each in _first_named(sentence, names)))


def _paragraphs(text: str) -> Iterator[str]:
    at = 0
    for gap in (*_PARAGRAPH.finditer(text), None):
        end = gap.end() if gap else len(text)
        if end > at:
            yield text[at:end]
        at = end
