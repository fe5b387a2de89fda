"""Hubs: what all members of a large pantheon learn is one memory in `pantheon-{slug}`, and not a copy for each of them.

Whoever has a copy of their own, or perceived the message, does not read it there too. The container is open to all, and
`reads.HubGuard` lets nobody but members see what is in it.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping

from earwitness import Derivation, SharingEvent
from earwitness.containers import EVERYBODY, pantheon_container
from earwitness.records.memory_types import MetaValue

from .personalities import Personalities
from .records import Telling

TOLD = "told"
"""The type of what is read in a hub."""
KNOWN_TO = "knownTo"
"""Metadata: personality ids of those who know it otherwise."""
TOLD_ON = "toldOn"
"""Metadata: the game day on which it was told. It may arrive later."""


def apart(tellings: Iterable[Telling]) -> tuple[list[Telling], list[Telling]]:
    """The tellings that are copied, and those that are read in a hub. Who receives any copy reads nothing there."""
    every = list(tellings)
    copied = {each.listener for each in every if not each.hub}
    return [each for each in every if not each.hub], [each for each in every if each.listener not in copied]


def in_hubs(
    event: SharingEvent,
    tellings: Iterable[Telling],
    people: Personalities,
    known: Collection[str],
    told: Mapping[str, str],
) -> Iterator[Derivation]:
    """One memory for each pantheon, day and rule. `known` are those who know it otherwise.

    `told` has what each character who knows of the message can tell; nobody else tells anything.
    """
    first: dict[tuple[str | None, float, str], Telling] = {}
    for each in sorted(tellings, key=lambda each: (each.day, each.hop, -each.strength, each.teller)):
        first.setdefault((each.pantheon, each.day, each.rule), each)
    for each in first.values():
        if each.pantheon is not None and (text := told.get(people.characters.get(each.teller, ""))):
            yield _in_hub(event, each, people, text, known)


def _in_hub(
    event: SharingEvent, telling: Telling, people: Personalities, text: str, known: Collection[str]
) -> Derivation:
    slug, message = str(telling.pantheon), event.message.message
    container = pantheon_container(slug)
    speaker = event.message.disguises.get(message.speaker) or event.cast[message.speaker].name
    metadata: dict[str, MetaValue] = {
        "pantheonId": slug,
        "hop": telling.hop,
        "strength": round(telling.strength, 6),
        "messageIds": [message.key],
        KNOWN_TO: sorted(known),
        TOLD_ON: event.day,
    }
    return Derivation(
        content=f"{speaker}: {text}",
        container=container.name,
        registers=container,
        admits=(EVERYBODY,),
        type=TOLD,
        metadata=metadata,
        rests_on=(message.key,),
        rule=telling.rule,
        how=telling.how,
        shared_from=people.characters.get(telling.teller),
        trust=telling.trust,
        due=telling.day,
    )
