"""Whose memory a proposal would write although they do not know what it rests on."""

from __future__ import annotations

from collections.abc import Iterable

from earwitness import Derivation, Session
from earwitness.ids import WORLD

from .records import Proposal


async def strangers(story: Session, proposal: Proposal) -> tuple[str, ...]:
    """In words, whom it would tell of what they do not know; empty if nobody. Core checks the `knowers` by itself."""
    found: dict[str, None] = {}
    for each in _told(proposal.memories):
        owner = story.cast.named(str(each.owner)).id
        grounds = each.rests_on or proposal.rests_on
        if owner not in each.knowers:
            lacking = await story.backstage().unknown_to(owner, *grounds)
            found |= {f"{owner} does not know {ground}": None for ground in lacking}
    return tuple(found)


def _told(memories: Iterable[Derivation]) -> Iterable[Derivation]:
    return (each for each in memories if each.owner not in {None, WORLD})
