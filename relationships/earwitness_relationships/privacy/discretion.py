"""Discretion: who is listening where somebody is about to speak, in a line for the prompt. Pure."""

from __future__ import annotations

from collections.abc import Sequence

from earwitness import ReadEvent
from earwitness.checks import CheckEvent
from earwitness.records.prose import listed

REASON = "known at second hand (from: {interactionType})"
NOTICED = frozenset(("awake", "on_call"))
"""The condition of whoever listens, and does not hide."""


def note(event: ReadEvent | CheckEvent) -> str:
    """Who is listening, and in which channel."""
    names = [name_of(event, id) for id in listeners(event)]
    who = f"{listed(names)} {'is' if len(names) == 1 else 'are'} listening" if names else "Others may be listening"
    return f"Discretion: {who} in this {event.channel}. Keep to yourself what is marked below."


def name_of(event: ReadEvent | CheckEvent, id: str) -> str:
    """The name by which the reader knows somebody: the mask of one in disguise."""
    return event.masks.get(id) or event.cast[id].name


def listeners(event: ReadEvent | CheckEvent) -> Sequence[str]:
    """Ids of the others in the channel: its standing members, else those whom the reader notices around them."""
    standing = event.state.channel(event.channel)
    there = _noticed(event) if standing is None else standing.members
    return [id for id in there if id != event.character and id in event.cast]


def _noticed(event: ReadEvent | CheckEvent) -> Sequence[str]:
    """Ids of those in the current scene, or in another place where the reader is; nobody notices who hides."""
    where = event.state.whereabouts
    mine = where.get(event.character)
    is_apart = mine is not None and not mine.here
    place = mine.place if mine is not None else None
    there = [id for id, each in where.items() if each.place == place] if is_apart and place else event.state.here
    return [id for id in ([] if is_apart and not place else there) if where[id].condition in NOTICED]
