"""Who alone may perceive a message that is whispered, thought, spoken aside or out of character."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

from earwitness.patterns import lazy_pattern

from ..discretion import languages
from ..discretion.low_voices import TOWARDS
from ..discretion.opening_whispers import is_hiss
from ..discretion.secret_deeds import touched
from .directions import ONLY_FOR, without_denials
from .manners import manner
from .marks import PRIVATE
from .names import Mention, Names, lists
from .notes import readers
from .stretches import Fragment

# Where the listener's name may begin, in the order in which the directions are tried.
_TOWARDS = (
    ONLY_FOR,
    *(
        lazy_pattern(pattern, re.IGNORECASE | re.VERBOSE)
        for pattern in (
            r"""\b(?:but|except|save)\s+(?:for\s+)?
            (?=[\w\ '’-]{1,40}\b(?:to|could|can|might|would)\s+(?:hear|catch|make|notice|see)\b)""",
            r"\A\W*to\s+",
            *TOWARDS,
            r"\b(?:in|into|to|by|near|against|at)\s+(?=[\w\ '’-]{1,40}\b(?:ears?|hair|hood|veil|collar)\b)",
            r"\bin(?:to)?\s+the\s+(?:\w+\s+)?ear\s+of\s+",
            r"""\bwhisper(?:s|ed|ing)?\b,?
            (?:\s+(?:\w+ly|soft|something|this|that|it|back|again|an?|few|words?|secret|in|low|quiet|hushed|voice|tone)){0,6}
            \s+(?:to|at|into)\s+""",
            r"\b(?:pull|take|draw|lead)(?:s|ing)?\s+(?=[\w\ '’-]{1,40}\saside\b)",
            r"\b(?:(?:tell|ask)(?:s|ed|ing)?|told)\s+",
            r"""\b(?:hiss|murmur|mutter|mumbl|breath)(?:e?s|ed)?\s+
            (?:(?:\w+ly|something|this|back|an?\s+\w+|an?\s+\w+\s+\w+)\s+){0,3}(?:at|to)\s+""",
            r"""\b(?:quietly|softly|secretly|privately|discreetly|breath|voice|tone|whisper|voce)\b[\s,]*
            (?:\w+\s+){0,3}?to\s+""",
            r"""\b(?:lean|bend|turn|move|step|walk|bow)(?:s|ed|ing)?\b
            (?:\s+(?:\w+ly|in|over|close|closer|down|across)){0,4}\s+to(?:wards?)?\s+""",
            r"\bmouth(?:s|ed|ing)\s+(?:[\w\ ]{1,30}\s+)?[\"“][^\"”\n]{0,80}[\"”]\s+(?:to|at)\s+",
            r"\b(?:in|into|inside|to)\s+(?=[\w\ '’-]{1,40}['’]s?\s+(?:minds?|heads?|thoughts|brain)\b)",
            r"""\b(?:telepath\w*|psych\w*|psion\w*|mental\w*|thoughts?|minds?|link|bond|voice|message|mouth\w*|out)\b[\s,-]*
            (?:\w+\s+){0,3}?(?:to|at|with)\s+""",
        )
    ),
)
_PREPOSITION = lazy_pattern(
    r"\b(?:to|into|towards?|at|for|mouths|mouthed|signs|signed)\s+(?:(?:the|his|her|their|my|old|young|Sir|Lord|Lady)\s+){0,2}\Z",
    re.IGNORECASE,
)
_TELLS_WHAT = lazy_pattern(r"\b(?:that|about|how|what|whether|of)\b", re.IGNORECASE)
_TO_DO = lazy_pattern(r"(?:hear|be|catch|make|notice|overhear|say|see|speak|carry|reach)\b", re.IGNORECASE)
_DETERMINER = lazy_pattern(
    r"[\W_]*(?:(?:the|his|her|their|my|old|young|dear|good|poor|Sir|Lord|Lady)\s+){0,2}\Z", re.IGNORECASE
)
_PRONOUN = lazy_pattern(r"[\W_]*(?:him|her|them|his|their|you|your)\b", re.IGNORECASE)
_SENDS = lazy_pattern(
    r"""\b(?:texts|texted|texting|messages|messaged|messaging|dms|dm(?:['’]?(?:s|ed))?|pms?|sms|whatsapp\w*|e?mails|
    e?mailed|types|typed|typing|
    (?:sends?|sent|shoots?|drops?|fires?)\s+(?:[\w'’-]+\s+){1,3}?(?:text|message|dm|pm|sms|e-?mail|voice\s+note)|
    (?:direct|private|text)\s+message|private\s+(?:channel|line|frequency|chat)|telepath\w*|psionic\w*|
    mind(?:[- ]?(?:link|speak\w*|touch))?|minds|thought-?(?:speak|link)|bond|mentally|
    schreibt|simst|escribe|écrit|envoie|escreve|manda|scrive|пишет|шлёт)\b|微信|短信|私信|メール|念話""",
    re.IGNORECASE | re.VERBOSE,
)
_ON_PAPER = lazy_pattern(
    r"\b(?:notes?|letters?|papers?|napkins?|envelopes?|scrolls?|diar\w+|journals?|cards?)\b", re.IGNORECASE
)
_KEPT_FROM = lazy_pattern(
    r"""\b(?:so|lest|before|while|without|behind|under|out\s+of\s+(?:earshot|hearing|sight)\s+of|away\s+from|unseen\s+by|
    unnoticed\s+by|over|past)\b.*""",
    re.IGNORECASE | re.DOTALL | re.VERBOSE,
)
"""Who is named behind it does not hear: `beside her ear, so that Carol cannot hear`."""
_ASIDE_FROM = lazy_pattern(
    r"\A\W*(?:while|as|when|before|after)\s+[^,.!?]+,\s*|\btoo\s+\w+\s+for\s+[^.!?]{1,60}?\s+to\s+\w+,?\s*",
    re.IGNORECASE,
)
"""Who is named in it does something else meanwhile, or cannot hear: `While Ann sings, Bob whispers to Carol: …`."""
_EAR = lazy_pattern(
    r"['’]s?\s+(?:\w+\s+)?(?:ears?|hair|hood|veil|collar|minds?|heads?|thoughts|brain|sleeve|arm|hand|cloak|coat|direction|knee|palm|wrist|shoulder|cheek|temple|neck|face)\b",
    re.IGNORECASE,
)
_FEELS = lazy_pattern(
    r"\W*+(?:[\w'’-]++\s++){1,4}?(?:(?:dis)?likes?|loves?|hates?|fears?|wants?|hopes?|wishes|believes?|knows?|suspects?|"
    r"doubts?|longs?|regrets?|remembers?|recalls?|realiz?s?es|feels?|dreams?|dreads?|envies|admires?)\b",
    re.IGNORECASE,
)


@dataclass(frozen=True, slots=True)
class Confinement:
    """A message that does not reach everybody who is here."""

    how: str
    """`whisper`, `thought`, `aside`, `ooc` or `secret`."""
    listeners: tuple[str, ...] = ()
    """Ids of those it is meant for, the speaker not counted."""
    sent: bool = False
    """It goes by a message, a mind or a channel of its own, so that those who are elsewhere get it, too."""


def confinement(
    found: Sequence[Fragment], names: Names, spoken_to: Sequence[str], *, narrator: bool
) -> Confinement | None:
    """The narrowest audience of any piece; `None` when the message is open.

    A message that mixes a whisper with open speech reaches the whisper's audience only: a message is delivered whole,
    and the open part lost is a smaller harm than the secret told. Two whispers reach those who may hear both.
    """
    confined = [c for piece in found if (c := _confined(piece, names, spoken_to, narrator)) is not None]
    if not confined:
        return _feeling(found, names) if narrator else None
    common = [id for id in confined[0].listeners if all(id in other.listeners for other in confined[1:])]
    how = next((c.how for c in confined if c.how != "whisper"), "whisper")
    return Confinement(how, tuple(common), sent=all(c.sent for c in confined))


def _confined(piece: Fragment, names: Names, spoken_to: Sequence[str], narrator: bool) -> Confinement | None:
    if piece.written or (piece.kind == "whisper" and manner(piece.text) == "paper"):
        if languages.manner(piece.text) and (named := names.inflected(piece.text)):
            return Confinement("whisper", named, sent=is_sent(piece.text))
        return Confinement("whisper", readers(piece.text, names) or _texted(piece.text, spoken_to), is_sent(piece.text))
    if piece.kind == "whisper":
        return _narrated_whisper(piece.text, names) if narrator else _whispered(piece.text, names, spoken_to)
    if piece.kind == "secret":
        doer = _subject(piece.text, names) if narrator else ()
        return Confinement("secret", tuple(dict.fromkeys((*doer, *_sharing(piece.text, names)))))
    if piece.kind not in PRIVATE:
        return None
    return Confinement(piece.kind, _subject(piece.text, names) if narrator and piece.kind == "thought" else ())


def _whispered(direction: str, names: Names, spoken_to: Sequence[str]) -> Confinement | None:
    """For whom a direction of a whisper says that it is; a hiss that calls nobody confines nothing."""
    direction, sent = without_denials(direction), is_sent(direction)
    if (sent or _ON_PAPER.search(direction)) and (given := readers(direction, names)):
        return Confinement("whisper", given, sent)
    listeners = _listeners(direction, names, spoken_to)
    return Confinement("whisper", listeners, sent) if listeners or not is_hiss(direction) else None


def is_sent(direction: str) -> bool:
    """Whether a direction tells of a text message, of thoughts sent to another mind or of a private channel."""
    return _SENDS.search(direction) is not None


def _texted(direction: str, spoken_to: Sequence[str]) -> tuple[str, ...]:
    """Whom a text message that names nobody is for: `*texts back*`."""
    return tuple(spoken_to) if is_sent(direction) and not _ON_PAPER.search(direction) else ()


def _sharing(deed: str, names: Names) -> tuple[str, ...]:
    """Those whom a secret deed touches, or to whom something is passed by it."""
    return touched(deed, names) or (names.inflected(deed) if languages.hands_over(deed) else ())


def _feeling(found: Sequence[Fragment], names: Names) -> Confinement | None:
    """A narration of nothing but one character's feelings is hers alone; among events, feelings confine nothing."""
    if not found or not all(piece.kind == "action" and _FEELS.match(piece.text) for piece in found):
        return None
    feeling = {id for piece in found for id in _subject(piece.text, names)}
    return Confinement("thought", tuple(feeling)) if len(feeling) == 1 else None


def _listeners(direction: str, names: Names, spoken_to: Sequence[str]) -> tuple[str, ...]:
    """Whom a direction names as listeners. A stranger's name is nobody; `him` is who is then spoken to by name."""
    zone = _zone(direction)
    foreign = (zone is None or not languages.is_english(direction)) and languages.manner(direction)
    if foreign and (named := names.inflected(_KEPT_FROM.sub("", direction))):
        return named
    if zone is None:
        return _turned_to(_KEPT_FROM.sub("", direction), names) or tuple(spoken_to)
    if _PRONOUN.match(direction, zone):
        return tuple(spoken_to)
    for group in lists(direction, names.find(direction)):
        if group[0].start >= zone and _DETERMINER.match(direction[zone : group[0].start]):
            return tuple(dict.fromkeys(m.id for m in group)) if _is_listener(direction, group[-1]) else ()
    return tuple(spoken_to) if is_hiss(direction) else ()


def _turned_to(direction: str, names: Names) -> tuple[str, ...]:
    """Whom a direction names behind `to` and the like, without a verb of speaking: `barely audible, to Bob`."""
    direction = _TELLS_WHAT.split(direction, maxsplit=1)[0]
    for group in lists(direction, names.find(direction)):
        if _PREPOSITION.search(direction[: group[0].start]) and not group[-1].possessive:
            return tuple(dict.fromkeys(mention.id for mention in group))
    return ()


def _zone(direction: str) -> int | None:
    found = (match.end() for pattern in _TOWARDS for match in pattern.finditer(direction))
    return next((end for end in found if not _TO_DO.match(direction, end)), None)


def _is_listener(direction: str, mention: Mention) -> bool:
    """`in Bob's ear` names Bob; `to Bob's sister` does not."""
    return not mention.possessive or bool(_EAR.match(direction, mention.end))


def _narrated_whisper(narration: str, names: Names) -> Confinement | None:
    """A whisper that a narrator tells of: who whispers and who listens; with neither named, it is mere description."""
    narration = _ASIDE_FROM.sub("", narration)
    both = tuple(dict.fromkeys((*_subject(narration, names), *_listeners(narration, names, ()))))
    return Confinement("whisper", both) if both else None


def _subject(narration: str, names: Names) -> tuple[str, ...]:
    """Who is named first in a narrated sentence, unless as the owner of something."""
    return tuple(mention.id for mention in names.find(narration)[:1] if not mention.possessive)
