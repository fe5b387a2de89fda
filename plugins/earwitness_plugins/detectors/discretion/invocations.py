"""Words to somebody who is not there: prayed, dreamt, remembered, said to a picture or a grave, written in a letter."""

from __future__ import annotations

import re

from earwitness.patterns import lazy_pattern

from ..text.stems import holds_any

_STEMS = (
    "pray",
    "prayer",
    "dream",
    "remember",
    "photo",
    "picture",
    "portrait",
    "grave",
    "tomb",
    "letter",
    "wherever",
    "heaven",
    "hear me",
    "memory",
)
_INVOKES = lazy_pattern(
    r"""\b(?:pray(?:s|ed|ing)?|prayers?|dream(?:s|ed|t|ing)?\s+(?:of|about)|remember(?:s|ed|ing)\s+(?!to\b)|the\s+memory\s+of)\b
    | \b(?:at|to|with|by|before|on|over|holding|kiss(?:es|ed)?)\s+(?:the|a|an|his|her|my|their|
        [\w-]+['’]s)\s+(?:\w+\s+){0,2}?
        (?:photo(?:graph)?|picture|portrait|grave|gravestone|tomb|tombstone|headstone|statue|effigy)\b
    | \bwrit(?:es|ing)\b[^.!?\n]{0,30}\bletter\b | \bwherever\s+(?:you|he|she)\b | \bin\s+heaven\b | \bfrom\s+heaven\b
    | \bif\s+(?:only\s+)?you\s+(?:can|could)\s+(?:only\s+)?hear\s+me\b""",
    re.IGNORECASE | re.VERBOSE,
)


def invokes(text: str) -> bool:
    """Whether a message speaks to somebody as one does to those who are not there."""
    return holds_any(text, _STEMS) and _INVOKES.search(text) is not None
