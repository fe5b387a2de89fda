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
_HAS_SECRET = lazy_pattern(r"(?P<what>[^.!?;:,]*)\b(?:has|have|had|keeps?|hides?) (?:an? |some )?(?:\w+ )?secrets?\b")
_HINT = lazy_pattern(
    rf"\b{_KNOWING}\b.*\b{_WHAT}"
    r"|\b(?:secret|rumou?r|mystery|news|tale|story|truth|plan|plot|conspiracy|something|gossip)"
)
_BREAK = lazy_pattern(r"[.!?;:\n]")
_LIGHT = word_list(
    "happen happened happens want wants going go plan plans mean means do did does done really exactly there lie"
    " everything anything nothing something somebody someone it them him her who what"
)


def is_mentioned(claim: Claim, said: str) -> bool:
    """Whether a text says that there is something to know of what was asked, and not what it is."""
    folded = said.casefold().translate(MARKUP)
    if not _HINT.search(folded):
        return False
    return any(_is_asked(claim, each) for each in _known_things(assertions_in(folded)))


def _known_things(said: str) -> Iterator[str]:
    for pattern in (_INDIRECT, _SECRET, _HAS_SECRET):
        for found in pattern.finditer(said):
            before = _BREAK.split(said[: found.start("what")])[-1]
            if not is_negated(TOKEN.findall(f"{before} it")):
                yield found["what"]


def _is_asked(claim: Claim, what: str) -> bool:
    """Whether all of it was asked, and names what the question is about, but not all that it says."""
    words = {claim.names.get(each, base_of(each)) for each in TOKEN.findall(what) if _carries_meaning(each)}
    asked = {claim.names.get(each, base_of(each)) for each in claim.tokens if _carries_meaning(each)}
    topics = asked - {base_of(each) for each in claim.verbs}
    return words <= asked and not words.isdisjoint(topics) and (claim.is_open or words < asked)


def _carries_meaning(token: str) -> bool:
    return is_content(token) and token not in _LIGHT
