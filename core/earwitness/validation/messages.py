"""Checks of messages and changes that a session refuses, with the text of the errors."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping
from typing import Any, get_args

from ..display_names import check_alias
from ..errors import InputError, UnknownName, did_you_mean, quoted
from ..formats import as_said, strip_block
from ..ids import WORLD, invisible, look
from ..records.channel import Channel, Context
from ..records.character import Cast
from ..records.journal import Archived, Body, Changed, Derived, Entry, Retracted, Revised, Said, Transferred
from ..records.message import SettledMessage
from .arguments import some_text, table, text

_WHO_AND_WHERE = ("speak_as", "present", "audience", "place", "context", "channel")
SAY = ("speaker", "content", "key", *_WHO_AND_WHERE, "metadata", "in_turn")
"""The parameters of `say`. The first two are required."""


def message_text(content: str) -> str:
    """A message's text without our own block and a model's reasoning. Raises `InputError` if nothing is left."""
    if not isinstance(content, str):
        raise InputError(f"message {quoted(content)} cannot be used: it must be text, not {type(content).__name__}.")
    said = as_said(content)
    if said.strip():
        return said
    if strip_block(content).strip():
        raise InputError(
            f"message {quoted(content)} is nothing but a model's reasoning (<think>…</think> and the like), which is "
            "never stored: it holds no answer. Ask the model again, or allow it more tokens."
        )
    if not content.strip():
        raise InputError(
            f"message {quoted(content)} is empty: there is nothing to remember. To take one back, retract it."
        )
    raise InputError(
        f"message {quoted(content)} is empty, not counting memories that Earwitness filled in: there is nothing to "
        "remember. To take a message back, retract it."
    )


def spoken(number: int, given: Any) -> tuple[str | None, dict[str, Any]]:
    """The key of one message among several, and the other arguments of `say`. Raises `InputError`."""
    what = f"messages[{number}]"
    if not isinstance(given, Mapping):
        wanted = "{'speaker': 'alice', 'content': 'Hello.'}"
        raise InputError(f"{what} = {quoted(given)} cannot be used: give the arguments of say() by name, as {wanted}.")
    arguments = dict(table(what, given))
    for name in (name for name in arguments if name not in SAY):
        raise InputError(f"{what} has {name!r}, which say() does not take: {', '.join(SAY)}.{did_you_mean(name, SAY)}")
    for name in (name for name in SAY[:2] if name not in arguments):
        raise InputError(f"{what} = {quoted(given)} cannot be used: it has no {name!r}.")
    return arguments.pop("key", None), arguments


def mask_name(cast: Cast, speaker: str, speak_as: str | None, worn: Collection[str] = ()) -> str | None:
    """The name under which a character speaks in disguise; `None` for a name of their own.

    Raises `InputError` for text that is not a name, and for what is or looks like a name of somebody else in the cast
    or the world's. What they have `worn` in stories of older versions stays usable.
    """
    if speak_as is None:
        return None
    name = " ".join(some_text("speak_as", speak_as).split())
    meant = [each.id for each in cast.called(name)]
    if not meant and name in worn:
        return name
    if not name or ":" in name:
        raise InputError(f"speak_as = {quoted(speak_as)} must be a name, without a colon.")
    _refuse_look_alike(speak_as, name)
    meant = meant or [each.id for each in cast.looking_like(name)]
    if meant and speaker not in meant:
        raise InputError(
            f"speak_as = {quoted(speak_as)} is a name of {' and of '.join(meant)}: choose one that is free."
        )
    return None if meant else name


def _refuse_look_alike(given: str, name: str) -> None:
    """Raise `InputError` for a mask that a reader could take for another name, or for the world."""
    if character := invisible(name):
        raise InputError(
            f"speak_as = {quoted(given)} holds {character}, which is invisible: it would look like another name. "
            "Use visible characters only."
        )
    check_alias("speak_as =", name)
    if look(name) == WORLD:
        raise InputError(f"speak_as = {quoted(given)} is reserved for the world container. Choose another name.")


def update_text(description: str) -> str:
    """The text of an update or change, without our own block and a model's reasoning. Raises `InputError` if nothing
    is left."""
    told = as_said(text("description", description))
    if not told.strip(" \t\r\n."):
        raise InputError(f"description {description!r} is empty: there is nothing to tell. Say what happened.")
    return told


def refuse_newcomers(present: Iterable[str], settled: SettledMessage, joined: Mapping[str, int]) -> None:
    """Raise `InputError` if somebody named as present joined after the message. `joined` is id → sequence number."""
    for id in present:
        if joined.get(id, 0) > settled.message.sequence:
            raise InputError(
                f"{id!r} joined after message {settled.message.key!r}, and cannot have been present. Leave them out, "
                "and let somebody tell them in a message of its own."
            )


def refuse_revision(entry: Entry) -> None:
    """Raise `InputError` for an entry that cannot be retracted: an edit, a retraction, `archive` or `restore`."""
    match entry.body:
        case Revised(target=target):
            raise InputError(f"{entry.key!r} is itself a revision of {target!r}: give that key.")
        case Retracted(target=target):
            raise InputError(f"{entry.key!r} is itself a retraction of {target!r}: give that key.")
        case Archived(restore=restore):
            undo = "archive()" if restore else "restore()"
            raise InputError(f"{entry.key!r} cannot be retracted: call {undo} with its memories.")


def named_in(body: Body) -> tuple[str, ...]:
    """Ids of the characters who say, do or remember what the entry contains, or who the host says perceive it."""
    match body:
        case Said(speaker=speaker, present=present, audience=audience):
            return (speaker, *(present or ()), *(audience or ()))
        case Changed(moves=moves, channels=channels):
            return (*(id for id, _, _ in moves), *(id for each in channels for id in each.members))
        case Derived(derivation=derivation):
            return () if derivation.owner in {None, WORLD} else (str(derivation.owner),)
        case Transferred(teller=teller, listener=listener):
            return (teller, listener)
        case _:
            return ()


def known_channel(channel: Channel | None, context: Context | None) -> Channel:
    """The channel, from `channel` or from the shorthand `context`. Raises `InputError`."""
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
    for name in ("channel_id", "guild_id", "persona_id"):
        _refuse_unusable_id(name, getattr(channel, name))
    return channel


def _refuse_unusable_id(name: str, id: str | None) -> None:
    """Raise `InputError` for an id that may be taken for none, or for several in the keys that are made of ids."""
    if id is not None and (not id.strip() or "\n" in id):
        raise InputError(f"channel: {name} = {quoted(id)} must not be empty or hold a line break. `None` = no {name}.")


def some_channel(channel: Channel | None) -> Channel | None:
    """The channel, or none. Raises `InputError`."""
    return None if channel is None else known_channel(channel, None)


def refuse_place(place: str | None, channel: Channel) -> None:
    """Raise `InputError` for the place of a direct message."""
    if place is not None and channel.context == "dm":
        raise InputError(f"place = {place!r}: a direct message has no place. Leave `place` out, or use move().")


def gone(session: str) -> UnknownName:
    """The error for a call on a session that was forgotten."""
    return UnknownName(
        f"session {session!r} was forgotten: this handle cannot be used any more. "
        "Begin a new story with that id by calling session(), and use what that returns."
    )
