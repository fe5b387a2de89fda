"""What a preview asks: how a message would go on in the days ahead, and who would not be told, and why. Pure."""

from __future__ import annotations

from collections.abc import Iterator

from earwitness.records.prose import number
from earwitness.records.stop import Stopped

from ..compiled.adjacency import Adjacency
from .personalities import Personalities
from .records import Seed, Spread, Stop
from .walk import HeardOn, spread

NOBODY_NAMES = "no rule tells them"
LATER = "only on day {day}, later than asked"


def foreseen(adjacency: Adjacency, seed: Seed, heard: HeardOn | None, people: Personalities, days: float) -> Spread:
    """The spread of a message if nothing else happened: rules, graph and flags stay as they are.

    Those tell it on who know it within so many days.
    """
    return spread(adjacency, seed, until=seed.day + days, heard=heard, among=people.characters)


def told_later(
    adjacency: Adjacency, seed: Seed, heard: HeardOn | None, people: Personalities, found: Spread
) -> Iterator[Stop]:
    """Those who would be told after the days ahead, and by whom."""
    told = {each.listener for each in found.tellings} | {each.listener for each in found.stops}
    if told.issuperset(people.characters):
        return
    for each in spread(adjacency, seed, heard=heard, among=people.characters).tellings:
        if each.listener not in told:
            told.add(each.listener)
            why = LATER.format(day=number(each.day))
            yield Stop(listener=each.listener, teller=each.teller, rule=each.rule, why=why)


def stops_of(found: Spread, people: Personalities) -> tuple[Stopped, ...]:
    """Everybody in the cast who would not be told, with what stopped it."""
    named = [
        Stopped(
            character=people.characters[each.listener],
            shared_from=people.characters.get(each.teller),
            rule=each.rule,
            reason=each.why,
        )
        for each in found.stops
        if each.listener in people.characters
    ]
    return (*named, *_unnamed(found, people, {each.character for each in named}))


def _unnamed(found: Spread, people: Personalities, stopped: set[str]) -> Iterator[Stopped]:
    """Those whom no rule names, and who do not perceive it."""
    listeners = {people.characters.get(each.listener) for each in found.tellings}
    for member in people.cast:
        if member.kind != "narrator" and member.id not in stopped | listeners:
            yield Stopped(character=member.id, reason=NOBODY_NAMES)
