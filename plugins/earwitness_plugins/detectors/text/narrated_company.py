"""Those of whom a narration has just told: whom `he` means, and who hears what is whispered to nobody who is named."""

from __future__ import annotations

import re

from earwitness.patterns import lazy_pattern

from .names import Mention, Names, lists

_HE = lazy_pattern(r"\b(?:he|she|they)\b", re.IGNORECASE)
_COMES_CLOSE = lazy_pattern(
    r"\b(?:lean|bend|bent|turn|draw|drew|pull|stoop|edg|sidl|crouch|kneel|knelt|bow|mov|step|shift|slid|shuffl|tug|nudg|elbow|"
    r"beckon|grab|tak|took|clasp|grip|squeez|sat|sits?)\w*\b",
    re.IGNORECASE,
)
"""What one does who then whispers to whoever is told of in the same sentence."""


_OPENS_WITH_HE = lazy_pattern(
    r"[\W…]*(?:(?:then|and|but|da|dann|und|aber|entonces|y|alors|et|então|e|тогда|и|но)\s+)?"
    r"(?:he|she|they|it|his|her|their|er|sie|seine?|ihre?|él|ella|il|elle|ele|ela|он|она)\b|\W*(?:彼|他|她|它)",
    re.IGNORECASE,
)
_CLAUSE = lazy_pattern(
    r"\b(?:that|whether|if|how|why|what|who|where|dass|daß|ob|warum|wie|que|quién|por\s+qué|si|pourquoi|se|что|ли|как|почему)\b|"
    r"\bqu['’]",
    re.IGNORECASE,
)
"""Behind it stands what is thought: whoever is named there thinks nothing."""


class NarratedCompany:
    """What is remembered of a narration from sentence to sentence."""

    def __init__(self, names: Names) -> None:
        self._names = names
        self._close: tuple[str, ...] = ()
        self._whisper: tuple[str, ...] = ()
        self.named: tuple[str, ...] = ()
        """Ids of those whom the last sentence with names in it named."""
        self.subject: tuple[str, ...] = ()
        """Ids of those with whose names a sentence of this paragraph last began."""

    def begin(self) -> None:
        """A paragraph begins: `he` is nobody yet."""
        self.subject = ()

    def note(self, outside: str, *, whispering: tuple[str, ...] | None) -> None:
        """Remember a sentence, without what is said in it."""
        mentions = self._names.find(outside)
        if whispering:
            self._whisper = whispering
        if mentions:
            self.named = tuple(dict.fromkeys(each.id for each in mentions))
            near = tuple(dict.fromkeys(each.id for each in mentions))
            self._close = near if _COMES_CLOSE.search(outside) else ()
            if not whispering:
                self._whisper = ()
        groups = lists(outside, mentions)
        first: list[Mention] = groups[0] if groups else []
        if first and not first[-1].possessive:
            self.subject = tuple(each.id for each in first)

    def whispering(self, outside: str, named: tuple[str, ...]) -> tuple[str, ...]:
        """Who hears what is whispered in a sentence: those who are `named` in it, else those who are close.

        Nobody is, where it is not told; a whisper is never for all.
        """
        if len(named) < 2 and self._whisper and {*named} <= {*self._whisper}:
            return self._whisper
        speaker = self.subject if _HE.search(outside) and len(self.subject) == 1 else ()
        known = tuple(dict.fromkeys((*speaker, *named)))
        if len(known) < 2 and {*known} <= {*self._close}:
            return self._close
        return known

    def alone(self, outside: str) -> tuple[str, ...] | None:
        """Whose mind a sentence is in: whoever it begins with, else of whom was told; `None` where nobody was."""
        mentions = self._names.find(outside)
        clause = _CLAUSE.search(outside)
        first = mentions[0] if mentions and not mentions[0].possessive else None
        if first is not None and not _OPENS_WITH_HE.match(outside) and not (clause and clause.start() < first.start):
            return (first.id,)
        return self.subject if self.subject or mentions else None
