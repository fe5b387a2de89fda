"""Discretion: who is listening where somebody is about to speak, in a line for the prompt. Pure."""

from __future__ import annotations

from collections.abc import Sequence

from earwitness import ReadEvent
from earwitness.records.prose import listed

REASON = "known at second hand (from: {interactionType})"


def note(event: ReadEvent) -> str:
    """Who is listening, and in which channel."""
    names = [event.cast[id].name for id in listeners(event)]
    who = f"{listed(names)} {'is' if len(names) == 1 else 'are'} listening" if names else "Others may be listening"
    return f"Discretion: {who} in this {event.channel}. Keep to yourself what is marked below."


def listeners(event: ReadEvent) -> Sequence[str]:
    """Ids of the others in the channel: its standing members, else those in the current scene."""
    standing = event.state.channel(event.channel)
    there = event.state.here if standing is None else standing.members
    return [id for id in there if id != event.character and id in event.cast]
