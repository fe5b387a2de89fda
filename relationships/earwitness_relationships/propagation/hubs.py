"""Hubs: what all members of a large pantheon learn is one memory in `pantheon-{slug}`, and not a copy for each of them.

Whoever has a copy of their own, or perceived the message, does not read it there too. Several tellers are supports of
the one memory. The container is open to all, and `reads.HubGuard` lets nobody but members see what is in it.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from datetime import datetime

from earwitness import Derivation, SharingEvent
from earwitness.containers import EVERYBODY, pantheon_container
from earwitness.records.memory_types import FACT_ID, MetaValue

from ..said_alike import fact_id
from .hub_before import HubBefore
from .hub_readers import SAID_TIME, TOLD, HubReaders, when_written
from .lapsed import RulesOnArrival
from .personalities import Personalities
from .records import HubTelling, Telling

KNOWN_TO = "knownTo"
"""Metadata: personality ids of those who know it otherwise."""
TextOf = Mapping[str, str]
"""Personality id of a teller → what they say."""


def before_walk(event: SharingEvent, hubs: Iterable[HubTelling], readers: HubReaders) -> list[HubBefore]:
    """What has arrived in hubs by now."""
    arriving = {each.container for each in event.arrived}
    there = [each for each in hubs if each.tellings[0].day <= event.day]
    return [
        HubBefore(
            readers.of(each),
            tuple(_today(telling, event.day) for telling in each.tellings),
            each.text,
            pantheon_container(each.slug).name in arriving,
        )
        for each in there
    ]


def arrived_by_now(event: SharingEvent, hubs: Iterable[HubTelling], graph: int) -> Iterator[HubTelling]:
    """What hubs were told before, with what has just arrived marked as told on; `graph` is the version of the graph."""
    arriving = {each.container for each in event.arrived}
    for each in hubs:
        is_there = each.tellings[0].day <= event.day and pantheon_container(each.slug).name in arriving
        yield each.model_copy(update={"told_on_by_now": True, "arrived": graph}) if is_there else each


def still_told(hubs: Iterable[HubTelling], rules: RulesOnArrival, day: float) -> Iterator[HubTelling]:
    """What hubs were told before, without what should have arrived there and was struck."""
    for each in hubs:
        if each.told_on_by_now or each.tellings[0].day > day:
            yield each
            continue
        kept = [one for one in each.tellings if rules.hub_lapsed(one.teller, each.slug, one.rule) is None]
        if kept:
            yield each.model_copy(update={"tellings": tuple(kept)})


def _today(telling: Telling, day: float) -> Telling:
    return telling.model_copy(update={"day": day, "hub": False})


def on_their_way(hubs: Iterable[HubTelling], readers: HubReaders, day: float) -> dict[str, float]:
    """Who will read it in a hub after this day → the day."""
    found: dict[str, float] = {}
    for each in hubs:
        due = each.tellings[0].day
        if due > day:
            for id in readers.of(each):
                found[id] = min(due, found.get(id, due))
    return found


def without_sooner(hub: HubTelling, on_way: Mapping[str, float], readers: HubReaders) -> HubTelling:
    """What a hub is told, for all but those who will have read it in another hub by then."""
    day = hub.tellings[0].day
    if not (sooner := {id for id, due in on_way.items() if due <= day}):
        return hub
    there = sooner & readers.of(hub).ids
    found = [tuple(sorted({*given, *there})) for given in (hub.others, hub.earlier)]
    return hub.model_copy(update={"others": found[0], "earlier": found[1]})


def overtaken(hubs: Iterable[HubTelling], by_listener: Mapping[str, Telling], readers: HubReaders) -> Iterator[Telling]:
    """Tellings to those who would have heard of it later than their hub: they learn it sooner, as their own."""
    for each in hubs:
        members = readers.of(each).ids if by_listener else ()
        for id, telling in by_listener.items():
            if id in members and telling.day > each.tellings[0].day:
                yield from (one.model_copy(update={"listener": id, "hub": False}) for one in each.tellings)


def in_hub(
    event: SharingEvent, hub: HubTelling, people: Personalities, known: Collection[str], said: TextOf
) -> Iterator[Derivation]:
    """The memory in a hub, once for each teller. `known` are those who know it otherwise.

    Who has nothing to say tells nothing.
    """
    for each in hub.tellings:
        if text := said.get(each.teller):
            yield _in_hub(event, hub, each, people, text, sorted({*known, *hub.earlier, *hub.apart}))


def _in_hub(
    event: SharingEvent,
    hub: HubTelling,
    telling: Telling,
    people: Personalities,
    text: str,
    known: Sequence[str],
) -> Derivation:
    message = event.message.message
    container = pantheon_container(hub.slug)
    speaker = event.message.disguises.get(message.speaker) or event.cast.name_of(message.speaker)
    metadata: dict[str, MetaValue] = {
        "pantheonId": hub.slug,
        "hop": telling.hop,
        "strength": round(telling.strength, 6),
        "trust": telling.trust,
        "messageIds": [message.key],
        "revision": message.revision,
        KNOWN_TO: list(known),
        **({FACT_ID: fact} if (fact := fact_id(event, text, hub.slug, telling.how)) else {}),
        **_said_time(message.timestamp),
        **when_written(hub),
    }
    return Derivation(
        content=f"{speaker}: {text}",
        container=container.name,
        registers=container,
        admits=(EVERYBODY,),
        identity=identity_of(event, hub),
        type=TOLD,
        metadata=metadata,
        rests_on=(message.key,),
        rule=telling.rule,
        how=telling.how,
        shared_from=people.characters.get(telling.teller),
        trust=telling.trust,
        due=telling.day,
    )


def identity_of(event: SharingEvent, hub: HubTelling) -> str:
    """What all tellings of a message to a hub on one day have in common."""
    message = event.message.message
    return f"{message.key}-{message.revision}-{hub.told_on:g}"


def _said_time(timestamp: str) -> dict[str, MetaValue]:
    """When a message was said, unless its timestamp says no time."""
    with suppress(ValueError):
        return {SAID_TIME: datetime.fromisoformat(timestamp).timestamp()}
    return {}
