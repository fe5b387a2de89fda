"""What a session refuses to be told, in words: empty messages, unknown contexts, anything once it is forgotten."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any, get_args

from ..errors import InputError, UnknownName, did_you_mean, quoted
from ..formats import as_said, strip_block
from ..ids import WORLD
from ..records.channel import Channel, Context
from ..records.journal import Archived, Body, Changed, Derived, Entry, Retracted, Revised, Said, Transferred
from ..records.message import SettledMessage
from .arguments import table

SAY = ("speaker", "content", "key", "present", "context", "channel", "metadata", "in_turn")
"""What `say` takes; the first two it must be given."""


def message_text(content: str) -> str:
    """A message's text, without our own block or a model's reasoning. Raises `InputError` where nothing is left."""
    if not isinstance(content, str):
        raise InputError(f"message {content!r} cannot be used: it must be text, not {type(content).__name__}.")
    text = as_said(content)
    if text.strip():
        return text
    if strip_block(content).strip():
        raise InputError(
            f"message {quoted(content)} is nothing but a model's reasoning (<think>…</think> and the like), which is "
            "never stored: it holds no answer. Ask the model again, or allow it more tokens."
        )
    raise InputError(
        f"message {content!r} is empty (memories filled in by us do not count): there is nothing to remember. "
        "Do not tell it; a message that is to be taken back is retracted, not edited to nothing."
    )


def spoken(number: int, given: Mapping[str, Any]) -> tuple[str | None, dict[str, Any]]:
    """The key of one message among several, and the rest of what `say` takes. Raises `InputError`."""
    what = f"messages[{number}]"
    if given is None:
        raise InputError(f"{what} = None cannot be told: it must be a table of what say() takes.")
    arguments = dict(table(what, given))
    for name in (name for name in arguments if name not in SAY):
        raise InputError(f"{what} has {name!r}, which say() does not take: {', '.join(SAY)}.{did_you_mean(name, SAY)}")
    for name in (name for name in SAY[:2] if name not in arguments):
        raise InputError(f"{what} = {quoted(given)} cannot be told: it has no {name!r}.")
    return arguments.pop("key", None), arguments


def update_text(description: str) -> str:
    """What an update or change tells. Raises `InputError` where nothing is left to tell."""
    if isinstance(description, str) and not strip_block(description).strip(" \t\r\n."):
        raise InputError(f"description {description!r} is empty: there is nothing to tell. Say what happened.")
    return description


def refuse_newcomers(present: Iterable[str], settled: SettledMessage, joined: Mapping[str, int]) -> None:
    """Raises `InputError` for somebody present who joined after the message; `joined` is id → sequence number."""
    for id in present:
        if joined.get(id, 0) > settled.message.sequence:
            raise InputError(
                f"{id!r} joined after message {settled.message.key!r}, and cannot have been present. Leave them out, "
                "and let somebody tell them in a message of its own."
            )


def refuse_revision(entry: Entry) -> None:
    """Raises `InputError` for an entry that is not taken back itself, but by naming what it is about."""
    match entry.body:
        case Revised(target=target):
            raise InputError(f"{entry.key!r} is itself a revision of {target!r}: name that one.")
        case Retracted(target=target):
            raise InputError(f"{entry.key!r} is itself a retraction of {target!r}: name that one.")
        case Archived(restore=restore):
            undo = "archive()" if restore else "restore()"
            raise InputError(f"{entry.key!r} cannot be retracted: call {undo} with its memories.")


def named_in(body: Body) -> tuple[str, ...]:
    """Ids of those who say, do or remember what is told, or perceive it by the host's word."""
    match body:
        case Said(speaker=speaker, present=present):
            return (speaker, *(present or ()))
        case Changed(moves=moves):
            return tuple(id for id, _, _ in moves)
        case Derived(derivation=derivation):
            return () if derivation.owner in {None, WORLD} else (str(derivation.owner),)
        case Transferred(teller=teller, listener=listener):
            return (teller, listener)
        case _:
            return ()


def known_channel(channel: Channel | None, context: Context | None) -> Channel:
    """Where something is said or read, from a channel or the shorthand `context`. Raises `InputError`."""
    if context is not None and context not in (valid := get_args(Context)):
        raise InputError(f"context {context!r} must be one of {', '.join(valid)}.")
    if channel is None:
        return Channel() if context is None else Channel(context=context)
    if not isinstance(channel, Channel):
        raise InputError(
            f"channel {quoted(channel)} must be a Channel(context=…, channel_id=…, guild_id=…, persona_id=…)."
        )
    if context is not None and context != channel.context:
        raise InputError(f"context {context!r} contradicts the channel's {channel.context!r}. Give one of them.")
    return channel


def gone(session: str) -> UnknownName:
    """What a handle says whose story is no more."""
    return UnknownName(
        f"session {session!r} was forgotten, and this handle with it. Begin a story of that id anew with "
        "session(), and use what that returns."
    )
