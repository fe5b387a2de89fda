"""How far the conversations of a story were closed, and what is left to tell. Pure."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from hashlib import blake2b
from typing import Any

from earwitness import Channel, SettledMessage
from earwitness.errors import InputError


@dataclass(frozen=True)
class Closing:
    """What closing a channel has to tell."""

    channel: Channel
    """The channel."""
    messages: Sequence[SettledMessage]
    """What was said there, oldest first."""
    is_new: bool
    """Whether it was not begun before. Otherwise it was broken off, or a line was edited or retracted since."""
    is_revised: bool = False
    """Whether it was told, and a line was edited or retracted since."""
    day: float | None = None
    """The game day on which it was closed; `None` = not noted."""

    @property
    def last(self) -> str:
        """Key of the last message."""
        return self.messages[-1].key

    def fact(self, last: str, day: float, *, told: bool, onward: Mapping[str, Any] | None = None) -> dict[str, Any]:
        """What the story notes of it, before and after it is told. `day` is the game day on which it was closed,
        `onward` what `onward.noted` says."""
        ids = {"channel": self.channel.channel_id, "guild": self.channel.guild_id, "persona": self.channel.persona_id}
        said = {"said": version_of(self.messages)} if told else {"begun": True}
        return {**ids, "context": self.channel.context, "last": last, "day": day, **said, **(onward or {})}


def digest(*parts: str) -> str:
    """A short text that is the same for the same parts."""
    joined = "\n".join(f"{len(each)} {each}" for each in parts)
    return blake2b(joined.encode("utf-8", "surrogatepass"), digest_size=13).hexdigest()


def channel_of(channel: Channel) -> Channel:
    """What makes a channel one: context, id and guild, and in a direct message the persona."""
    return channel if channel.context == "dm" else channel.model_copy(update={"persona_id": None})


def version_of(messages: Iterable[SettledMessage]) -> str:
    """Changes when one of these messages is edited or retracted."""
    return digest(*(f"{each.message.revision} {each.key}" for each in messages if not each.retracted))


def to_close(
    wanted: Channel | str | None, said: Sequence[SettledMessage], facts: Iterable[Mapping[str, Any]]
) -> list[tuple[str, Closing]]:
    """What is to be told of a channel, each with the key of its last message, retracted or not.

    `said` is everything that was said in channels with this id, `facts` what closings have noted. Raises `InputError`
    if there is something to tell of several channels with the id.
    """
    noted = [*facts]
    where = dict.fromkeys(channel_of(each.message.channel) for each in said)
    if isinstance(wanted, Channel):
        where = {each: None for each in where if each == channel_of(wanted)}
    found = {each: [*_of_channel(each, said, noted)] for each in where}
    left = {each: closings for each, closings in found.items() if closings}
    if len(left) > 1:
        id = wanted.channel_id if isinstance(wanted, Channel) else wanted
        listed = "; ".join(map(str, left))
        raise InputError(
            f"several channels have the id {id!r}: {listed}. Say which one: close_conversation(Channel(…))."
        )
    return next(iter(left.values()), [])


def revised(
    said: Sequence[SettledMessage], facts: Iterable[Mapping[str, Any]], lost: Collection[str] = ()
) -> Iterator[tuple[str, Closing]]:
    """What is to be told anew, because lines of it were edited or retracted since; as `to_close`, of all channels.
    `lost` are keys of messages of which somebody has lost their own copy."""
    noted = [*facts]
    for channel in dict.fromkeys(channel_of(each.message.channel) for each in said):
        yield from (each for each in _of_channel(channel, said, noted, lost) if each[1].is_revised)


def going_on(
    said: Sequence[SettledMessage], facts: Iterable[Mapping[str, Any]], lasts: Collection[str]
) -> Iterator[tuple[str, Closing]]:
    """What was closed with these last messages and reads as it did then, each with the key of the last message."""
    noted = [*facts]
    for channel in dict.fromkeys(channel_of(each.message.channel) for each in said):
        for last, closing in _of_channel(channel, said, noted, lasts):
            told = [each.get("said") for each in noted if each["last"] == last]
            if last in lasts and told[-1:] == [version_of(closing.messages)]:
                yield last, closing


def closed(said: Sequence[SettledMessage], facts: Iterable[Mapping[str, Any]]) -> Iterator[tuple[str, Closing]]:
    """All that was closed so far, each with the key of its last message, retracted or not; `said` is everything that
    was said."""
    noted = [*facts]
    for channel in dict.fromkeys(channel_of(each.message.channel) for each in said):
        for last, fact, standing in _parts(channel, said, noted):
            if fact is not None and standing:
                yield last, Closing(channel, standing, is_new=False, is_revised="said" in fact, day=fact.get("day"))


def _of_channel(
    channel: Channel,
    said: Sequence[SettledMessage],
    facts: Iterable[Mapping[str, Any]],
    lost: Collection[str] = (),
) -> Iterator[tuple[str, Closing]]:
    for last, fact, standing in _parts(channel, said, facts):
        if fact is None:
            yield last, Closing(channel, standing, is_new=True)
        elif standing and (_is_left(fact, standing) or any(each.key in lost for each in standing)):
            yield last, Closing(channel, standing, is_new=False, is_revised="said" in fact, day=fact.get("day"))


def _parts(
    channel: Channel, said: Sequence[SettledMessage], facts: Iterable[Mapping[str, Any]]
) -> Iterator[tuple[str, Mapping[str, Any] | None, Sequence[SettledMessage]]]:
    """Key of the last message of each part of a channel, what was noted of it last, and its messages; and what was said
    since, if anything was, of which nothing was noted."""
    sequences = {each.key: each.message.sequence for each in said}
    there = [each for each in said if channel_of(each.message.channel) == channel]
    noted = {str(each["last"]): each for each in facts if each["last"] in sequences and _is_of(each, channel)}
    after = -1
    for last in sorted(noted, key=lambda key: sequences[key]):
        part = [each for each in there if after < each.message.sequence <= sequences[last]]
        after = sequences[last]
        yield last, noted[last], tuple(each for each in part if not each.retracted)
    rest = tuple(each for each in there if each.message.sequence > after and not each.retracted)
    if rest:
        yield rest[-1].key, None, rest


def _is_of(fact: Mapping[str, Any], channel: Channel) -> bool:
    """Whether a closing was of a channel. Before 2026-11-23, it was of all channels with the id."""
    if fact.get("channel") != channel.channel_id:
        return False
    own = (channel.context, channel.guild_id, channel.persona_id)
    return "context" not in fact or (fact["context"], fact.get("guild"), fact.get("persona")) == own


def _is_left(fact: Mapping[str, Any], standing: Sequence[SettledMessage]) -> bool:
    return "begun" in fact or ("said" in fact and fact["said"] != version_of(standing))
