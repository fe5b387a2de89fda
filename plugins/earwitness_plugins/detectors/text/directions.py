"""The English of directions for one's own lines: whispered, thought, aside, out of character. No corpus's."""

from __future__ import annotations

import re
from functools import lru_cache
from typing import Literal

from earwitness.patterns import lazy_pattern

from ..discretion import languages
from ..discretion.low_voices import is_low
from ..discretion.secret_deeds import is_secret
from .guards import guarded_pattern
from .manners import Discretion, manner
from .unspoken import is_unspoken

FragmentKind = Literal["spoken", "action", "quoted", "whisper", "thought", "aside", "ooc", "secret"]
NEAR = 40

OOC = lazy_pattern(r"\W*(?:ooc|out of character)\b", re.IGNORECASE)
_ASIDE = lazy_pattern(
    r"\W*(?:(?:speaks?|speaking|says|spoken)\s+)?(?:aside\b(?!\s+from\b)|apart\b(?=\W*\Z|\W*to\b))"
    r"|\W*(?:(?:says?|speaks?|mutters?|murmurs?|mumbles?|whispers?|saying|muttering|murmuring|whispering)\s+)?"
    r"(?:quietly\s+|softly\s+)?to\s+(?:my|him|her|them|it|one|your)sel(?:f|ves)\b"
    r"|\W*(?:\w+\s+)?(?:under\s+(?:my|his|her|their|its)\s+breath|sotto\s+voce)\b(?!,?\s+(?:\w+\s+){0,2}?to\b)",
    re.IGNORECASE,
)
ASIDE_TO = lazy_pattern(
    r"\W*(?:\w+\s+)?(?:aside|apart)\b\W*(?=to\s+(?!(?:my|him|her|them|it|one|your)sel(?:f|ves)\b))", re.IGNORECASE
)
_ENDS_ASIDE = lazy_pattern(
    r"[,;.]\s*(?:(?:and|then)\s+)*(?:(?:speaks?|speaking|says)\s+)?(?:aside|to\s+(?:my|him|her|them|it)sel(?:f|ves))\W*\Z",
    re.IGNORECASE,
)
_THOUGHT = lazy_pattern(
    r"\W*(?:\w+\s+){0,3}?(?<!\bin\s)(?<!\ba\s)"
    r"(?:thinks?|thought|wonder(?:s|ed)?|ponder(?:s|ed)?|mus(?:es|ed)|daydream(?:s|ed)?)\b(?!\s+(?:aloud|out loud|for|"
    r"about it|it over|hard|carefully|briefly|twice|a\s+(?:moment|second|bit|while|minute|beat))\b)"
    r"|\W*(?:thinking|in\s+(?:my|his|her|their)\s+(?:head|mind|thoughts))\b(?!\s+for\b)",
    re.IGNORECASE,
)
_SAYS = (
    r"(?:(?:say|speak|tell|ask|add|murmur|mutter|breathe|hiss|talk|repl(?:y|ie)|answer)(?:s|es|ed|d|ing)?|"
    r"said|spoke|told)"
)
_QUIETLY = (
    r"(?:quietly|softly|secretly|privately|discreetly|sotto\s+voce|under\s+(?:my|his|her|their)\s+breath|"
    r"in\s+an?\s+(?:low|hushed|quiet|soft)\s+(?:voice|tone)|in\s+a\s+whisper)"
)
_WHISPER = guarded_pattern(
    rf"""
      \bwhisper(?:s|ed|ing)?\b
    | \b(?:lean|bend|lips|mouth|{_SAYS})\w*\b .{{0,40}} \b(?:in|into|to|by|near|against|at)\s
          [\w\s'’-]{{1,40}} \bears?\b
    | \b{_SAYS}\b .{{0,40}} \b{_QUIETLY} ,?\s (?:\w+\s){{0,2}}to\s
    | \b{_SAYS}\b .{{0,12}} \bto\s (?!all\b|every|any(?:one|body)\b|the\s) [\w'’ -]{{1,40}}? ,?\s {_QUIETLY} \b
    | \b(?:lean|bend|bent|turn|stoop|inclin|sidl|edg)\w*\b [^.!?\n]{{0,20}} \b(?:to|towards?|over|in|down|
        close(?:r)?)\s [^.!?\n]{{0,40}}
          \band\s (?:\w+ly\s)? (?:murmur(?:s|ed)?|mutter(?:s|ed)?|hiss(?:es|ed)?|mumble[sd]?|breathe[sd]?)\b
          (?!\s+(?:in|out|on|again|heavily|deeply)\b)
    | \b{_QUIETLY} ,?\s {_SAYS} \b .{{0,40}} \bto\s
    | \b{_QUIETLY} ,?\s (?:tell|ask)(?:s|ed|ing)? \b
    | \b(?:tell|ask)(?:s|ed|ing)?\s (?!all\b|every|any(?:one|body)\b|the\s) [\w'’-]{{1,40}} \s {_QUIETLY} \b
    | \btold\s (?!all\b|every|any(?:one|body)\b|the\s) [\w'’-]{{1,40}} \s {_QUIETLY} \b
    | \A\W* {_QUIETLY} ,?\s to\s (?!all\b|every|any(?:one|body)\b)
    | \b(?:pull(?:s|ing|ed)?|tak(?:es?|ing)|took|dr(?:aws?|ew|awing)|le(?:ads?|d|ading)|steer(?:s|ed)?)\s
          (?:him|her|them|(?-i:[A-Z])[\w\s'’-]{{0,40}})\s aside\b
    """,
    re.IGNORECASE | re.DOTALL | re.VERBOSE,
)
_TO_ALL_HERE = guarded_pattern(
    r"\bwhisper(?:s|ed|ing)?,?\s+(?:(?:\w+ly|something|this|that|it|back|again)\s+){0,2}to\s+"
    r"(?:all(?:\s+of\s+(?:them|us|you))?|every(?:one|body)|(?:all\s+of\s+)?the\s+(?:whole\s+|entire\s+)?(?:group|party|table|room|"
    r"team|crew|company|gang|class|squad))(?:\s+(?:here|present))?(?=\W*\Z|\s*[,.;:!?…—–])",
    re.IGNORECASE,
)
"""`whispers to everyone`; not `to everyone but Bob`."""
_NO_WHISPER = lazy_pattern(
    r"(?:\bnot|n['’]t|\bnever|\bno\s+longer|\binstead\s+of|\brather\s+than|\bwithout|\bstop(?:s|ped)?|\bquits?|\bceases?|\bdone|\btired\s+of)"
    r"\s+(?:(?:to|even|speak\w*|talk\w*|in|a|bother\w*|need\w*|have|care\w*)\s+){0,3}whisper\w*(?:\s+to\s+[\w'’-]+)?",
    re.IGNORECASE,
)
"""`does not whisper`, `stops whispering`: what follows is said."""
_UNDER_BREATH = guarded_pattern(
    r"\b(?:hiss(?:es|ed)?|murmur(?:s|ed)?|mutter(?:s|ed)?|mumbl(?:es|ed)|breath(?:es|ed))\s+"
    r"(?:(?:\w+ly|something|this|back|a\s+\w+|an?\s+\w+\s+\w+)\s+){0,3}(?:at|to)\s+"
    r"(?!all\b|every|the\s+(?:room|group|others|crowd)\b)",
    re.IGNORECASE,
)
_MOUTHS = guarded_pattern(
    r"\bmouth(?:s|ed|ing)\s+(?:(?:\w+ly|something|the\s+words?|it|back)\s+){0,3}(?:[\"“'‘][^\"”’\n]{0,80}[\"”'’]\s+)?(?:to|at)\s+"
    r"(?!all\b|every)",
    re.IGNORECASE,
)
_HANDS_NOTE = lazy_pattern(
    r"\b(?:pass|hand|slip|slid|push|press|shov|giv|gave)\w*\b[^.!?]{0,60}\b(?:notes?|letters?|napkins?|papers?|cards?)\b"
    r"(?!\s+(?:in|into|under|up)\s+(?:his|her|their|my)\b)",
    re.IGNORECASE,
)
_MESSAGES = lazy_pattern(
    r"(?<!\bthe\s)(?<!\ba\s)(?<!\bher\s)(?<!\bhis\s)(?<!\bmy\s)(?<!\bof\s)(?<!['’]s\s)\b(?:texts|texted|texting|messages|messaged|messaging|"
    r"dms|dmed|dming|e?mails|e?mailed|e?mailing)\s+"
    r"(?!(?:my|his|their|her(?!\s+(?:under|below|beneath|behind|from|in|with|while|when|as|secretly)\b))\s+\w)"
    r"(?!(?:on|from|of|in|at|are|is|were|was|and|about|that|under|beneath|below|behind)\b)\w|"
    r"\b(?:sends?|sent|shoots?|fires?|types|typed)\b[^.!?]{1,40}\b(?:text|message|dm|pm|sms|e-?mail)\b",
    re.IGNORECASE,
)
"""What is done secretly may be a message: whoever it is sent to reads it."""
_IS_ALONE = guarded_pattern(
    r"(?:\b(?:he|she|I|(?-i:[A-Z])[\w'’-]+)\s+(?:is|was|am|sits|sat|stands|stood|lies|lay|remains|remained|stays|stayed)\s+"
    r"(?:(?:still|now|quite|all)\s+)*|\A\W*(?:(?:is|am|sits|stands|lies)\s+)?(?:all\s+|quite\s+)?)alone\b(?=\s*(?:[,.;:)*]|\Z|(?:in|on|at|by)\s))"
    r"(?!\s+(?:in\s+(?:this|that|the\s+world|thinking|his\s+opinion|her\s+opinion)|at\s+last))",
    re.IGNORECASE,
)
"""Who is told to be alone is heard by nobody."""
_PRIVATELY: dict[Discretion | None, FragmentKind] = {
    "unheard": "thought",
    "aside": "aside",
    "telepathy": "whisper",
    "paper": "whisper",
}
TO = lazy_pattern(
    r"\W*to\s+(?!all\b|every|any(?:one|body)\b|the\s+(?:whole\s+|entire\s+)?(?:room|group|others|crowd|table|party|rest|company)\b)",
    re.IGNORECASE,
)

_NOT_ALL = (
    r"(?!(?:all|every\w*|any\w*|we|I|it|the\s+(?:room|group|others|crowd|table|party|rest))\b"
    r"|(?:my|him|her|them|it|one|your)sel(?:f|ves)\b)"
)
_NO_PRONOUN = r"(?!(?:he|she|they|you|him|his|her|them|their|your)\b)"
_PERCEIVES = (
    r"(?:hears?|heard|sees?|saw|understands?|understood|knows?|knew|notice[sd]?|speaks?|reads?|catch(?:es)?|caught|gets?|"
    r"ma(?:kes?|de)\s+(?:it|them|out)(?:\s+out)?)"
)
_WHO = r"[\w\s'’,&-]{1,60}?"


def _limits(who: str) -> re.Pattern[str]:
    """What says who alone hears; `who` is what must stand where they are named."""
    return guarded_pattern(
        rf"""
          (?: \b(?:so|that|such|which|voice|tone|whisper|low|softly|quietly|enough|breath|words?) | [,;:(] | \A ) \s*
            (?:that\s+|which\s+)? (?:only|just|no(?:body|[ -]?one)\s+(?:else\s+)?(?:but|except)|none\s+but) \s+
            (?!loud|quiet|barely|enough|for\b) {who}
            (?= {_WHO}\s+ (?:(?:can|could|may|might|will|would|should)\s+)? {_PERCEIVES}\b \W*
                (?:(?:it|this|her|him|them|me)\b)? \s* (?:[^\w\s]|\Z) )
        | \b(?:only|just(?:\s+loud(?:ly)?\s+enough)?)\s+for\s+(?:only\s+)? {who} (?={_WHO}(?:\s+to\s+hear|\s+ears?)\b)
        | \bfor\s+(?:only|just)\s+ {who} (?={_WHO}\s+to\s+hear\b)
        | (?: [,;:(] | \A | \b(?:meant|intended) ) \s* \b for\s+ {who}
            (?= {_WHO}\s+(?:alone|only)\b \s* (?:[^\w\s]|\Z) )
        | \bfor\s+ {who} (?= {_WHO} (?:\s+(?:alone|only)\s+to\s+hear|\s+ears\s+(?:only|alone)) \b )
        | \b(?:{_SAYS}|whisper(?:s|ed|ing)?|mumbl(?:es|ed|ing))\b [^.!?\n]{{0,40}}?
            \b(?: only\s+to\s+ {who} | to\s+ {who} (?={_WHO}\s+(?:alone|only)\b) )
        | \b(?:{_SAYS}|whisper\w*|breath\w*|murmur\w*|mutter\w*|hiss\w*|meant|it|this|words?|voice)\b [^.!?\n]{{0,40}}?
            \b for\s+ {who} (?= {_WHO}\s+(?:alone|only|and\s+(?:no\s+one|nobody)\s+else)\b )
        | \A\W*(?:(?:and|but|then)\s+)? for\s+ {who} (?=(?:him|her|them|you|me|(?-i:[A-Z])|(?:my|his|her|
            their)\s)) (?= {_WHO}\s+(?:alone|only)\b )
        | \b(?:and|but)\s+for\s+ {who} (?= {_WHO}\s+(?:alone|only)\s*[,:] )
        | \baudible\s+ (?: only\s+to\s+ {who} | to\s+ {who} (?={_WHO}\s+(?:alone|only)\b) )
        """,
        re.IGNORECASE | re.VERBOSE,
    )


_FOR_SOME = _limits(_NOT_ALL)
ONLY_FOR = _limits(_NOT_ALL + _NO_PRONOUN)
"""`so that only Bob can hear`, `for Bob's ears only`: behind it stands who alone hears, whatever else is said."""
_MAY_LIMIT = ("only", "alone", "but", "except", "enough", "else")


@lru_cache(maxsize=512)
def direction(text: str) -> FragmentKind | None:
    """What a direction makes of what is said: a whisper, a thought, an aside; `None` for what everybody perceives."""
    if OOC.match(text):
        return "ooc"
    if is_unspoken(text):
        return "thought"
    if is_only_for_some(text):
        return "whisper"
    if _ASIDE.match(text) or _ENDS_ASIDE.search(text[-NEAR:]):
        return "aside"
    if _is_whispered(text):
        return None if _TO_ALL_HERE.search(text) else "whisper"
    if _MOUTHS.search(text):
        return "whisper"
    if _THOUGHT.match(text):
        return "thought"
    return _PRIVATELY.get(manner(text)) or _low(text)


def without_denials(direction: str) -> str:
    """A direction without the whispers that it says do not happen."""
    return _NO_WHISPER.sub(" ", direction) if "whisper" in direction.lower() else direction


def _is_whispered(text: str) -> bool:
    """Whether it tells of a whisper, and not only that nobody whispers."""
    if not (_WHISPER.search(text) or _UNDER_BREATH.search(text)):
        return False
    told = without_denials(text)
    return told == text or bool(_WHISPER.search(told) or _UNDER_BREATH.search(told))


def _low(text: str) -> FragmentKind | None:
    """What a direction makes of what is said by rarer signs: the low voice, a hidden deed, another language."""
    if _IS_ALONE.search(text):
        return "aside"
    if is_low(text):
        return "whisper"
    foreign = languages.manner(text)
    if is_secret(text) or foreign == "secret":
        passed = _HANDS_NOTE.search(text) or _MESSAGES.search(text) or languages.hands_over(text)
        return "whisper" if passed else "secret"
    return "whisper" if foreign == "written" or languages.is_unreadable(text) else foreign


def is_only_for_some(text: str) -> bool:
    """Whether a direction says who alone hears what is said."""
    folded = text.lower()
    return any(word in folded for word in _MAY_LIMIT) and _FOR_SOME.search(text) is not None
