"""Whom a proposal concerned who have left the story. Pure."""

from __future__ import annotations

from collections.abc import Iterable

from earwitness import Derivation
from earwitness.ids import WORLD
from earwitness.patterns import lazy_pattern
from earwitness.records.character import Cast

from .records import Proposal

SHORTEST = 3
"""Characters of a part of a name that is looked for."""
_WORD = lazy_pattern(r"\w+")
SUBJECT = "characterId"
"""The metadata that says whom a memory is about."""


def who_left(memory: Derivation, cast: Cast) -> str | None:
    """Who of those that a memory needs was forgotten: its owner, those on whose knowledge it rests, its subject."""
    subject = memory.metadata.get(SUBJECT)
    needed = (memory.owner, *memory.knowers, None if subject is None else str(subject))
    return next((id for id in needed if id not in {None, WORLD} and id not in cast), None)


def who_is_unmasked(proposal: Proposal, hidden: Iterable[str], cast: Cast) -> str | None:
    """Whom a proposal names although they are `hidden` from the owner of its grounds: an unmasking was taken back."""
    words = {*_WORD.findall(" ".join([proposal.text, *(each.content for each in proposal.memories)]).casefold())}
    for id in sorted(id for id in hidden if id in cast):
        names = " ".join((id, cast[id].name, *cast[id].aliases)).casefold()
        if any(len(word) >= SHORTEST and word in words for word in _WORD.findall(names)):
            return id
    return None


def why_fallen(proposal: Proposal, cast: Cast) -> str | None:
    """Why nothing of a proposal can be written, as somebody was forgotten; `None` if some of it still can be.

    It stays for the others when one of several who were to have it is forgotten.
    """
    listeners = {id for each in proposal.memories for id in (each.owner, *each.knowers)}
    left = next((id for id in proposal.about if id not in cast and id not in listeners), None)
    gone = [who_left(each, cast) for each in proposal.memories]
    if left is None and gone and all(gone):
        left = gone[0]
    if left is None and not gone:
        left = next((id for id in proposal.about if id not in cast), None)
    return None if left is None else f"{left} was forgotten"
