"""What a text tells, without what it only asks or supposes: "is the bridge safe?", "if Bruno stole it". Pure functions.

In English, and cautious: what comes before a tag ("it is safe, isn't it?"), what a question takes for granted ("did
you know that …?", "why did he …?") and a question that is answered at once are told.
"""

from __future__ import annotations

import re

from ..patterns import lazy_pattern

_HINT = lazy_pattern(
    r"(?i)\?|\b(?:if|unless|whether|suppose|supposing|imagine|assum(?:e|ing)|perhaps|maybe|wonder(?:ing)?)\b"
)
"""Text without any of these asks and supposes nothing."""
_EMPHASIS = lazy_pattern(r"([*_])(\w+)\1")
_SEGMENT = lazy_pattern(r"""(?:[^.!?\n*"“”;:—]|[:.](?=[^\s"”*]))+(?:[.!?;:—]+|(?=[\n*"“”])|$)|[\n*"“”.!?;:—]+""")
_FILLERS = r"^\W*(?:(?:and|but|so|or|then|well|oh|ah|hm+|now|no|yes|also|still)\b\W*)*"
_ASKS = lazy_pattern(
    _FILLERS + r"(?:who|whom|whose|what|which|where|when|why|how"
    r"|(?:am|is|are|was|were|do|does|did|have|has|had|can|could|will|would|shall|should|may|might|must)(?:n['’]t)?"
    r"|(?:ca|wo|sha)n['’]t)\b"
)
_TELLS = lazy_pattern(
    _FILLERS + r"(?:(?:do|did|have|had|don['’]t|didn['’]t|haven['’]t|can|can['’]t) you (?:not |ever |already |even )?"
    r"(?:know|hear|heard|see|seen|remember|realize|realise|notice|noticed|believe)\b"
    r"(?! (?:of|who|whom|whose|what|which|where|when|why|how|if|whether|anything|something)\b)"
    r"|how come\b|why (?!(?:would|should|not|don['’]t)\b))"
)
_TAG = lazy_pattern(
    r"^\W*(?:right|eh|no|yes|okay|ok|huh|hm+|correct|remember|understood|agreed|you (?:know|see|hear))\b"
)
_SUPPOSES = lazy_pattern(
    _FILLERS + r"(?:what if|(?:let us |let['’]s )?(?:suppose|supposing|imagine|assume|assuming)|perhaps|maybe)\b"
)
_CONDITIONAL = lazy_pattern(
    _FILLERS + r"(?:unless\b|if (?!(?:you|i|we|it|memory|truth|anybody|anyone)\b))|\bunless\b", re.DOTALL
)
"""A part that says what is so under a condition only. "If you ask me" and the like are not conditions."""
_OPEN = lazy_pattern(r"\b(?:i (?:was |am )?wonder(?:ing|ed)?\b.*|(?:if|whether)\b[^,]*)", re.DOTALL)
_ANSWERS = lazy_pattern(
    r"^\W*(?:(?:yes|yeah|aye|no|nay|nope|indeed|certainly|of course|surely|never|not (?:at all|so|really))\b"
    r"|(?:i|you|he|she|it|we|they|that|this|there) (?:am|is|are|was|were|do|does|did|have|has|had|can|will|would)"
    r"(?: not|n['’]t)?\W*$)"
)
"""How a part begins that answers the question before it: "Yes, it is.", "He did not."."""


def assertions_in(text: str) -> str:
    """The text without what it only asks or supposes; the text itself if that is nothing."""
    if not _HINT.search(text):
        return text
    segments: list[str] = _SEGMENT.findall(_EMPHASIS.sub(r"\2", text))
    spoken = [place for place, each in enumerate(segments) if any(map(str.isalnum, each))]
    after = dict(zip(spoken, [segments[place] for place in spoken[1:]], strict=False))
    return "".join(_asserted(each, after.get(place, "")) for place, each in enumerate(segments))


def _asserted(segment: str, after: str) -> str:
    """What one part of a text tells, given the part that follows it."""
    said = segment.casefold()
    if _SUPPOSES.search(said) or _CONDITIONAL.search(said):
        return " "
    if "?" in segment[-3:] and not ("?" not in after and _ANSWERS.search(after.casefold())):
        segment = _asserted_by_question(segment)
        said = segment.casefold()
    return _OPEN.sub(" ", said) if _OPEN.search(said) else segment


def _asserted_by_question(question: str) -> str:
    """What comes before the question itself in a sentence that ends with a question mark."""
    parts = question.casefold().split(",")
    for place, part in enumerate(parts):
        if _ASKS.search(part):
            asserted = parts if _TELLS.search(part) else parts[:place]
            return ",".join(asserted).rstrip("?") + " "
    return question.rstrip("?") + " " if any(map(_TAG.search, parts[1:])) else " "
