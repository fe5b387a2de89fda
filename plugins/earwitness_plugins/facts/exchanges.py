"""What a model is shown of the talk: for each set of listeners, what all of them heard alike, in one channel. Pure.

So nothing that one of them did not hear can get into what the others keep, however a model mixes it.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from earwitness import SettledMessage
from earwitness.records.character import Cast

MOST_LISTENERS = 100
"""What more than so many hear is left out."""


@dataclass(frozen=True, slots=True)
class HeardLine:
    """What the listeners of an exchange heard of one message."""

    message: SettledMessage
    """The message."""
    text: str
    """What they all heard of it, without thoughts."""
    ground: str
    """Id of the memory that stands for the message as it read then: an edit takes it away."""


@dataclass(frozen=True, slots=True)
class HeardExchange:
    """Messages that the same listeners heard alike, in one channel."""

    present: frozenset[str]
    """Ids of those who heard them, speakers included."""
    lines: tuple[HeardLine, ...]
    """What they heard, oldest first."""

    @property
    def channel(self) -> dict[str, object]:
        """Metadata of the one channel of all of it."""
        return dict(self.lines[0].message.message.channel.metadata)

    def listeners(self, line: HeardLine) -> tuple[str, ...]:
        """Ids of those who may keep what is said in a line: not its speaker."""
        return tuple(sorted(self.present - {line.message.speaker}))


def exchanges(
    messages: Iterable[SettledMessage], cast: Cast, grounds: Mapping[str, str | None]
) -> Sequence[HeardExchange]:
    """The messages by who heard what. What is said in disguise, by a narrator, or to nobody is left out, and so is what
    too many hear, or what has no ground any more: `grounds` are the ids of memories by key."""
    found: dict[tuple[frozenset[str], str], list[HeardLine]] = {}
    for each in messages:
        speaker = cast.resolve(each.speaker)
        ground = grounds.get(each.key)
        if ground is None or each.retracted or each.disguises or speaker is None or speaker.kind == "narrator":
            continue
        for text, listeners in _heard_alike(each.as_tellable(), cast).items():
            if len(listeners) > MOST_LISTENERS:
                continue
            group = frozenset({*listeners, each.speaker})
            found.setdefault((group, repr(each.message.channel)), []).append(HeardLine(each, text, ground))
    return [HeardExchange(group, tuple(lines)) for (group, _), lines in found.items()]


def _heard_alike(message: SettledMessage, cast: Cast) -> dict[str, list[str]]:
    """Text → ids of those besides the speaker who heard exactly that."""
    found: dict[str, list[str]] = {}
    for id in message.participants:
        if id != message.speaker and id in cast and (text := message.heard_by(id).strip()):
            found.setdefault(text, []).append(id)
    return found
