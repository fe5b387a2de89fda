"""The channel of a chat. A chat has one audience: what was said elsewhere is not for everybody who reads it. Pure."""

from __future__ import annotations

from collections.abc import Iterable

from earwitness.records.channel import Channel


def channel_of(said_in: Iterable[Channel]) -> Channel:
    """The channel of messages that are to be one chat: the only one, or the only one that is not a direct message.

    Where there are several, it is the unnamed channel of the session.
    """
    found = list(dict.fromkeys(map(_conversation, said_in)))
    for some in (found, [each for each in found if each.context != "dm"]):
        if len(some) == 1:
            return some[0]
    return Channel()


def is_open_in(said_in: Channel, own: Channel) -> bool:
    """Whether everybody in the channel `own` may read this: it was said in public, or in the same conversation."""
    return said_in.context == "public_channel" or _conversation(said_in) == _conversation(own)


def _conversation(channel: Channel) -> Channel:
    """The channel, whoever speaks in it. The direct messages of two personas are two."""
    return channel if channel.context == "dm" else channel.model_copy(update={"persona_id": None})
