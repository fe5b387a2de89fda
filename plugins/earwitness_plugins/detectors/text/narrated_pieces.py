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
from ..discretion.inner_prose import does_something, sentences
from .directions import direction
from .fragments import Fragment
from .names import Mention, Names, lists
from .privacy import confinement
from .segments import HeardSegment, SegmentKind
from .stems import holds_any

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
_QUOTES = lazy_pattern(r"""["“«”»]|(?<!\w)['‘]""")
_TAG = lazy_pattern(r"""["”»’]\s*[^"“«‘.!?]*\Z|[:,]\s*\Z""")
_ELSEWHERE = lazy_pattern(
    r"[\W_]*(?:(?:meanwhile|at\s+the\s+same\s+(?:time|moment))\W{1,3}(?:in|at|on|over|back|up|down|out|across|elsewhere|upstairs|"
    r"downstairs|outside|far)|elsewhere|back\s+(?:in|at|on)\s+the|on\s+the\s+other\s+(?:side|end))\b",
    re.IGNORECASE,
)
_PARAGRAPH = lazy_pattern(r"\n[^\S\n]*\n\s*")
_SENTENCE_IN_QUOTE = lazy_pattern('["“«][^"”»]*["”»]?')

_CUED = lazy_pattern(r"[\s*_]*[(\[]\s*(?:@|to\s+|for\s+)?", re.IGNORECASE)
_SLIPPED = lazy_pattern(
    r"[\s*_]*(?:[\w ]{1,20}:?\s+)?[(\[]\s*(?P<head>(?:(?:quietly|secretly|privately)\s+)?"
    r"(?:slides|passes|hands|gives|sends|slips|"
    r"whispers|texts|dms?|pms?|notes?|(?:paper\s+)?slip|card|message|private(?:ly)?|secret(?:ly)?)\b[^:)\]\n]{1,60})[:)\]]",
    re.IGNORECASE,
)
"""What whoever leads a game hands to one player: `GM (slides Bob a note): …`, `(paper slip to Bob: …)`."""
_CUED_ENDS = lazy_pattern(r"\s*(?:\(private(?:ly)?\)|only|privately)?\s*[,:\u2013\u2014-]", re.IGNORECASE)
_TO_YOU = lazy_pattern(
    r"\s*[,:\u2013\u2014-]\s*(?:meanwhile,?\s+|now,?\s+|as\s+for\s+)?"
    r"(?:you|your|vous|tu|te|ihr|du|usted|você|ты|вы)\b",
    re.IGNORECASE,
)
"""Paragraphs that open so, to several players, are each for one: `Bob, you are in the cellar.`"""
_MINDS = lazy_pattern(
    r"""\s+(?:(?:\w+ly|had|still|also|suddenly|now|never|at\s+once)\s+)*
    (?: (?:wonder(?:s|ed)|thought|thinks)(?!\s+(?:aloud|out)) | fear(?:s|ed)\s+that
      | hope[sd]\s+(?:that|nobody|no\s+one|he|she|they) | suspect(?:s|ed) | dread(?:s|ed)
      | wish(?:es|ed)\s+(?:that|he|she|they)
      | pray(?:s|ed)\s+(?:that|silently) | mused | reflected | told\s+(?:him|her)self
      | (?:saw|sees|noticed|notices|knew|knows|felt|feels|guessed|realis\w+|realiz\w+|understood|understands|
          remember(?:s|ed)|recalled|recogni[sz]ed|decided|counted)
        \s+(?:at\s+once\s+|now\s+|suddenly\s+)?(?:that|how|what|why|who|whose|where|whether)
      | felt\s+in\s+(?:his|her|their)\s+pocket
      | could\s+not\s+(?:make\s+sense|believe|understand|help\s+(?:thinking|wondering)) )\b""",
    re.IGNORECASE | re.VERBOSE,
)
"""Behind the name of whoever alone knows what the sentence tells."""
_THOUGHT_TAG = lazy_pattern(r",\s+(?:thought|wondered|mused)\s+\Z|[,.!?]\s+\Z", re.IGNORECASE)
_TAGGED = lazy_pattern(
    r"\s+(?:thought|thinks|wondered|wonders|mused|told\s+(?:him|her)self)\s*(?:[.,;!?…]|\Z)", re.IGNORECASE
)
_TAGGED_BEFORE = lazy_pattern(
    r"[,!?…]\s+(?:thought|wondered|mused|reflected)\s+(?:(?:the|old|young|poor)\s+)*\Z", re.IGNORECASE
)
_CLOSES = lazy_pattern(r"\s*(?:[.,;!?…—–]|\Z)")
"""Where a tag ends: `Deaf as a cat, thought Bob.`"""
_TAGGED_BACK = lazy_pattern(r"[,.!?]\s+(?:he|she)\s+(?:thought|wondered|mused|told\s+(?:him|her)self)\b", re.IGNORECASE)
_INDIRECT = lazy_pattern(
    r"""\A (?!.*\byou\b) (?: .*\?\s*\Z | \W*(?:god|dear\s+god|oh|damn|of\s+course|good\s+god|heavens|no,|
        so\s+that\b|what\s+if|if\s+only|still\s+there|never\b) | .*\bI(?:['’](?:m|ll|d|ve))?\b | .*\bmy\b )""",
    re.IGNORECASE | re.VERBOSE | re.DOTALL,
)
_HIS = lazy_pattern(r"\b(?:he|she|him|his|her|hers|himself|herself)\b", re.IGNORECASE)
_PRONOUN = lazy_pattern(r"\W*(?:he|she|they|it|his|her|their)\b", re.IGNORECASE)

SoleHearers = tuple[str, ...] | None
ToldPiece = tuple[str, SoleHearers, SegmentKind]


def narrated_segments(text: str, names: Names) -> tuple[HeardSegment, ...]:
    """The segments of a narrator's message; empty where all of it is for everybody."""
    if not holds_any(text, _STEMS):
        return ()
    paragraphs = list(_paragraphs(text))
    frames = out_of_character.frames(paragraphs)
    players = _players(paragraphs, names)
    pieces: list[ToldPiece] = []
    for at, paragraph in enumerate(paragraphs):
        if at in frames:
            pieces.append((paragraph, (), "ooc"))
        elif at in players:
            pieces.append((paragraph, players[at], "whisper"))
        else:
            pieces += _paragraph(paragraph, names)
    if all(audience is None for _, audience, _ in pieces):
        return ()
    pieces = _of_one_mind(pieces, names)
    groups = groupby(pieces, key=lambda each: each[1:])
    return tuple(HeardSegment("".join(part[0] for part in group), kind, audience) for (audience, kind), group in groups)


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


def _players(paragraphs: Sequence[str], names: Names) -> dict[int, tuple[str, ...]]:
    """Number of a paragraph → whom it speaks to, where several players are told different things."""
    found: dict[int, tuple[str, ...]] = {}
    for at, paragraph in enumerate(paragraphs):
        first = _first_named(paragraph, names)
        if first and not paragraph[: first[0].start].strip(" \t\n*_[(") and _TO_YOU.match(paragraph, first[-1].end):
            found[at] = tuple(dict.fromkeys(each.id for each in first))
    return found if len(set(found.values())) > 1 else {}


def _paragraph(text: str, names: Names) -> Iterator[ToldPiece]:
    """Its sentences, each with whom it is for; what goes on with what only some perceive is for the same."""
    if _ELSEWHERE.match(text) and (there := tuple(dict.fromkeys(each.id for each in names.find(text)))):
        yield text, there, "action"
        return
    if (cued := _cued(text, names)) is not None:
        yield text, cued, "whisper"
        return
    yield from _told(text, names)


def _cued(text: str, names: Names) -> SoleHearers:
    """Whom a paragraph in brackets is for: `[Bob, perception 17: the innkeeper lies.]`."""
    if (slip := _SLIPPED.match(text)) and (given := tuple(dict.fromkeys(each.id for each in names.find(slip["head"])))):
        return given
    opens, first = _CUED.match(text), _first_named(text, names)
    if opens is None or not first or first[0].start != opens.end() or text.rstrip(" \t\n*_")[-1:] not in ")]":
        return None
    return tuple(dict.fromkeys(each.id for each in first)) if _CUED_ENDS.match(text, first[-1].end) else None


def _told(text: str, names: Names) -> Iterator[ToldPiece]:
    before: SoleHearers = None
    how: SegmentKind = "action"
    subject: tuple[str, ...] = ()
    apart = False
    for sentence in _units(text):
        audience, kind = _audience(sentence, names)
        plain = _QUOTES.search(sentence) is None
        if audience is None and plain and (mind := _mind(sentence, names, subject)):
            audience, kind = mind, "thought"
        if audience is None and before is not None and _goes_on(sentence, how, plain=plain, apart=apart):
            audience, kind = before, how if how == "thought" else "whisper"
        apart = apart or (audience is not None and _APART.search(sentence) is not None)
        yield sentence, audience, kind if audience is not None else "action"
        before, how = audience, kind
        subject = tuple(each.id for each in _subject_named(sentence, names)) or subject


def _goes_on(sentence: str, how: SegmentKind, *, plain: bool, apart: bool) -> bool:
    """Whether a sentence is for the same as the one before; a thought goes on in what tells of no deed."""
    if how == "thought":
        return plain and not does_something(sentence)
    return apart or _GOES_ON.match(sentence) is not None


def _mind(sentence: str, names: Names, subject: tuple[str, ...]) -> tuple[str, ...]:
    """Who alone knows what a sentence tells: whose mind it is in, by its words, or of whom was told just before."""
    found = names.find(sentence)
    for mention in found:
        opens = not mention.possessive and not sentence[: mention.start].strip(" \t\n*_—–-")
        if opens and _MINDS.match(sentence, mention.end):
            return (mention.id,)
        before = sentence[: mention.start]
        if _THOUGHT_TAG.search(before) and _TAGGED.match(sentence, mention.end):
            return (mention.id,)
        if _TAGGED_BEFORE.search(before) and _CLOSES.match(sentence, mention.end):
            return (mention.id,)
    if len(subject) != 1:
        return ()
    if _TAGGED_BACK.search(sentence) or ((he := _PRONOUN.match(sentence)) and _MINDS.match(sentence, he.end())):
        return subject
    if not _is_of_others(found, subject) and _INDIRECT.search(sentence):
        return () if does_something(sentence) else subject
    return ()


def _is_of_others(found: Sequence[Mention], subject: tuple[str, ...]) -> bool:
    return bool(found) and found[0].start == 0 and found[0].id not in subject


def _subject_named(sentence: str, names: Names) -> Sequence[Mention]:
    """Those with whose names a sentence begins: whom the next one may tell of."""
    first = _first_named(sentence, names)
    return first if first and not first[-1].possessive else ()


def _first_named(text: str, names: Names) -> Sequence[Mention]:
    groups = lists(text, names.find(text))
    return groups[0] if groups else ()


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
    return tuple(dict.fromkeys(each.id for each in _first_named(sentence, names)))


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
