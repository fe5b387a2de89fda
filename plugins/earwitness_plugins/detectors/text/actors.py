"""Of whom a told text says that they do something."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator

from earwitness.patterns import lazy_pattern

from .names import Mention, Names

_NO_ACTOR = lazy_pattern(
    r"\b(?:of|from|like|about|against|behind|for|towards?|than|without|to|at|after|by|near|beside|over)\s+(?:\w+\s+)?\Z"
)
_OPENS_CLAUSE = lazy_pattern(
    r"(?:\A|[.!?…;:,—–\n\"”»’)*])[\s*_]*(?:(?:and|but|then|so|now|only|even|both|the|old|young|poor|little|dear|there)\s+)*\Z",
    re.IGNORECASE,
)
_SAYS = lazy_pattern(
    r"(?:\A|[\"”»’])[\s,—–]*(?:said|says|asked|asks|cried|cries|called|replied|answered|murmured|shouted|laughed)\s+(?:the\s+)?\Z"
)
"""What stands between somebody's words and their name: `"Come in," said Bob.`"""
_DOES = lazy_pattern(r"[\W_]+(?:(?!(?:had|has|will|would|might|must|could|should|may|is|are)\b)[^\W\d_A-Z]|\Z)|\W*\Z")
_TELLS_OF_OTHERS = lazy_pattern(
    r"\b(?:if|would|could|might|may|had|imagin\w+|dream\w*|remember\w*|think\w*|thought|suppos\w+|wish\w*|hop(?:e|es|ed|ing)|"
    r"pretend\w*|says|said|claim\w*|told|tells|not|never|no|as\s+(?:if|though)|far|away|somewhere|meanwhile|elsewhere)\b",
    re.IGNORECASE,
)
_SENTENCE = lazy_pattern(r"[.!?…\n](?!.*[.!?…\n])", re.DOTALL)
_NEAR = 40
_CLAUSE = 160


def actors(texts: Iterable[str], names: Names) -> tuple[str, ...]:
    """Ids of those whom a clause of a told text begins with, in order: `Bob rises`; not `she dreams that Bob rises`."""
    return tuple(dict.fromkeys(id for text in texts for id in _acting(text, names)))


def acts(text: str, mention: Mention) -> bool:
    """Whether somebody is named as one who does something: `Bob rises`; not `Bob's hat`, `at Bob`."""
    return not mention.possessive and not _NO_ACTOR.search(text[max(0, mention.start - _NEAR) : mention.start])


def _acting(text: str, names: Names) -> Iterator[str]:
    for mention in names.find(text):
        if not mention.possessive and _begins_clause(text, mention):
            yield mention.id


def _begins_clause(text: str, mention: Mention) -> bool:
    before = text[max(0, mention.start - _CLAUSE) : mention.start]
    if _SAYS.search(before):
        return True
    if not _OPENS_CLAUSE.search(before) or not _DOES.match(text, mention.end):
        return False
    end = _SENTENCE.search(before)
    return not _TELLS_OF_OTHERS.search(before[end.end() :] if end else before)
