"""Where a host heard something: one frozen record, on messages, turns and reads."""

from __future__ import annotations

from typing import Literal

from .base import Record

Context = Literal["dm", "private_channel", "public_channel"]


class Channel(Record):
    """Where a host hears or shows a message."""

    context: Context = "private_channel"
    """A direct message, a private channel or a public one."""
    channel_id: str | None = None
    """The host's id of the channel. `None` stands for the one unnamed channel of the session."""
    guild_id: str | None = None
    """The host's id of the guild or server; `None` = outside any guild."""
    persona_id: str | None = None
    """The persona that a user speaks or reads under; `None` = no persona."""

    def __str__(self) -> str:
        ids = {"channel": self.channel_id, "guild": self.guild_id, "persona": self.persona_id}
        context = self.context.replace("_", " ")
        return ", ".join([context, *(f"{name} {id!r}" for name, id in ids.items() if id is not None)])
