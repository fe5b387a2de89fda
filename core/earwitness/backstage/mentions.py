"""Whether a text only says that there is something to know: "Tom knows where the key is". Pure, for English.

What it says there is to know must be what was asked, as far as its words go: whoever knows where the key is may know
that the key is in the vase, but not that the mill burns.
"""

from __future__ import annotations

from collections.abc import Iterator

from ..patterns import lazy_pattern
from .assertions import assertions_in
from .claims import Claim
from .clauses import is_content, word_list
from .negation import MARKUP, TOKEN, base_of, is_negated

_KNOWING = (
    r"(?:knows?|knew|known|learn(?:s|ed|t)?|heard|discovered|found out|finds? out|told|tells?|reveal(?:s|ed)|saw|seen"
    r"|remembers?|read|guess(?:es|ed)|overheard|confessed|admitted)"
)
_WHAT = r"(?:where|who|whom|whose|what|when|how|why|which)\b"
_INDIRECT = lazy_pattern(rf"\b{_KNOWING}(?: \w+){{0,3}}? (?:(?:to|from|with|by|in|at|on) )?{_WHAT}(?P<what>[^.!?;:,]*)")
_SECRET = lazy_pattern(
    r"\b(?:secrets?|rumou?rs?|myster(?:y|ies)|news|tales?|stor(?:y|ies)|truth|plans?|plots?|conspiracy|something|gossip)\b"
    r"(?: \w+)? (?:about|of|concerning|around|behind|regarding|to|happened to)\b(?P<what>[^.!?;:,]*)"
)
_HAS = lazy_pattern(r"\b(?:has|have|had|keeps?|hides?) ")
_A_SECRET = lazy_pattern(r"(?:an? |some )?(?:\w+ )?secrets?\b")
_PART = lazy_pattern(r"[^.!?;:,]+")
_KNOWS, _ASKED = lazy_pattern(rf"\b{_KNOWING}\b"), lazy_pattern(rf"\b{_WHAT}")
_SECRET_HINT = lazy_pattern(r"\b(?:secret|rumou?r|mystery|news|tale|story|truth|plan|plot|conspiracy|something|gossip)")
FAR = 1_000
"""Characters of a sentence among which a negation is looked for. Further on in a sentence, nothing is a mention."""
_BREAKS = ".!?;:\n"
_LIGHT = word_list(
    "happen happened happens want wants going go plan plans mean means do did does done really exactly there lie"
    " everything anything nothing something somebody someone it them him her who what"
)
TextSpan = tuple[int, int]


def is_mentioned(claim: Claim, said: str) -> bool:
    """Whether a text says that there is something to know of what was asked, and not what it is."""
    folded = said.casefold().translate(MARKUP)
    if not (_SECRET_HINT.search(folded) or (_KNOWS.search(folded) and _ASKED.search(folded))):
        return False
    asserted = assertions_in(folded)
    things = (each for each in _things_to_know(asserted) if _is_asked(claim, asserted[slice(*each)]))
    return any(not _may_be_negated(asserted, begin) for begin, _ in things)


def _things_to_know(said: str) -> Iterator[TextSpan]:
    """Where a text says what there is to know."""
    for pattern in (_INDIRECT, _SECRET):
        yield from (found.span("what") for found in pattern.finditer(said))
    for part in _PART.finditer(said):
        starts = [each.start() for each in _HAS.finditer(part[0]) if _A_SECRET.match(part[0], each.end())]
        yield from ((part.start(), part.start() + each) for each in starts[-1:])


def _may_be_negated(said: str, begin: int) -> bool:
    """Whether there is, or may be, a negation in the sentence before this place."""
    nearest = max(said.rfind(each, max(0, begin - FAR), begin) for each in _BREAKS)
    if nearest < 0 and begin > FAR:
        return True
    return is_negated(TOKEN.findall(f"{said[nearest + 1 : begin]} it"))


def _is_asked(claim: Claim, what: str) -> bool:
    """Whether all of it was asked, and names what the question is about, but not all that it says."""
    words = {claim.names.get(each, base_of(each)) for each in TOKEN.findall(what) if _carries_meaning(each)}
    asked = {claim.names.get(each, base_of(each)) for each in claim.tokens if _carries_meaning(each)}
    topics = asked - {base_of(each) for each in claim.verbs}
    return words <= asked and not words.isdisjoint(topics) and (claim.is_open or words < asked)


def _carries_meaning(token: str) -> bool:
    return is_content(token) and token not in _LIGHT
