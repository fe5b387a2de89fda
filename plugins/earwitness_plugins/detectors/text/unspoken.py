"""The English of words that are not said: almost said, bitten back, kept to oneself, left unspoken. No corpus's."""

from __future__ import annotations

import re

from earwitness.patterns import lazy_pattern

from .guards import guarded_pattern, may_find

_OWN = r"(?:my|his|her|their)"
_SELF = r"(?:my|him|her|them)sel(?:f|ves)"
_WHO = r"(?:he|she|I|they|(?-i:[A-Z])[\w'’-]+)"
_UTTER = (
    r"(?:say|speak|tell|ask|add|mention|admit|confess|blurt|answer|reply|shout|scream|cry|whisper|warn|object|protest|"
    r"point\s+out|call\s+out|reveal|let\s+slip|let\s+on|voice|explain)"
)
_UTTERED = (
    r"(?:sa(?:id|ys)|sp(?:oke|eaks)|t(?:old|ells)|asks|asked|adds|added|mention(?:s|ed)|admits|admitted|confess(?:es|ed)|"
    r"blurt(?:s|ed)|answer(?:s|ed)|replie[sd]|shout(?:s|ed)|scream(?:s|ed)|crie[sd]|whisper(?:s|ed)|let\s+slip)"
)
_WHAT = (
    r"(?:that|how|what|why|where|who|whether|which|about|"
    r"(?:anything|a\s+word)\s+(?:of|about)\s+(?!(?:it|this|that)\b)|[\"“:])"
)
_UNSPOKEN = guarded_pattern(
    rf"""
      \b(?:almost|nearly|all\s+but|as\s+good\s+as)\s+ {_UTTERED}\b
    | (?<!\bwhoever\s)(?<!\bwho\s)(?<!one\s)(?<!body\s)(?<!\bthing\s)
      \b(?:wants?|wanted|long(?:s|ed)|yearn(?:s|ed)|ache[sd]|itche[sd]|tempted|burn(?:s|ed)|dying|about|would\s+have\s+liked|
        consider(?:s|ed)?|consider(?:s|ed)?\s+whether)\s+to\s+{_UTTER}\b
    | \bconsider(?:s|ed)?\s+(?:say|tell|ask|mention|admitt|confess|warn|reveal)ing\b
    | \A\W*{_WHO}\s+(?:would|should|could|might)\s+have\s+(?:said|told\s+(?:him|her|them)|asked|added)(?:\W*\Z|,|
        \s+(?:if|had|but)\b)
    | \b(?:did|does|do|could|would|will|can|dared?)(?:n['’]t|\s+not)\s+(?:\w+ly\s+)?(?:\w+\s+to\s+)?{_UTTER}
        (?:\s+(?:him|her|them|it|anyone|anybody|(?-i:[A-Z])[\w'’-]+))?\s+{_WHAT}
    | \b(?:never|not)\s+(?:\w+ly\s+)?{_UTTERED}(?:\s+(?:him|her|them|it|anyone|anybody|(?-i:[A-Z])[\w'’-]+))?\s+{_WHAT}
    | \b(?:does|did|do)(?:n['’]t|\s+not)\s+say\s+(?:it|so|this|that)\W*\Z
    | \A\W*(?:he|she|I|they|(?-i:[A-Z])[\w'’-]+)\s+(?:did|does|do)(?:n['’]t|\s+not)\s+say\W*\Z
    | \b(?:says?|said|reveal(?:s|ed)|tells?|told)\s+(?:\w+\s+)?nothing\s+(?:of|about)\b
    | \b(?:bit|bites?|biting|chok(?:es?|ed|ing)|holds?|held|holding|fights?|fought|forc(?:es?|ed))\s+(?:back|down)\s+
        (?:the\s+(?:words?|reply|retort|answer|remark|truth)|what|an?\s+(?:\w+\s+)?(?:reply|retort|answer|remark)|["“:])
    | \b(?:swallow(?:s|ed|ing)?)\s+(?:the\s+(?:words?|reply|retort|answer|rest|question)|
        {_OWN}\s+(?:words?|reply|retort|answer)|what)\b
    | \bswallow(?:s|ed)?\s+it\b | \bbites?\s+back\s*["“:]
    | \b(?:bit|bites?|biting|h[eo]ld(?:s|ing)?)\s+{_OWN}\s+tongue\b
    | \A\W*(?:left\s+)?(?:unspoken|unsaid|unvoiced|unuttered)\b | \b(?:left|goes|went|remain(?:s|ed))\s+(?:unspoken|
        unsaid|unvoiced)\b
    | (?:\bnot|n['’]t|\bnever|\bwithout|\binstead\s+of|\brather\s+than|\bnothing)\s+(?:[\w'’]+\s+){{0,3}}?(?:aloud|
        out\s+loud)\b
    | \bopen(?:s|ed|ing)?\s+{_OWN}\s+mouth\s+to\s+{_UTTER}\b [^.!?]*
        \b(?:clos|shut|then|but|thought\s+better|noth|sound)
    | \bke(?:eps?|pt|eping)\s+(?:(?:it|this|that|(?:the|{_OWN})\s+\w+)\s+)? to\s+{_SELF}\s+(?:the|what|that|how|why|
        {_OWN})\b
    | \bke(?:eps?|pt|eping)\s+(?:the|{_OWN})\s+(?:truth|secret|suspicions?|fears?|doubts?|guess|news)\s+
        (?:about|of|that)\s [^.!?\n]{{1,80}}\s to\s+{_SELF}\b
    | \b(?:the|those|these|{_OWN})\s+words?\s+(?:\w+\s+){{0,2}}?(?:die[sd]|stuck|stick|froze|caught|stopped|stay)\b
    | \b(?:could|can|would|did|does)(?:n['’]t|\s*not)\s+shake\s+(?:off\s+)?(?:the|a)\s+(?:feeling|thought|suspicion|
        sense|idea)\b
    | \bwhat\s+(?:he|she|I)\s+(?:did(?:n['’]t|\s+not)|does(?:n['’]t|\s+not)|never)\s+(?:\w+\s+)?(?:say|said|tell|
        told|mention|add)
    """,
    re.IGNORECASE | re.VERBOSE,
)
_TAG = lazy_pattern(
    r"""[\s,—–-]*(?:he|she|I|they|(?-i:[A-Z])[\w'’-]+)\s+(?:\w+ly\s+)?(?:almost|nearly|all\s+but|want|long|yearn|ach|itch|burn|was|
    did|does|do|didn|doesn|don|would|wouldn|could|couldn|dare|never|might|had)""",
    re.IGNORECASE | re.VERBOSE,
)
_OF_OTHERS = lazy_pattern(
    rf"\b(?:{_UTTER}|{_UTTERED})(?:\s+(?:him|her|them|anyone|anybody|(?-i:[A-Z])[\w'’-]+))?\s+"
    r"(?:that|how|why|where|who|whether|about|of)\s+(?!(?:it|this|that)\b)\w",
    re.IGNORECASE,
)
"""What is not said, named: `tell him of the map`."""
_FIRST = lazy_pattern(r"(?<=[.!?…])\s+")


def is_unspoken(text: str) -> bool:
    """Whether a direction or a sentence of narration says that something is not said."""
    return _UNSPOKEN.search(text) is not None


def may_be_unspoken(text: str) -> bool:
    """Whether a text holds the words that one of its sentences needs to say so."""
    return may_find(_UNSPOKEN, text)


def is_unspoken_tag(text: str, *, ended: bool = False) -> bool:
    """Whether narration behind a quote says that it was not said: `"Fool," she almost said`.

    Where a sentence `ended` there, it may say what else was not said: `"Come in." She did not tell him of the map.`
    """
    if _TAG.match(text) is None:
        return False
    first = _FIRST.split(text.strip(), maxsplit=1)[0]
    return is_unspoken(first) and not (ended and _OF_OTHERS.search(first))
