"""What was there before a story, prepared in its bubble, too: cards, lore, plot and examples."""

from __future__ import annotations

from collections.abc import AsyncIterator, Collection, Iterable, Iterator, Sequence
from typing import Any

from earwitness import Earwitness, Lore, Session
from earwitness.containers import world_container
from earwitness.records.journal import Piece, Prepared
from earwitness.records.memory_types import PIECE_TYPES

KEY = "canon-cards"


async def prepare_as(ew: Earwitness, story: Session, bubble: Session) -> None:
    """Prepare a bubble with what its story was prepared with, as it now reads: retracted pieces are left out."""
    pieces = [each async for each in _pieces(ew, story)]
    named = {each.lore_key: each.text for each in pieces if each.type == "plot" and each.lore_key}
    cast = bubble.cast.by_id
    owned = [(each, owner) for each in pieces for owner in each.owners or () if owner in cast]
    given: dict[str, Any] = {
        "plot": next((each.text for each in pieces if each.type == "plot" and each.lore_key is None), None),
        "cards": {owner: each.text for each, owner in owned if each.type == "character_card"},
        "examples": _by_owner((owner, each.text) for each, owner in owned if each.type == "example_dialog"),
        "lore": [*_lore(pieces, cast)],
    }
    if any(given.values()):
        await bubble.prepare(**given, key=KEY)
    if named:
        await bubble.prepare(plot=named, key=f"{KEY}-plots")


async def _pieces(ew: Earwitness, story: Session) -> AsyncIterator[Piece]:
    """The pieces that the story's world has now, each in its last version, in order."""
    await story.settled()
    ledger, world = ew.engine.ledger, world_container(story.id).name
    active = [each for each in await ledger.deliveries(story.id, container=world, types=PIECE_TYPES) if each.is_active]
    for sequence in sorted({each.sequence for each in active}):
        entry = await ledger.entry(story.id, sequence=sequence)
        there = {each.source for each in active if each.sequence == sequence}
        if entry is not None and isinstance(entry.body, Prepared):
            for piece in entry.body.pieces:
                if piece.version_of in there:
                    yield piece


def _by_owner(said: Iterable[tuple[str, str]]) -> dict[str, list[str]]:
    found: dict[str, list[str]] = {}
    for owner, text in said:
        found.setdefault(owner, []).append(text)
    return found


def _lore(pieces: Sequence[Piece], cast: Collection[str]) -> Iterator[Lore]:
    for each in pieces:
        known_by = None if each.owners is None else tuple(id for id in each.owners if id in cast)
        if each.type == "lore" and known_by != ():
            yield Lore(text=each.text, key=each.lore_key, known_by=known_by, words=each.words)
