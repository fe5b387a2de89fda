"""The English of manners that keep what is said or written from others: silently, by telepathy, in a diary, on paper.

One list for all that is marked or narrated. Where it is open whether others hear it, they do not. No corpus's.
"""

from __future__ import annotations

import re
from functools import lru_cache
from typing import Literal

from earwitness.patterns import lazy_pattern

from .stems import holds_any
from .thought_patterns import SELF

Discretion = Literal["unheard", "aside", "telepathy", "paper"]
WRITES = (
    r"(?:writ(?:es?|ing|ten)|wrote|scribbl(?:es?|ed|ing)|scrawl(?:s|ed|ing)?|jot(?:s|ted|ting)?|pen(?:s|ned|ning)|"
    r"typ(?:es?|ed|ing))"
)
_STEMS = (
    *("silen", "inaudibl", "soundless", "mute", "mental", "inward", "internal", "sound", "head", "mind", "thought"),
    *("heart", "breath", "sel", "nobody", "no one", "no-one", "hear", "lips", "mouth", "word", "entry", "telepath"),
    *("psychic", "psionic", "bond", "diar", "journal", "book", "log", "pad", "memoir", "ledger", "planner", "paper"),
    *("parchment", "napkin", "page", "scroll", "sheet", "margin", "envelope", "phone"),
)
"""A direction without any of these tells of no such manner."""
_FLAGS = re.IGNORECASE | re.VERBOSE
_OWN = r"(?:my|his|her|their|its|your|one['’]s)"
_UTTERS = r"""(?:said|spoke|told|swore|begs?|begg(?:ed|ing)|cr(?:y|ies|ied|ying)|repl(?:y|ies|ied|ying)|
    (?:say|speak|talk|tell|ask|add|pray|plead|curs|swear|vow|promis|mutter|mumbl|murmur|repeat|recit|chant|thank|
    answer|scream|shout|yell|call|address|remind|warn|urg|apologi[sz]|rehears|whisper|confess|confid|remark|comment|wish|
    invok|implor|compos|draft|convers|mouth|breath|snarl|hiss|growl|grumbl)(?:e?s|e?d|e|ing)?)\b"""
_OPENLY = lazy_pattern(
    r"""\b(?:aloud|out\s+loud|loudly|outwardly)\b | \b(?:to|for|with)\s+(?:all\b(?!\s+(?:of|the|his|her|their)\b)|
    every(?:one|body)\b|the\s+(?:room|group|others|crowd|table|whole|rest|company|party)\b)""",
    _FLAGS,
)
_SPEAKS_UP = r"""\b(?:sa(?:ys?|id)(?!\s+(?:nothing|no(?:t\s+a)?\s+word))|ask(?:s|ed)|replie[sd]|answer(?:s|ed))\b
    | \b(?:then|before)\s+(?:\w+ly\s+)?(?:turn|look|speak|address|rais|fac|greet|clear|call|announc|shout)\w*"""
_WORDS = r"(?:(?!(?:and|then|but|before|as|while|about|of|that|what|whether|or)\b)[\w'’-]+\s+){0,5}?"
_WORDS_TO_SELF = r"(?:(?!(?:and|then|but|before|as|while|to|or)\b)[\w'’-]+\s+){0,3}?"
_IN_MIND = rf"(?:in|inside)\s+{_OWN}\s+(?:own\s+)?(?:head|mind|thoughts|heart|skull)\b"
_SILENTLY = rf"""(?:silently|soundlessly|mutely|inaudibl[ey]|mentally|inwardly|internally|in\s+silence
    | without\s+(?:\w+ing\s+)?(?:a|any)\s+sound | (?:only\s+|just\s+)?{_IN_MIND})"""
_BREATH = rf"(?:under\s+{_OWN}\s+breath|to\s+(?:{SELF}))\b"
_WHO = r"(?:(?:I|he|she|they|it|(?-i:[A-Z])[\w'’-]+)\s+)?(?:\w+ly\s+)?"
_LOUD = r"(?!(?:scream|cr(?:y|ie)|curs)\w*\s+(?:inwardly|internally)\b)"
_NOBODY = r"no(?:body|[ -]one)(?:\s+else)?"
_FAINT = r"(?:quiet|low|soft|faint)(?:ly)?"
_HEAD = r"(?:minds?|heads?|thoughts|brain|heart|skull)"
_BOOK = (
    r"(?:diary|journal|(?:note|pocket|sketch|scrap|log)\s?book|note\s?pad|log|memoirs?|ledger|planner|papers?|margins?)"
)
_MIND_LINK = r"""(?:telepathy|mind[- ]?(?:link|speak|speech|talk|meld|touch|bond)|thought[- ]?(?:speak|speech|link)|
    (?:mental|psychic|telepathic)\s+(?:link|bond|connection|channel|voice|message))"""


_UNHEARD = rf"""
      \b{_LOUD}{_UTTERS}\s+ {_WORDS} {_SILENTLY}
    | \b{_UTTERS},?\s+(?:but\s+)?(?:only|just)\s+{_IN_MIND}
    | \b(?!(?:inwardly|internally)\s+(?:scream|cr[iy])) {_SILENTLY},?\s+ {_WHO} {_UTTERS} (?!\s+up\b)
    | \A\W*(?:inaudibl[ey]|unheard|soundlessly|in\s+silence|without\s+(?:\w+ing\s+)?an?y?\s+sound)\b(?!\s+of\b)
    | (?<!\bin\s)(?<!\bwith\s)(?<!\bwith\sa\s) \b(?:silent|inward|unspoken|mental|wordless)\s+
        (?:prayer|curse|plea|wish|vow|oath|promise|apology|farewell|goodbye|reminder|note(?!\s+of\b))\b
        [^.,;:\n]{{0,40}} \W*\Z
    | \A\W*(?:mentally|inwardly|internally)\s+(?!scream|cr[iy])\w+s\b
    | \bwhere\s+{_NOBODY}\s+(?:(?:can|could|will|would)\s+)?hears?\b
    | \bso\s+(?:{_FAINT}\s+)?(?:that\s+)?{_NOBODY}\s+(?:(?:can|could|may|might|will|would)\s+)?hears?\b
    | \btoo\s+{_FAINT}\s+(?:for\s+(?:{_NOBODY}|any(?:body|one)(?:\s+else)?)\s+)?to\s+(?:be\s+heard|hear)\b
    | \b{_UTTERS}\s+{_NOBODY}\b(?!\s+in\s+particular)
    | \b(?:to|for)\s+{_NOBODY}\b(?!\s+in\s+particular)(?=\W*\Z|,)
    | \b(?:in|within)\s+the\s+(?:privacy|depths?|back|silence|quiet)\s+of\s+{_OWN}\s+(?:own\s+)?{_HEAD}\b
    | \bwords?\s+(?:\w+\s+){{0,2}}?(?:stay|di|remain|never\s+(?:leav|left|pass|com|reach))\w*
    | \blips\b [^.\n]{{0,40}} \b(?:sound|silen|voice) | \b(?:sound|silently)\b [^.\n]{{0,40}} \blips\b
    """
_ASIDE = rf"""
      \b{_UTTERS}\s+ {_WORDS_TO_SELF} {_BREATH}
    | \b{_BREATH},?\s+ {_WHO} {_UTTERS}
    | \bkeep(?:s|ing)?\s+ (?:(?:it|this|that|(?:the|{_OWN})\s+\w+)\s+)? to\s+(?:{SELF})\s+ (?:the|what|that|{_OWN})\b
    """
_TELEPATHY = rf"""
      \b(?:telepath|psych|psion)ically\b | \A\W*(?:telepathic|{_MIND_LINK})\b | \bby\s+thought\b
    | \bmind[- ]to[- ]mind\b | \bmind-(?:speak|talk|touch|send|whisper|said|spoke|call)\w*
    | \b(?:via|by|through|over|with|using|across|down)\s+(?:[\w'’-]+\s+){{0,2}}?(?:{_MIND_LINK}|mere\s+thought)
    | \b(?:through|across|down|over|via)\s+(?:the|{_OWN}|our)\s+(?:[\w'’]+[ -])?(?:bond|minds?)\b
    | \b(?:sen(?:d|t)|project|transmit|push|broadcast|beam)\w*\s+(?:[\w'’-]+\s+){{0,4}}?
        (?:thoughts?\b(?!\s+and\b)|telepathic|psychic|mental)
    | \bhears?\s+ {_WORDS} (?:in|inside)\s+ (?:{_OWN}|[\w-]+['’]s?)\s+{_HEAD}\b
    | \b(?:{_UTTERS}|(?:send|sent|project|push|voic|reach)\w*)\s+ (?:[\w'’-]+\s+){{0,5}}?
        (?: (?:in|into|inside|to)\s+(?:[\w-]+\s+){{0,3}}?[\w-]+['’]s?\s+{_HEAD}
          | into\s+(?:his|her|their|your)\s+{_HEAD} )\b
    """
_PAPER = rf"""
      (?<!\bhad\s)(?<!\bhas\s)(?<!\bhave\s)
      \b(?:(?!written\s+(?:on|in)\b){WRITES}|(?:confid|record|enter|not|log|tell|confess)(?:e?s|e?d|ing))\s+
        (?:[\w'’-]+\s+){{0,5}}?
        (?:in|into|on|onto|to)\s+ (?:[\w'’-]+\s+){{0,3}}?
        (?:{_BOOK}|parchment|napkin|page|scroll|sheet|envelope|phone)\b
    | \b{_BOOK}\b [^.!?:\n]{{0,40}} \b{WRITES}\b
    | \b(?:entry|pen)\s+(?:in|into|to)\s+ (?:[\w'’-]+\s+){{0,3}}? {_BOOK}\b
    | \A\W*dear\s+(?:diary|journal)\b | \A\W*(?:{_OWN}\s+)?(?:diary|journal|log)(?:\s+entry)?\W*\Z
    """


@lru_cache(maxsize=1)
def _manners() -> re.Pattern[str]:
    """Compiled when the first direction may tell of such a manner."""
    each = zip(_MANNERS, (_UNHEARD, _ASIDE, _TELEPATHY, _PAPER), strict=True)
    return re.compile(" | ".join(f"(?P<{name}> {pattern} )" for name, pattern in each), _FLAGS)


@lru_cache(maxsize=1)
def _speaks_up() -> re.Pattern[str]:
    return re.compile(_SPEAKS_UP, _FLAGS)


def manner(text: str) -> Discretion | None:
    """How a direction keeps what is said or written from others; `None` if it tells of no such manner."""
    if not holds_any(text, _STEMS) or (found := _manners().search(text)) is None:
        return None
    if _OPENLY.search(text) or _speaks_up().search(text[: found.start()] + "," + text[found.end() :]):
        return None
    return next(each for each in _MANNERS if found[each] is not None)


_MANNERS: tuple[Discretion, ...] = ("unheard", "aside", "telepathy", "paper")
