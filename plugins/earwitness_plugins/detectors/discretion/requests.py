"""What a reader asks of whoever writes the story: `Write me a …`, `Perfect. Now let her find it.`, `**User:** …`.

Nobody in the story perceives it.
"""

from __future__ import annotations

import re

from earwitness.patterns import lazy_pattern

from ..text.guards import guarded_pattern

_LONGEST = 1200
"""What is longer is a story, not a wish for one."""
_SHORT = 120
"""So short, what opens as a request needs no second sign."""
_SAID = lazy_pattern(r"[\"“«„「][^\"”»」]{12,}[\"”»」]|\n\s*\n[^\n]+\n\s*\n|\*[^*]{12,}\*")
"""Dialogue, a deed between asterisks, or several paragraphs."""
_LABEL = lazy_pattern(r"[\s*_\[(#>]*(?:user|prompt|human|instructions?|request)[\s*_\])]*:", re.IGNORECASE)
_PRAISE = (
    r"(?:ha(?:ha)*|oh|ah|aw+|wow|ok(?:ay)?|yes+|yeah|yep|no|nice|great|good|lovely|perfect|brilliant|excellent|"
    r"wonderful|"
    r"amazing|awesome|cool|super|fantastic|beautiful|thanks|thank\s+you|love\s+(?:it|this|that)|i\s+love\s+(?:it|"
    r"this|that)|"
    r"so\s+good|please|more|again|right|well|alright|all\s+right|hm+|lol|sorry|wait|(?:oh\s+)?no|very\s+good|"
    r"that['’]s\s+\w+)"
)
_OPENS = rf"\A[\W_]*(?:{_PRAISE}\b[\W_]*)*(?:(?:and|now|then|next|so|but|also|please|just|maybe|ok|okay)\b[\W_]*)*"
_ASKS = guarded_pattern(
    _OPENS
    + r"""(?:
      (?:can|could|would|will)\s+(?:you|we)\b(?!\s+(?:see|hear|feel|smell))
    | let['’]s\s+(?:have|do|write|see|continue|go\s+on|skip|start|try|add|play)\b
    | (?:write|rewrite|continue|finish|redo|revise|rephrase|shorten|expand|extend|generate|compose|invent|imagine|
         draft|carry\s+on|go\s+on|keep\s+going|wrap\s+(?:it|this)\s+up|end\s+(?:it|this|on|with)|begin\s+(?:with|in|
         at|on)|
         start\s+(?:with|in|at|on|over|again)|skip\s+(?:to|ahead|forward)|cut\s+to|jump\s+to|
         make\s+(?:it|them|him|her|this|the|sure|me)|keep\s+(?:it|them|the)|give\s+(?:me|us|them|him|her|the|it)|
         (?:don['’]t|do\s+not)\s+(?:let|make|wrap|end|tell|explain|write|kill|forget)|have\s+(?:them|him|her|
         (?-i:[A-Z])\w*)|
         let\s+(?:us\s+(?:see|have)|them|him|her|the|it|(?-i:[A-Z])\w*)|bring\s+(?:in|back|them|him|her|
         (?-i:[A-Z])\w*)|show\s+(?:me|us)|tell\s+(?:me|us|it)|
         add\s+(?:a|an|some|the|more)|fix\s+(?:it|this|that|the)|change\s+(?:it|the)|put\s+(?:in|them|him|her|it)|
         get\s+(?:them|him|her|(?-i:[A-Z])\w*)\s+(?:out|in|back|to|into|away)|describe)\b
    | (?:schreib|erzähl|mach\s+weiter|escribe|cuéntame|continúa|sigue|écris|raconte|continue[zr]?|escreve|conta-me|
        continua|
        напиши|расскажи|продолжай)\w*
    | (?:a|an|the|one|another|some|short|next|last|final)\s+(?:\w+\s+){0,3}(?:scene|chapter|part|story|instal?ment|
        version|ending)\b
        (?:\s+(?:for|about|in\s+which|where|with|now|please|set|at)\b|[.,!?:])
    | scene\s+(?:for|about)\b )""",
    re.IGNORECASE | re.VERBOSE,
)
_WISHES = guarded_pattern(
    r"""\b(?: (?:write|give|tell|show)\s+(?:me|us|it|this|them) | i['’]m\s+playing | (?P<weak>i(?:['’]d|"
    r"\s+would)\s+(?:like|love|prefer) | i\s+want | please
    | should(?:n['’]t)?\s+(?:be|turn|come|have|find|overhear|hear|know|get|end|go|win|lose|say|not) | must\s+(?:be|
        not|come|have|find|get) )
    | you\s+(?:do|play|are|write|be)\s+(?:all|every(?:body|one)|the\s+(?:others|rest|narrator|voices)) |
        you\s+are\s+every(?:body|one)
    | (?:all\s+)?the\s+voices | no\s+(?:preaching|moral(?:ising|izing)?|sermons?|dialogue|clich[eé]s?|happy\s+end\w*|
        magic)
    | (?:don['’]t|do\s+not)\s+(?:wrap|tie|explain|end|rush|spell) | (?:start|begin|end|finish|open|
        close)\s+(?:it\s+)?(?:with|in\s+the\s+middle|on)
    | (?:longer|shorter|long|short)\s+(?:story|scene|part|piece|chapter) | (?:next|last|first|final)\s+(?:scene|part|
        chapter|instal?ment)
    | the\s+scene | a\s+scene | in\s+(?:parts|instal?ments|chapters|(?:first|third)\s+person) | words\s+(?:or|max|
        at\s+most)
    | (?:it['’]s|set)\s+(?:set|in)\s+(?:a|an|the|\d) | pov | tone | characters? | cast: | crew: | rule: | plot |
        ending | the\s+reader )\b""",
    re.IGNORECASE | re.VERBOSE,
)
_PRAISES = lazy_pattern(
    rf"\A[\W_]*(?!well|so\b|no\b|yes|yeah|yep|good\s+\w|right|again|more|wait|oh?\b){_PRAISE}\b\W*[.!,…]", re.IGNORECASE
)
_PLAYS = lazy_pattern(r"\b(?:roll\w*|checks?|d\d+|gm|dm|turn|you\s+(?:see|hear|feel|notice))\b", re.IGNORECASE)
"""A game master asks players, not a writer."""
_CONTINUES = lazy_pattern(rf"\A[\W_]*(?:{_PRAISE}\b[\W_]+)+(?:and\s+|now\b|then\b|next\b)", re.IGNORECASE)
"""`Perfect. Now the signing.`: who praises what was written asks for more."""


def is_request(text: str) -> bool:
    """Whether all of a message without a character asks its writer for a story, or for a change in it."""
    if _LABEL.match(text) is not None:
        return True
    if len(text) > _LONGEST or _SAID.search(text) is not None:
        return False
    wishes = {wish[0].casefold(): wish.lastgroup for wish in _WISHES.finditer(text)}
    praises, plain = _PRAISES.match(text) is not None, None in wishes.values()
    if _ASKS.match(text) is not None:
        return len(text) < _SHORT or praises or bool(wishes)
    if _CONTINUES.match(text) is not None and (praises or plain or len(wishes) > 1):
        return True
    return len(wishes) > 1 - praises and (praises or plain) and _PLAYS.search(text) is None
