"""Whom a proposal concerned who have left the story. Pure."""

from __future__ import annotations

from earwitness import Derivation
from earwitness.ids import WORLD
from earwitness.records.character import Cast

from .records import Proposal

SUBJECT = "characterId"
"""The metadata that says whom a memory is about."""


def who_left(memory: Derivation, cast: Cast) -> str | None:
    """Who of those that a memory needs was forgotten: its owner, those on whose knowledge it rests, its subject."""
    subject = memory.metadata.get(SUBJECT)
    needed = (memory.owner, *memory.knowers, None if subject is None else str(subject))
    return next((id for id in needed if id not in {None, WORLD} and id not in cast), None)


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
