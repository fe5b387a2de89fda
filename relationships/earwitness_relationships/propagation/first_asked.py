"""Who was to be told of a message when strategies were first asked that answer later: kept until they have answered.

Whoever comes into the rules meanwhile is not told, also where the program is started anew, or another one goes on.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence

from pydantic import JsonValue

from earwitness import SharingEvent
from earwitness.records.character import Cast

from .hub_readers import HubReaders
from .records import HubTelling, Telling

FIRST_ASKED = "first asked:"
"""What keys of the rule's data begin with."""
IN_HUB = "hub "
"""What stands before the names of hubs and their readers among those who are told; no id has a blank."""


def listeners_of(tellings: Sequence[Telling], hubs: Sequence[HubTelling], readers: HubReaders) -> frozenset[str]:
    """The ids of those who are told, the names of hubs, and who reads it there."""
    read = [_in_hub(each.slug, id) for each in hubs for id in ("", *readers.of(each).ids)]
    return frozenset([*(each.listener for each in tellings), *read])


def in_cast(listeners: frozenset[str] | None, cast: Cast) -> tuple[str, ...] | None:
    """The ids in the cast of those who are told, or read it in a hub; `None` where nobody is known."""
    if not listeners:
        return None
    named = {each.rpartition(" ")[2] for each in listeners}
    return tuple(each.id for each in cast if not named.isdisjoint((each.id, each.personality_id)))


def without_new(
    tellings: Sequence[Telling], hubs: Sequence[HubTelling], readers: HubReaders, first: Collection[str]
) -> tuple[list[Telling], list[HubTelling]]:
    """What is told to those who were to be told `first`, and by nobody else who is told it now."""
    new = {each.listener for each in tellings}.difference(first)
    told = [each for each in tellings if new.isdisjoint((each.listener, each.teller))]
    there = ((each, tuple(by for by in each.tellings if by.teller not in new)) for each in hubs)
    return told, [_as_first(hub, by, readers, first) for hub, by in there if by and _in_hub(hub.slug) in first]


def _as_first(hub: HubTelling, by: tuple[Telling, ...], readers: HubReaders, first: Collection[str]) -> HubTelling:
    """What a hub is told by these, which none reads there who was not to be told first."""
    late = {id for id in readers.of(hub).ids if _in_hub(hub.slug, id) not in first}
    return hub.model_copy(update={"tellings": by, "apart": (*hub.apart, *sorted(late))})


def _in_hub(slug: str, reader: str = "") -> str:
    return f"{IN_HUB}{slug} {reader}"


def told_first(event: SharingEvent) -> frozenset[str] | None:
    """Who was to be told when this was first asked; `None` = it has not been asked."""
    kept = event.data.get(_name_of(event))
    listeners = kept.get("listeners") if isinstance(kept, dict) and kept.get("revision") == _revision(event) else None
    return frozenset(map(str, listeners)) if isinstance(listeners, list) else None


def keep(event: SharingEvent, listeners: Collection[str]) -> None:
    """Keep it."""
    message: dict[str, JsonValue] = {"message": event.message.message.key, "revision": _revision(event)}
    value: dict[str, JsonValue] = {**message, "day": event.day, "listeners": [*sorted(listeners)]}
    if event.data.get(_name_of(event)) != value:
        event.data[_name_of(event)] = value


def forget(event: SharingEvent) -> None:
    """It is answered."""
    event.data.pop(_name_of(event), None)


def kept_before(data: Mapping[str, JsonValue], day: float) -> Iterator[tuple[str, str]]:
    """What was asked before this day: key in the data, and key of the message."""
    for name, kept in data.items():
        if name.startswith(FIRST_ASKED) and isinstance(kept, dict):
            asked = kept.get("day")
            if isinstance(asked, int | float) and asked < day:
                yield name, str(kept.get("message"))


def _name_of(event: SharingEvent) -> str:
    """The same for a message that has reached the same."""
    return FIRST_ASKED + "\n".join([event.message.message.key, *sorted({each.owner for each in event.arrived})])


def _revision(event: SharingEvent) -> int:
    return event.message.message.revision
