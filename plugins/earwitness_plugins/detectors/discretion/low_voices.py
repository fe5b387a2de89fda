"""Rarer English ways to speak to some only: signs, codes, a mouth at an ear, a word aside, a channel of one's own."""

from __future__ import annotations

import re

from earwitness.patterns import lazy_pattern

from ..text.guards import guarded_pattern
from . import opening_whispers

_NAME = (
    r"(?!(?:the|a|an|her|his|my|their|it|all|every\w*|any\w*|me|us|and|but|or|if|not)\b)(?:the\s+)?"
    r"[\w'’-]+(?:\s+(?-i:[A-Z])[\w'’-]+)?"
)
_WHO = rf"(?:him|her|them|the\s+[\w'’-]+|{_NAME})"
_CHANNEL = (
    r"(?:sms|text(?:\s+message)?|d\.?m|p\.?m|direct\s+message|private\s+message|message|e-?mail|whisper|note|chat|radio|comms?|intercom|"
    r"(?:via\s+)?(?:the\s+)?(?:private\s+)?(?:earpiece|ear\s?bud|channel|headset|mind[- ]?link|telepathy|bond|link)|"
    r"telepathy|aside|low|quiet(?:ly)?|soft(?:ly)?|sotto(?:\s+voce)?)"
)
_EAR = r"['’]s?\s+(?:\w+\s+)?ears?\b"
_LOW = guarded_pattern(
    rf"""
      \A\W*low\s*,
    | (?<!\ba\s)(?<!\bthe\s)(?<!\bhis\s)(?<!\bher\s)\b(?:sign|finger-?spell)(?:s|ed|ing)?\s+(?:quickly\s+|back\s+|
          something\s+)?(?:to|at)\s | \bsign\s+language\b | \bin\s+(?:morse|code|cipher|signs)\b | \bmorse\s+code\b
    | \A\W*(?:in\s+)?(?:hushed|a\s+hush)\b | \b(?:in|with)\s+(?:a\s+)?(?:hushed|lowered|an?\s+undertone)\b |
         \bundertone\b
    | \bvoice\s+(?:is\s+|was\s+)?(?:barely|hardly|scarcely)\s+(?:audible|above|more\s+than|a\b) |
         \bbarely\s+audibl[ey]\b
    | \b(?:lower|drop|keep|hush)(?:s|ped|ed|ing|ping)?\s+(?:my|his|her|their)\s+voice\b (?!\s+(?:steady|calm|even|
        level|light))
    | \b(?:my|his|her|their|a|the)\s+voice,?\s+(?:had\s+|has\s+)?(?:(?:drop|s[aiu]nk|fall|fell|lower|die|dwindl)\w*\b
        | (?:is|was|came|became|no\s+more\s+than|\w*pitched|kept|meant)\s+ [^.!?\n]{{0,20}}?
            \b(?:low|hushed|whisper|murmur|thread|breath|undertone|below|beneath|under|audible|for)\b)
    | \b(?:keep(?:s|ing)?|kept)\s+(?:my|his|her|their|it)\s+(?:voice\s+)?(?:down|low|quiet)\b
    | \b(?:barely|hardly|scarcely)\s+audibl[ey]\b | \b(?:in|at)\s+(?:a|the\s+lowest\s+of)\s+(?:murmurs?|mutter|breath)\b
    | \bso\s+(?:low|quiet|soft|faint)(?:ly)?,?\s+(?:that\s+)?(?: (?:no(?:body|[ -]one)|none)\b
        | (?:the\s+(?:others|rest|\w+)|(?-i:[A-Z])[\w'’-]+)\s+(?:can|could|might|would|will|did|do)(?:n['’]t|\s*not)\b )
    | (?<!\ba\s)(?<!\bthe\s)(?<!\bhis\s)(?<!\bher\s)\b(?:sign|finger-?spell)(?:s|ed|ing)?\s*[,:]
    | \bbetween\s+(?:clenched|gritted)\s+teeth,?\s+to\b | \bmouths\W*\Z | \bp+sst\W*\Z | \A\W*p+sst\b
    | \b(?:lips|mouth)\s+(?:barely|hardly|scarcely|not|un)\s*mov(?:e[sd]?|ing)
    | \b(?:barely|hardly|without)\s+moving\s+(?:my|his|her|their)\s+lips\b | \blips\s+(?:barely|hardly)\s+mov
    | \b(?:privately|confidentially|in\s+confidence|in\s+private)\b (?!\s+(?:glad|pleased|hope|amused|relieved))
    | \b(?:take|pull|draw|lead|steer|drag|call|tug|guide|took|drew|led)(?:s|ed|ing|ged)?
        \s+{_WHO}\s+(?:off\s+|over\s+)?(?:to\s+(?:one|the)\s+side|(?:into|behind|round|around)\s+(?:an?|the)\s+(?:\w+\s+)?
        (?:corner|alcove|corridor|niche|pantry|hallway|passage|doorway|pillar|column|hedge|shadows?|recess|stairwell|curtain)|
        apart|out\s+of\s+earshot)\b
    | \bout\s+of\s+earshot\b | \b(?:close|bent|bends|bending|mouth|lips|lean\w*|sa(?:ys|id)|speaks?|murmurs?|goes|
        turns?)\b
        [^.!?\n]{{0,20}} \b(?:to|into|at|against|near|by)\s+(?:[\w-]+['’]s?|his|her|their)\s+ears?\b
    | \A\W*(?:types|texts|messages|writes|typing|texting)\s+back\b | \A\W*(?:texts|texting|types|typing)\W*\Z
    | \btyp(?:es|ed|ing)\b [^.!?\n]{{0,40}} \b(?:messages?|texts?|notes?|repl(?:y|ies)|phone|app|e-?mails?|chat)\b
    | \A\W*(?:in|into|at|by|against|close\s+to)\s+[\w '’-]{{1,30}}{_EAR}
    | \bcup(?:s|ped|ping)?\b[^.\n]{{0,40}}\bears?\b
    | \b(?:mouth|lips)\b[^.\n]{{0,20}}\b(?:to|at|against|by|near|close)\b[^.\n]{{0,30}}\bears?\b
    | (?<!press\s)(?<!presses\s)(?<!pressed\s)(?<!brushes\s)(?<!brushed\s)(?:my|his|her|their)\s+(?:mouth|lips)
        \s+(?:\w+\s+)?(?:to|at|in|into|against|by|near)\s+(?:[\w’'-]+\s+){{0,3}}?(?:hair|ears?|hood|veil|collar)\b
    | \b(?:in|into)\s+the\s+(?:\w+\s+)?ear\s+of\b
    | \b(?:up|close|right)\s+against\s+[\w’' -]{{1,30}}\s+(?:hair|ear|hood)\b
    | \blean(?:s|ed|ing|t)?\s+(?:(?:in|over|close|closer|across|down)\s+){{0,3}}(?:to|
        towards?)\s+(?!the\b){_WHO} (?!\s+(?:and\s+(?:kiss|tak|pick|grab)))
    | \bbeckon(?:s|ed|ing)?\s+(?:{_WHO}|(?-i:[A-Z])[\w'’ ]{{1,30}})\s+(?:close(?:r)?|near(?:er)?|over|in)\b
    | \b(?:hiss|mutter|mumble|murmur|breathe)(?:s|es)?\W*\Z (?<!pain) | \btug(?:s|ged|ging)?\b[^.\n]{{0,30}}\bsleeve\b
    | \A\W*@?{_NAME}\s+only\b | \bto\s+(?!all\b|every|the\s+(?:room|group))[\w'’ -]{{1,30}}\s+(?:only|alone)\W*\Z |
         \A\W*(?:only|just)\s+(?:to|for)\s+ | ,\s*(?:only|just)\s+(?:to|for)\s+
    | \A\W*{_CHANNEL}\s*[,:]?\s*(?:→|->|=>|\bto)\s* (?!all\b|every|the\s+(?:room|group|others)) |
         \A\W*(?:@\S+\s*)?\(\s*whispers?\s*\)
    | \b(?:over|on|via|through)\s+(?:the|a|their|our|his|her)\s+(?:private|secure|secret|closed|
        encrypted)\s+(?:channel|line|link|frequency|comms?)\b
    | \b(?:earpiece|collar\s+mi(?:c|ke)|throat\s+mi(?:c|ke)|hidden\s+mi(?:c|ke)|wire|ear\s?bud)\b (?=[^.\n]*\b(?:to|
        at)\b)
    | \breach(?:es|ed|ing)?\s+(?:out\s+)?(?:to|for)\s+[\w'’ -]{{1,30}}\s+(?:with|through)\s+(?:my|his|her|their|
        the)\s+(?:mind|bond|link|thoughts?)\b
    | \b(?:through|over|along|via)\s+(?:the|their|our|his|her)\s+(?:\w+\s+)?(?:bond|link)\b
    | \A\W*(?:just\s+as|as|equally|also|still|likewise|again)[\s,]+(?:quiet|soft|low|whisper|hushed)\w*\W*\Z
    | \bin\s+(?:the\s+same|an?\s+equally\s+low|a\s+matching)\s+(?:whisper|low|hushed|quiet|undertone)\b |
         \A\W*whisper(?:s|ed|ing)?\s+back\b
    | \A\W*(?:quietly|softly|low|lowly|under\s+\w+\s+breath|in\s+a\s+(?:low|quiet|soft)\s+(?:voice|
        tone))\s*,?\s+to\s+(?!all\b|every|the\s+(?:room|group|others|crowd|party|rest))
    | \b(?:send|shoot|drop|fire|sent|shot)(?:s|ped)?\s+{_WHO}\s+an?\s+(?:quick\s+)?(?:dm|pm|text|message|sms|
        e-?mail)\W*\Z
    | \b(?:low|quiet|soft|faint)(?:ly)?\s+enough\s+(?:that|so|for|not\s+to)\b [^.!?\n]{{0,40}}
        \b(?:others?|rest|no(?:body|[ -]one)|none|only|alone|be\s+(?:over)?heard)\b
    | \bbehind\s+(?:the|their|every\w+|[\w-]+['’]s?)\s*(?:others['’]\s+|else['’]s\s+)?backs?\b (?=[^.!?\n]*:)
    | \btoo\s+(?:low|quiet|soft|faint)(?:ly)?\s+(?:for|to)\b
    | \bclose\s+(?:by|to|against|beside)\s+(?:[\w'’-]{{1,30}}['’]s?|his|her|their)\s+(?:cheek|
        temple|neck|face|ear|hair)\b
    | \b(?:hardly|barely|scarcely|not\s+much|no)\s+(?:above|louder)\b
    | \bsa(?:id|ys?)\b [^.!?\n]{{0,40}} ,\s*(?:very\s+|quite\s+)?low\b
    | \bso\s+(?:that\s+)? [^.!?\n]{{1,50}} \b(?:hears?|heard|catch(?:es)?|caught|gets?|notices?)\s+
        (?:nothing|none\s+of)\b
    | \bthe\s+only\s+(?:other\s+)?(?:one|person|man|woman|soul)\b [^.!?\n]{{0,40}} \bwho\s+(?:can\s+|could\s+)?
        (?:speak|understand|understood|know|read|follow|hear)s?\b
    | \bwho\s+alone\b [^.!?\n]{{0,40}} \b(?:follow|understand|understood|hear|heard|read)\b
    | \A\W*(?:in|into|inside)\s+[\w'’ -]{{1,30}}['’]s?\s+(?:own\s+)?(?:head|mind|thoughts)\b
    | \b(?:writ|wrote|trac|spell|draw|drew|tap|finger)\w*\b [^.!?\n]{{0,40}} \b(?:in|into|on|onto)\s+
        (?:the\s+\w+\s+of\s+)?
        (?:[\w'’-]{{1,30}}['’]s?|his|her|their|its)\s+(?:\w+\s+)?(?:palm|hand|wrist|arm|knee|back)\b
    | \blean(?:s|ed|ing|t)?\s+(?:\w+\s+)?(?:through|over|across|past|round|around)\s+
        (?:the|a|his|her|their)\s+[\w'’-]+\s+(?:to|towards?)\s+(?!the\b)
    | \blow,\s+to\s | \blips\s+(?:barely|hardly|scarcely)\s+(?:mov|part)\w* | \bears?\s*piece\b
    | \bin\s+(?:their|our|his\s+and\s+\w+|a)\s+(?:own|shared|secret|private|other|common)\s+
        (?:language|tongue|code|signs?|dialect)\b
    | \bin\s+(?-i:[A-Z])\w+,?\s+(?:which|that|a\s+(?:language|tongue)\s+(?:that|which)?)\s*
        (?:neither|none|no\s?one|nobody|only)\b
    | \b(?:lips|mouth)\s+(?:\w+\s+)?(?:touch|brush|near|close\s+to|against|at|by)\w*\s+
        (?:[\w'’-]+['’]s?|his|her|their)\s+(?:ear|collar|hair|neck|cheek|temple|shoulder|hood)
    | \b(?:paus|stop|bend|bent|crouch|kneel|knelt|turn|step|sidl|edg|sit|sat|stoop)\w*\s+(?:[\w'’]+\s+){{0,3}}?
        (?:to|towards?|by|beside|near|over|next\s+to)\s [^.!?\n]{{1,90}}
        \bsa(?:id|ys)\b [^.!?\n]{{0,30}} \b(?:softly|quietly|low)\b
    | \btilts?\s+(?:it|the\s+\w+)\s+so\b | \bwhere\s+only\b | \bto\s+[\w'’-]+['’]s\s+minds?\b
    """,
    re.IGNORECASE | re.VERBOSE,
)
TOWARDS = (
    r"\bclose\s+(?:by|to|against|beside)\s+(?=[\w\ '’-]{1,40}\b(?:cheek|temple|neck|face|ear|hair)\b)",
    (
        r"\b(?:in|into|on|onto)\s+(?:the\s+\w+\s+of\s+)?(?=(?:[\w’-]+\s+)?[\w’-]+['’]s?\s+(?:\w+\s+)?(?:palm|hand|wrist|arm|knee)\b)"
    ),
    opening_whispers.TOWARDS,
    r"\b(?:take|pull|draw|lead|steer|drag|call|tug|took|drew|led)(?:s|ed|ing|ged)?\s+(?=[\w\ '’-]{1,40}\saside\b)",
    r"\bbeckon(?:s|ed|ing)?\s+",
    r"\b(?:behind|out\s+of|from)\s+(?:a|the|his|her|my|their|one)\s+[\w\ ]{2,30},?\s+to\s+",
    r"(?<!\ba\s)(?<!\bthe\s)\b(?:sign|finger-?spell)(?:s|ed|ing)?\s+(?:quickly\s+|back\s+|something\s+)?(?:to|at)\s+",
    (
        r"\b(?:take|pull|draw|lead|steer|drag|call|tug|guide|took|drew|led)(?:s|ed|ing|"
        r"ged)?\s+(?=[\w\ '’-]{1,40}\s(?:to\ one|to\ the|into|apart|out)\b)"
    ),
    (
        r"\bcup(?:s|ped|ping)?\s+(?:a|her|his|my|their|both|one)\s+hands?\s+(?:around|round|to|over|by|at|against)\s+"
        r"(?=[\w\ '’-]{1,40}\bears?\b)"
    ),
    r"\b(?:send|shoot|drop|fire|sent|shot)(?:s|ped)?\s+(?=[\w\ '’-]{1,40}\ban?\s)",
    (
        r"\b(?:tug|pull|pluck)(?:s|ged|ing|ging|ed)?\s+(?:at\s+|on\s+)?(?=[\w\ '’-]{1,40}\b(?:sleeve|arm|hand|cloak|"
        r"coat)\b)"
    ),
    r"\b(?:drop|lower)(?:s|ped|ed)?\s+(?:my|his|her|their)\s+voice\s+(?:for|to)\s+",
    r"\b(?:speak|talk|confid)(?:s|es|ing|ed)?\s+(?:privately|quietly|in\s+private|in\s+confidence)\s+(?:with|to|in)\s+",
    r"\b(?:privately|confidentially|in\s+confidence|hushed|low|quietly|softly|only|just|also|sotto|whisper\w*|aside|message|text|sms|channel|link|bond|mike|mic|earpiece|comms?|headset)\b[\s,:]*(?:just\s+|only\s+)?(?:to|for|with|→|->|=>)\s*",
    r"\A\W*(?:sms|text(?:\s+message)?|d\.?m|p\.?m|(?:direct|private)\s+message|message|e-?mail|note|chat)\s*[,:]?\s*(?:→|->|=>|to\b)\s*",
    r"\bin\s+(?=[\w\ '’-]{1,40}['’]s?\s+direction\b)",
    r"\breach(?:es|ed|ing)?\s+(?:out\s+)?(?:to|for)\s+",
    r"\bmorse(?:\s+code)?\s+(?:on|to|against)\s+",
    (
        r"\b(?:so|that|which|where)\s+(?:only\s+|just\s+)?(?=[\w\ '’-]{1,40}\b(?:can|could|hears?|sees?|understands?|"
        r"reads?)\b)"
    ),
    r"\A\W*@?(?=[\w'’-]{1,40}\s+only\b)",
    r"\A\W*@(?=[\w'’-]{1,40}\s*\()",
)
"""Behind each stands who is spoken to."""
_NOT_LOW = lazy_pattern(
    r"\b(?:signs?|signed|signing)\s+(?:to|at)\s+the\s+(?:left|right)\b|\bhiss(?:es)?\s+in\s+pain|\bhead\s+(?:to|over)\b|"
    r"\bto\s+(?:all|every\w+|the\s+(?:whole\s+)?(?:room|group|crowd|table|party|company))\b|\baloud\b|\bloudly\b",
    re.IGNORECASE,
)


def is_low(text: str) -> bool:
    """Whether a direction says that only some are spoken to, or that it is said so low that others do not hear."""
    return bool(_LOW.search(text)) and not _NOT_LOW.search(text)
