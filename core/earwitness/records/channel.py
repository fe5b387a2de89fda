"""Where a host heard something: one frozen record, on messages, turns and reads."""

from __future__ import annotations

from collections.abc import Collection, Iterable
from typing import Literal, cast

from .base import Record
from .memory_types import Metadata, MetaValue

Context = Literal["dm", "private_channel", "public_channel"]
STRICTNESS = {"public_channel": 0, "private_channel": 1, "dm": 2}
"""Context → how strict it is. Whatever is not a context is stricter than all of them."""
PREFIXES: dict[Context, str] = {"private_channel": "private", "dm": "dm", "public_channel": "public"}
"""Context → what a standing channel's key begins with; a private one needs it only in a guild of such a name."""
WHERE = ("channelId", "guildId", "personaId")
"""The metadata that says in which channel of a context something was learned."""


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

    @property
    def news(self) -> tuple[str, ...]:
        """What of all that is confined (`confined_to`) is told here. A direct message is in no guild."""
        guild = None if self.context == "dm" else self.guild_id
        own = confined_to(self.metadata) if self.context != "public_channel" else None
        return tuple(each for each in (own, guild and of_guild(guild)) if each)

    @property
    def metadata(self) -> dict[str, MetaValue]:
        """Metadata that says where something was heard: `contextType`, and those of its ids that are set."""
        ids = zip(WHERE, (self.channel_id, self.guild_id, self.persona_id), strict=True)
        return {"contextType": self.context, **{key: id for key, id in ids if id is not None}}


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
        """Its key in the state: `42`, or `g7/42` in a guild; `dm/42` for a direct message, `public/42` in public."""
        return standing_name(self.channel_id, self.guild_id, self.context)


def standing_name(channel_id: str, guild_id: str | None, context: Context) -> str:
    """The key of a standing channel in the state: each context, guild and id has its own, whatever is in the ids."""
    ids = "/".join(each.replace("%", "%25").replace("/", "%2F") for each in (guild_id, channel_id) if each is not None)
    is_plain = context == "private_channel" and guild_id not in PREFIXES.values()
    return ids if is_plain else f"{PREFIXES[context]}/{ids}"


def earlier_names(channel_id: str, guild_id: str | None) -> tuple[str, ...]:
    """The keys that earlier versions may have given to a channel with these ids, whatever its context."""
    ids = channel_id if guild_id is None else f"{guild_id}/{channel_id}"
    return (ids, f"dm/{ids}")


def context_of(metadata: Metadata) -> str:
    """The context that a memory was learned in. Without one, it counts as learned in a private channel."""
    context = metadata.get("contextType")
    return context if isinstance(context, str) else "private_channel"


def learned_channel(metadata: Metadata) -> Channel:
    """The channel in which something was learned. Of an unknown context, it is of the strictest."""
    context = context_of(metadata)
    ids = {name: metadata.get(key) for name, key in zip(("channel_id", "guild_id", "persona_id"), WHERE, strict=True)}
    return Channel(
        context=cast("Context", context) if context in STRICTNESS else "dm",
        **{name: id for name, id in ids.items() if isinstance(id, str)},
    )


def of_guild(guild: object) -> str:
    """What news of a guild does not leave."""
    return f"guild\n{guild}"


def confined_to(metadata: Metadata) -> str | None:
    """What news does not leave: the direct message or private channel in which it happened, or the guild of a public
    one. `None` = it is told anywhere, as what happened in public outside any guild, or in no channel."""
    context, guild = metadata.get("contextType"), metadata.get("guildId")
    if context in {None, "public_channel"}:
        return of_guild(guild) if context and guild else None
    fields = WHERE if context == "dm" else WHERE[:2]  # a private channel is the same whoever speaks in it
    return "\n".join([str(context), *(str(metadata.get(key, "")) for key in fields)])


def apart_in(metadata: Metadata) -> str | None:
    """The direct message or named private channel of what was heard there: privacy may hide it everywhere else.

    `None` for what was heard in public, or in the one unnamed channel.
    """
    context = metadata.get("contextType")
    named = context == "dm" or (context == "private_channel" and metadata.get("channelId") is not None)
    return confined_to(metadata) if named else None


def strictness(context: str) -> int:
    """How strict a context is."""
    return STRICTNESS.get(context, len(STRICTNESS))


def strictest_channel(memories: Iterable[Metadata]) -> dict[str, MetaValue]:
    """Where something counts as learned that rests on these memories: metadata of the strictest of their contexts.

    Memories of that context may be from different channels, guilds or personas. Then the id is an empty list, which
    equals none. Permanent memories are not secret, and do not count.
    """
    known = [each for each in memories if each.get("permanent") is not True]
    if not known:
        return {}
    context = max(map(context_of, known), key=strictness)
    strictest = [each for each in known if context_of(each) == context]
    ids = {key: _common([each.get(key) for each in strictest]) for key in WHERE}
    return {"contextType": context, **{key: id for key, id in ids.items() if id is not None}}


def shared_channel(memories: Iterable[Metadata]) -> dict[str, MetaValue]:
    """Where something counts as learned that rests on all these memories: it is read where each of them is.

    The context is the strictest of theirs. A guild, a persona or a private channel that they do not share becomes an
    empty list, which equals none: then it is read nowhere where that matters. No id counts as an id of its own.
    Permanent memories are not secret, and do not count.
    """
    known = [each for each in memories if each.get("permanent") is not True]
    where = strictest_channel(known)
    if where.get("contextType") in {None, "public_channel"}:
        return where
    private = [each for each in known if context_of(each) != "public_channel"]
    in_guilds = private if where["contextType"] == "dm" else known  # a direct message is in no guild
    ids = {
        "channelId": _common([_channel_in(each, where["contextType"]) for each in private]),
        "guildId": _common([each.get("guildId") for each in in_guilds]),
        "personaId": _common([each.get("personaId") for each in known]),
    }
    return {"contextType": where["contextType"], **{key: id for key, id in ids.items() if id is not None}}


def _channel_in(memory: Metadata, context: MetaValue) -> MetaValue | None:
    """The id of the channel of a memory. A channel of another context is another, whatever its id."""
    id = memory.get("channelId")
    return id if id is None or context_of(memory) == context else []


def _common(ids: list[MetaValue | None]) -> MetaValue | None:
    return ids[0] if all(each == ids[0] for each in ids) else []
