"""Whose memory a proposal would write although they do not know what it rests on."""

from __future__ import annotations

from collections.abc import Sequence

from earwitness import Derivation, Session
from earwitness.containers import character_container_name
from earwitness.end.knowers import readers_of
from earwitness.ids import WORLD

from .records import Proposal


async def strangers(story: Session, proposal: Proposal) -> tuple[str, ...]:
    """In words, whom it would tell of what they do not know; empty if nobody. Core checks the `knowers` by itself."""
    found: dict[str, None] = {}
    for each in proposal.memories:
        readers = _readers(story, each)
        if not {*readers} & {*each.knowers}:
            grounds = each.rests_on or proposal.rests_on
            lacking = [await story.backstage().unknown_to(id, *grounds) for id in readers]
            if all(lacking):
                found |= {
                    f"{id} does not know {ground}": None
                    for id, those in zip(readers, lacking, strict=True)
                    for ground in those
                }
    return tuple(found)


def _readers(story: Session, memory: Derivation) -> Sequence[str]:
    """Ids of those whose own container receives it, in the story or beyond it: any one of them may know it there."""
    if memory.owner is not None:
        return [] if memory.owner == WORLD else [story.cast.named(memory.owner).id]
    if memory.registers is not None and memory.registers.kind != "user":
        return readers_of(memory.registers, story.cast)
    return [each.id for each in story.cast if character_container_name(story.id, each.id) == memory.container]
