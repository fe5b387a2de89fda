"""The settings of privacy: `[relationships.privacy]`."""

from __future__ import annotations

from typing import Literal

from earwitness import Record
from earwitness.records.channel import Context
from earwitness.records.memory import Interaction

Bond = Literal["same_channel", "same_guild", "same_persona", "was_there"]
"""What the place a memory was learned in may have in common with the place it is asked in. `same_persona`: without a
persona, what was not public is of the same persona in its own channel alone. `was_there`: the persona that is spoken to
perceived what the memory is about."""
Policy = Literal["graded", "same_context"]


class PrivacySettings(Record):
    """The table of what may be read where, and the rules of discretion."""

    policy: Policy = "graded"
    """The table to begin with. `graded`: what was learned is read where its listeners are. `same_context`: it is read
    in the kind of channel that it was learned in."""
    tighten: dict[Context, dict[Context, tuple[Bond, ...]]] = {}
    """Context it was learned in → context it is asked in → bonds, of which one is needed as well; none = never."""
    discretion: tuple[Interaction, ...] = ("shared", "witnessed")
    """Memories that a character came to have in one of these ways are known, but not to be said in public channels."""
