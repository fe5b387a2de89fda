"""Deeds that are done so that others do not see them: behind a back, under a table, unnoticed, up a sleeve.

Whom such a deed touches perceives it (`squeezes Bob's hand under the table`); from whom something is taken does not.
"""

from __future__ import annotations

import re

from earwitness.patterns import lazy_pattern

from ..text.guards import guarded_pattern
from ..text.names import Names, lists
from ..text.stems import holds_any

_STEMS = (
    *("behind", "under", "below", "beneath", "secret", "discreet", "unseen", "notic", "covert", "stealth", "sneak"),
    *("surrept", "furtiv", "palm", "nobody", "no one", "no-one", "look", "watch", "sight", "sleeve", "quiet"),
    *("sly", "clandest", "undetect", "unobserv", "silent", "casual", "spot", "see", "knowledge", "view", "attention"),
    *("shoulder", "cover of", "distract", "invisib", "hides", "hid ", "conceal", "sleight", "sky", "unbeknown"),
    "unknown to",
)
_OWN = r"(?:my|his|her|their|its|your|the|[\w-]+['’]s?)"
_NOBODY = r"(?:no(?:body|[ -]one)(?:\s+else)?|none\s+of\s+(?:them|the\s+\w+))"
_ANYBODY = (
    r"(?:any(?:body|one)(?:\s+else)?|"
    r"every(?:body|one)(?:\s+else)?|him|her|them|the\s+(?:others?|guards?|room)|[A-Z]\w+)"
)
_TABLE = r"(?:table|desk|counter|blankets?|tablecloth|cloth|bench|bar|covers|sheets?|cloak|coat|robes?|folds)"
_TAKES = (
    r"(?:pocket|palm|swap|switch|slip|slid|steal|stole|snatch|swip|pilfer|filch|nick|lift|tak|took|hid|stash|tuck|"
    r"pour|tip|drop|empt|loosen|unlock|cut|cop(?:y|ie)|read|photograph|record|pick|stuff|spik|poison|dos|dip|sneak)"
)
_SECRET = guarded_pattern(
    rf"""
      \b(?:unseen|unnoticed|undetected|unobserved|surreptitiously|furtively|covertly|stealthily|clandestinely|
          discreetly|discretely|sneakily|slyly|secretly|in\s+secret|on\s+the\s+sly|unbeknown(?:st)?\s+to|
          unknown\s+to\s+(?:{_ANYBODY}|(?:the\s+)?\w+)\b(?=[\s\w]{{0,12}},)|
          by\s+sleight\s+of\s+hand|under\s+cover\s+of|under\s+the\s+radar)\b
    | \bbehind\s+{_OWN}\s+back\b (?!\s*(?:and\s+(?:walks|turns)|tied|bound))
    | \b(?:under|below|beneath|underneath)\s+(?:the|{_OWN})\s+(?:\w+\s+)?{_TABLE}\b
    | \b(?:in|inside|up|down|into)\s+(?:my|his|her|their)\s+sleeve\b
    | \b(?:out\s+of|away\s+from)\s+(?:{_OWN}\s+)?(?:[\w-]+['’]s?\s+)?(?:sight|view)\b
    | \b(?:when|while|as|once|where|so|until|before|after|without|
        the\s+moment)\b [^.!?\n]{{0,30}} \b{_NOBODY}\b [^.!?\n]{{0,12}}
        \b(?:look|watch|see|saw|notic|pay|mind|spot)\w*
    | \b(?:while|when|as|once|the\s+moment|before|after|as\s+soon\s+as|if)\b [^.!?\n]{{0,30}}
        \b(?:back\s+(?:is|was)\s+turned|(?:look|turn|glanc)(?:s|ed|ing)?\s+(?:away|elsewhere|aside|(?:his|her|their)\s+back)|
            (?:is|are|was|were)\s+(?:distracted|busy|not\s+looking|n['’]t\s+looking|looking\s+away|asleep|turned))
    | \bwhile\b [^.!?\n]{{0,30}} \b{_ANYBODY}\s+(?:is|are|was|were)?\s*(?:watch|look|star|gaz|laugh|cheer|
        listen)\w*\s+(?:at\s+|to\s+)?(?:the|a|away|elsewhere)
    | \b(?:before|without|so)\b [^.!?\n]{{0,30}} \b(?:notic|see(?:ing|s)?\b|spot|be(?:ing)?\s+(?:seen|noticed|
        caught|spotted)|looking\b|knowing\b|
        catch(?:es|ing)?\s+(?:on|her|him|me)|{_OWN}\s+knowledge)\w*
    | (?<!\bit\s) \b(?:palms|palmed|palming)\s+(?:the|a|an|his|her|it|one|two|some)\b
    | \b(?:sneak(?:s|ed|ing)?|snuck)\s+(?:a|an|the|his|her|out|away|past|off|behind|up\s+(?:on|behind)|into|in)\b
    | \b(?:quietly|silently|casually|carefully|deftly|nimbly|quickly)\s+{_TAKES}\w*\b (?!\s+(?:up|off|out|of)\b)
        (?!\s+(?:a\s+)?(?:step|look|seat|breath|sip|tea|wine|coffee|soup|water|glass)\b)
    | \b{_TAKES}\w*\s+[^.!?\n]{{1,40}}\b (?:quietly|silently|casually)\b
    | \bhid(?:es|ing)?\s+(?:the|a|an|his|her|it|them|something)\b (?!\s*(?:face|eyes|smile|head|tears|yawn|grin|
        blush|laugh)\w*)
    | \b(?:read|look|peek|peer|glanc|copy|copi|squint|spy|spi)\w*\b [^.!?\n]{{0,160}} \bover\s+{_OWN}\s+shoulder\b
    | \bconceal(?:s|ed|ing)?\s+(?:the|a|an|his|her|it|them)\b
    """,
    re.IGNORECASE | re.VERBOSE,
)
_OPEN = lazy_pattern(
    r"""\b(?:in\s+front\s+of|for\s+all|everyone\s+(?:sees|laughs)|openly|in\s+plain\s+sight|in\s+full\s+view)\b
    | \b(?:ducks?|crawls?|hid(?:es)?|dives?|sits?|falls?|looks?|cowers?|huddles?|sleeps?|lies|
        lay)\s+(?:\w+\s+)?(?:under|below|beneath)\b
    | \bunseen\s+(?:hand|voice|force|enemy|foe)\b | \bsecretly\s+(?:pleased|glad|relieved)
    | \b(?:puts?|holds?|clasps?|folds?|ties?|crosses|locks?|keeps?|with)\s+(?:my|his|her|their|both)\s+(?:hands|
        arms|wrists)\s+(?:\w+\s+)?behind\b
    | \b(?:shuts?|closes?|closing|shutting|door|curtain)\b[^.!?\n]{0,20}\bbehind\b""",
    re.IGNORECASE | re.VERBOSE,
)
_TOUCHES = (
    r"(?:squeez|nudg|kick|tap|poke|pok|pinch|press|brush|touch|prod|grab|grip|grasp|clasp|find|found|hold|held|pat|strok|tak|took|"
    r"link|elbow|jab|text|messag|writ|wrote|send|sent|signal|wink|nod|sign|gestur|show|hand|pass|slip|slid|giv|gave|flash|press|push|shov)(?:e?s|e?d|es|ing|ping|ped|t)?"
)
_TOUCHED = lazy_pattern(
    rf"""\b{_TOUCHES}\s+(?:(?:the|a|an|it|his|her|two|out|one|something)\s+
        (?:(?!(?:to|for|from|of|by|that|which|in|into|on|at|with|against)\b)[\w-]+\s+){{0,4}}?)?
        (?:(?:to|at|into|on|with|against|for)\s+)?[\W_]*(?:(?:the|his|her|their|my|old|young|Sir|Lord|Lady)\s+){{0,2}}\Z""",
    re.IGNORECASE | re.VERBOSE,
)
"""What stands before the name of whoever a deed touches: `squeezes `, `slips the letter to old `."""
_GETS = lazy_pattern(
    r"(?!\s+(?:into|inside|in|up)\s+(?:my|his|her|their)\s+(?:\w+\s+)?(?:sleeves?|pockets?|bag|purse|satchel|pack|coat|cloak|"
    r"boots?|bodice|dress|shirt|belt)\b)",
    re.IGNORECASE,
)
"""What stands behind that name, unless nothing is given: `slips the letter to Bob into her sleeve`."""
_REACH = 80
"""So many characters before a name are looked at for the deed."""
_PART = lazy_pattern(
    r"['’]s?\s+(?:\w+\s+){0,2}?(?:hands?|palms?|fingers?|knees?|thighs?|foot|feet|shins?|ankles?|arms?|elbows?|wrists?|ribs|shoulders?|"
    r"side|back|leg|legs|toes?|lap)\b",
    re.IGNORECASE,
)


def is_secret(text: str) -> bool:
    """Whether a deed is told as one that others do not see."""
    return holds_any(text, _STEMS) and bool(_SECRET.search(text)) and not _OPEN.search(text)


def touched(text: str, names: Names) -> tuple[str, ...]:
    """Ids of those whom a secret deed touches, or to whom something is given or shown by it."""
    for group in lists(text, names.find(text)):
        last = group[-1]
        before = text[max(0, group[0].start - _REACH) : group[0].start]
        meant = _PART if last.possessive else _GETS
        if _TOUCHED.search(before) and meant.match(text, last.end):
            return tuple(dict.fromkeys(each.id for each in group))
    return ()
