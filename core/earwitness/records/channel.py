"""Where a host heard something: one frozen record, on messages, turns and reads."""

from __future__ import annotations

from collections.abc import Collection
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


class StandingChannel(Record):
    """A channel with the members it has until the host says otherwise."""

    context: Context = "private_channel"
    """A direct message, a private channel or a public one."""
    channel_id: str
    """The host's id of the channel."""
    guild_id: str | None = None
    """The host's id of the guild or server; `None` = outside any guild."""
    members: tuple[str, ...]
    """Ids of the characters in it."""
    place: str | None = None
    """The place in the story where what is said in it is said: whoever is at that place perceives it. `None` = at no
    place: its members perceive it, wherever they are, and nobody moves."""

    def only(self, characters: Collection[str]) -> StandingChannel:
        """The channel with those of its members who are among these characters."""
        return self.model_copy(update={"members": tuple(id for id in self.members if id in characters)})

    @property
    def name(self) -> str:
        """Its key in the state: the channel's id, after that of the guild if it has one."""
        return standing_name(self.channel_id, self.guild_id)


def standing_name(channel_id: str, guild_id: str | None) -> str:
    """The key of a standing channel in the state."""
    return channel_id if guild_id is None else f"{guild_id}/{channel_id}"
