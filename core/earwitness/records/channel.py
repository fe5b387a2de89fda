"""Where a host heard something: one frozen record, on messages, turns and reads."""

from __future__ import annotations

from typing import Literal

from .base import Record

Context = Literal["dm", "private_channel", "public_channel"]


class Channel(Record):
    """A direct message, a closed or an open channel; perhaps one of a guild, perhaps under a persona."""

    context: Context = "private_channel"
    """A direct message, a closed or an open channel."""
    channel_id: str | None = None
    """The host's id of the channel; `None` is one unnamed channel of its session, equal only to itself."""
    guild_id: str | None = None
    """The host's id of the guild or server; none equals none."""
    persona_id: str | None = None
    """The persona a user speaks or reads under; none equals none."""
