"""Who is spoken to: names set off from the sentence, as in `Bob, look!`, `Hi Mia`, `What about you, Bob?`."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from earwitness.patterns import lazy_pattern

from .names import Mention, lists

_GREETING = (
    r"hi|hello|hey|hiya|yo|greetings|welcome|howdy|hail|good\s+(?:morning|day|afternoon|evening|night)|goodbye|bye|"
    r"farewell|thanks|thank\s+you|sorry|please|dear|see\s+you(?:\s+\w+){0,2}|take\s+care|oh|o|ah"
)
_INTERJECTION = (
    r"so|and|but|well|sure|yes|yeah|yep|no|nope|ok|okay|alright|all\s+right|right|true|now|then|look|listen|wait|come|come\s+on|"
    r"stop|ay|aye|nay|why|how\s+now|you|you\s+too|agreed|of\s+course|sure\s+thing|no\s+(?:problem|worries)|go\s+ahead|got\s+it|"
    r"will\s+do|fair\s+enough|same\s+here|well\s+done|good\s+(?:luck|point|one)|great|nice|cool|wow|really|interesting|"
    r"excuse\s+me|forgive\s+me|(?:that|it)['’]?s\s+(?:ok|okay|fine|alright|all\s+right|great)|\w+ly"
)
_FORM_OF_ADDRESS = (
    r"(?:(?:my|dear|dearest|good|sweet|fair|noble|gentle|kind|old|young|poor|brave|sir|lord|lady|mr\.?|mrs\.?)\s+)"
)
_GREETED = lazy_pattern(
    rf"(?:\A|\W)(?:{_GREETING})(?:\s+(?:there|again))?[\s,]+{_FORM_OF_ADDRESS}{{0,3}}\Z", re.IGNORECASE
)
_SENTENCE_START = r"(?:\A|[.!?…;:—–\n]|\s-)[\s\"”']*(?:(?:oh|ah|well|yes|no|ok|okay),?\s+)?"
_SET_OFF = lazy_pattern(rf"{_SENTENCE_START}{_FORM_OF_ADDRESS}{{0,3}}\Z", re.IGNORECASE)
_CALLED = lazy_pattern(
    rf"{_SENTENCE_START}(?:{_INTERJECTION})\s+{_FORM_OF_ADDRESS}{{0,3}}\Z|\byou,?\s+(?:too,?\s+)?\Z|@\Z", re.IGNORECASE
)
_AFTER_COMMA = lazy_pattern(rf",\s*(?:and\s+)?{_FORM_OF_ADDRESS}{{0,3}}\Z", re.IGNORECASE)
_APPOSITION = lazy_pattern(
    r"\b(?:my|our|his|her|their|your|the|a|an|this|that|called|named)\s+(?:[\w-]+\s+){0,2}?(?:friends?|brothers?|sisters?|"
    r"sons?|daughters?|father|mother|parents|husband|wife|uncle|aunt|cousins?|king|queen|prince|princess|lord|lady|captain|"
    r"master|mistress|servants?|neighbou?rs?|colleagues?|boss|teacher|doctor|man|woman|men|women|boy|girl|guys?|one|other|"
    r"others|people|party|team|group|heroes|two|three)\s*,\s*\Z",
    re.IGNORECASE,
)
_INTRODUCTION = lazy_pattern(
    r"(?:\A|[.!?…;—\n])\s*(?!(?:\w+\s+){0,3}?(?:the|an?|my|our|his|her|their|this|that)\b)(?:[\w'’]+\s+){0,3}[\w'’]+,\s*\Z"
)
_BREAK = lazy_pattern(r"\s*(?:[,!?…;—–]|-\s|\.\.|\Z)")
_CLOSED = lazy_pattern(r"\s*(?:[.,!?…;:—–\"”)]|-\s|\Z)")
_SENTENCE_CLOSED = lazy_pattern(r"\s*(?:[.!?…—–\"”)]|\Z)")
_SECOND_PERSON = lazy_pattern(
    r"\b(?:you|your|yours|yourself|ye|thou|thee|thy|thine|let's|let\s+us|shall\s+we|please|come|look|listen|tell)\b",
    re.IGNORECASE,
)
_WINDOW = 100
_BOUNDARY = lazy_pattern(r"[.!?…\n]")


def addressed(text: str, mentions: Sequence[Mention]) -> tuple[str, ...]:
    """Ids of those the spoken text speaks to by name, in order, each once."""
    return tuple(dict.fromkeys(_vocatives(text, mentions)))


def _vocatives(text: str, mentions: Sequence[Mention]) -> Iterator[str]:
    spoken_to_before = -1
    for group in lists(text, mentions):
        start, end = group[0].start, group[-1].end
        if group[-1].possessive or text[start : start + 4].casefold() == "the ":
            continue
        follows = spoken_to_before >= 0 and text[spoken_to_before:start].strip() == ","
        if follows or _is_set_off(text[max(0, start - _WINDOW) : start], text[end : end + _WINDOW]):
            spoken_to_before = end
            yield from (mention.id for mention in group)


def _is_set_off(left: str, right: str) -> bool:
    """Whether a name is set off from its sentence; `left` and `right` are the text around it."""
    if _GREETED.search(left):
        return True
    if _SET_OFF.search(left):
        return bool(_BREAK.match(right))
    if _CALLED.search(left):
        return left.endswith("@") or bool(_CLOSED.match(right))
    if not _AFTER_COMMA.search(left) or not _CLOSED.match(right) or _APPOSITION.search(left):
        return False
    if _SENTENCE_CLOSED.match(right) or _INTRODUCTION.search(left):
        return True
    return bool(_SECOND_PERSON.search(_sentence_around(left, right)))


def _sentence_around(left: str, right: str) -> str:
    """The sentence around a name, without the name."""
    end = _BOUNDARY.search(right)
    return _BOUNDARY.split(left)[-1] + right[: end.start() if end else None]
