"""What was learned in one place and is asked for in another: the privacy tables again, as plain as the issue says them.

Readings taken where the text leaves a choice:

1. No channel id, no guild and no persona are equal to none. But nobody knows who is in a place without a persona:
   there, what was not public is of the same persona in its own channel alone. The story's channels without an id are
   one persona's.
2. The same channel has the same context, id and guild.
3. `same_context` asks for the same kind of channel; a direct message is moreover a context of its persona's own.
4. Those who were there, for a public channel, are the persona it was heard under and the characters who perceived it.
5. A direct message is in no guild: what was public is read there by who was there alone.
6. What was told on carries the strictest context of its chain: `dm`, then `private_channel`, then `public_channel`.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator
from itertools import product

from earwitness import Channel
from earwitness.records.channel import Context

CONTEXTS: tuple[Context, ...] = ("dm", "private_channel", "public_channel")
"""The strictest first."""


def may_recall(policy: str, learned: Channel, asked: Channel, there: Collection[str] = ()) -> bool:
    """Whether what was learned in one channel may be read when the answer is heard in another.

    `there` are the ids of those who perceived it. Raises `KeyError` for a policy that is neither table.
    """
    return {"graded": _graded, "same_context": _same_context}[policy](learned, asked, there)


def _graded(learned: Channel, asked: Channel, there: Collection[str]) -> bool:
    if learned.context == "dm":
        return asked.context == "dm" and _same_persona(learned, asked)
    if learned.context == "private_channel":
        return _same_channel(learned, asked) or (asked.context == "dm" and _same_persona(learned, asked))
    if asked.context == "dm":
        return _same_persona(learned, asked) or asked.persona_id in there
    return learned.guild_id == asked.guild_id


def _same_context(learned: Channel, asked: Channel, there: Collection[str]) -> bool:
    return learned.context == asked.context and (learned.context != "dm" or _same_persona(learned, asked))


def _same_persona(learned: Channel, asked: Channel) -> bool:
    if learned.persona_id or asked.persona_id or learned.context == "public_channel":
        return learned.persona_id == asked.persona_id
    unnamed = learned.channel_id is None and asked.channel_id is None and learned.guild_id == asked.guild_id
    return unnamed or _same_channel(learned, asked)


def _same_channel(learned: Channel, asked: Channel) -> bool:
    return (learned.context, learned.channel_id, learned.guild_id) == (asked.context, asked.channel_id, asked.guild_id)


def strictest(contexts: Iterable[Context]) -> Context:
    """The strictest context of a chain."""
    return min(contexts, key=CONTEXTS.index)


def table() -> Iterator[tuple[Channel, Channel]]:
    """Every row: learned in × asked in, each with the same or another channel, guild and persona, or without one."""
    ids = (None, "here", "there")
    asked = [
        Channel(context=c, channel_id=i, guild_id=g, persona_id=p) for c, i, g, p in product(CONTEXTS, ids, ids, ids)
    ]
    for context, named in product(CONTEXTS, (None, "here")):
        learned = Channel(context=context, channel_id=named, guild_id=named, persona_id=named)
        yield from ((learned, each) for each in asked)
