"""Whether the rules leave something in what was said that a model may find a fact in. Pure."""

from __future__ import annotations

import re

from earwitness.patterns import lazy_pattern
from earwitness.records.character import Cast
from earwitness.sentences import sentences

from .talk import facts_in, spoken

SHORTEST = 3
"""Words of a part of a sentence that may hold a fact."""
_PART = lazy_pattern(r"[,;:–—]|\b(?:and|but|und|aber|et|mais|y|pero)\b", re.IGNORECASE)
_PERSONAL = lazy_pattern(
    r"\b(?:I|I['’]\w+|my|mine|me|we|our|ich|mein\w*|mir|mich|wir|unser\w*|je|j['’]\w+|mon|ma|mes|nous|yo|mi|mis|me|soy|"
    r"tengo|estoy|nuestr\w*)\b",
    re.IGNORECASE,
)


def says_more(text: str, cast: Cast) -> bool:
    """Whether a part of it tells of the speaker or of somebody in the cast, and the rules find no fact in it."""
    names = {name.casefold() for each in cast for name in (each.name, *each.aliases)}
    asked = ("?", "\uff1f")
    told = [each.strip() for each in sentences(spoken(text)) if not each.strip().endswith(asked)]
    return any(_may_tell(part, names) and not facts_in(part) for each in told for part in _PART.split(each))


def _may_tell(part: str, names: set[str]) -> bool:
    words = {each.strip(".,;:!\"'’").removesuffix("'s").casefold() for each in part.split()}
    return len(words) >= SHORTEST and bool(_PERSONAL.search(part) or words & names)
