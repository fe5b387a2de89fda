"""What characters tell each other of a conversation, and what they have of it then. Pure."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace

from earwitness.sentences import sentences

from .personalities import Personalities
from .records import Telling


@dataclass(frozen=True)
class Talk:
    """What one character tells another of a conversation."""

    telling: Telling
    """The first telling of it."""
    keys: tuple[str, ...] = ()
    """Keys of the messages that it is about."""
    most: int | None = None
    """The most that the listener may be told on a day, if the rule says so."""
    is_told: bool = False
    """Whether it was told before, if at all."""


@dataclass(frozen=True)
class HeldMemory:
    """A summary that a character can tell."""

    memory: str
    """Id of the memory."""
    text: str
    """What it says."""
    lines: Mapping[str, str]
    """Keys of the messages that it is about → what it says of each; empty if it says nothing of it."""
    day: float
    """The first game day on which the character knows it."""


Held = dict[str, list[HeldMemory]]
"""Character id → the summaries that they can tell."""


TalkKey = tuple[str, str, bool, float]


def pair(telling: Telling) -> TalkKey:
    """Who is told by whom, whether at first hand, and on which day.

    What somebody perceived and what they were told stay apart.
    """
    return telling.listener, telling.teller, telling.hop == 1, telling.day


def talks_of(
    tellings: Mapping[str, Sequence[Telling]], most: Mapping[str, int], *, is_told: bool = False
) -> list[Talk]:
    """Who tells whom of which messages, tellers before those whom they tell."""
    talks: dict[TalkKey, Talk] = {}
    for key, of_message in tellings.items():
        for each in of_message:
            known = talks.get(pair(each), Talk(each, (), most.get(each.listener), is_told))
            talks[pair(each)] = replace(known, keys=(*known.keys, key))
    return sorted(talks.values(), key=lambda each: (each.telling.day, each.telling.hop, *pair(each.telling)))


def those_who_have_it(
    tellings: Iterable[Telling], key: str, held: Held, people: Personalities, today: float
) -> list[Telling]:
    """The tellings of a message without those that did not arrive: that were struck, or not worth it."""
    return [
        each
        for each in tellings
        if each.day > today or any(key in one.lines for one in held.get(people.characters.get(each.listener, ""), ()))
    ]


def one_for_each_listener(tellings: Iterable[Telling], talks: Collection[TalkKey]) -> list[Telling]:
    """One telling of a message for each listener: by whoever tells them something already, else the first. It goes on
    as far as one of them allows."""
    found: dict[str, Telling] = {}
    farthest: dict[str, int] = {}
    for each in tellings:
        first = found.setdefault(each.listener, each)
        farthest[each.listener] = max(each.max_hops, farthest.get(each.listener, 0))
        if pair(first) not in talks and pair(each) in talks:
            found[each.listener] = each
    return [each.model_copy(update={"max_hops": farthest[id]}) for id, each in found.items()]


def as_listener_has_it(held: HeldMemory, memory: str, text: str, day: float) -> HeldMemory:
    """What a listener holds of what they were told; other words are kept as far as they are the teller's."""
    if text == held.text:
        return HeldMemory(memory, text, held.lines, day)
    return HeldMemory(memory, text, {key: said_in(text, line) for key, line in held.lines.items()}, day)


def said_in(text: str, line: str) -> str:
    """The part of a line that a summary has."""
    return line if line in text else " ".join(each for each in sentences(line) if each in text)
