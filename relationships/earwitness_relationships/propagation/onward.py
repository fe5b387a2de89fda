"""How far summaries have been told on, and by whom they are told on next: each hop by the rules of its day. Pure."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from math import inf
from typing import Any

from earwitness import SettledMessage, State

from ..compiled.adjacency import Adjacency
from .personalities import Personalities
from .records import Seed, Telling
from .seeds import seed_of_settled
from .talks import TalkKey, one_for_each_listener, pair
from .walk import Walk

THROUGH, TELLINGS, MORE = "through", "tellings", "more"
TellingsOf = dict[str, list[Telling]]
"""Key of a message → who is told of it, and how; one telling for each listener."""


def noted(tellings: Mapping[str, Sequence[Telling]], today: float, *, more: bool = False) -> dict[str, Any]:
    """What a story notes of tellings, for those that arrive after today; those alike are noted once. `more` = besides
    those that it has noted."""
    alike: dict[str, tuple[Telling, list[str]]] = {}
    for key, of_message in tellings.items():
        for each in of_message:
            alike.setdefault(each.model_dump_json(), (each, []))[1].append(key)
    kept = [[each.model_dump(mode="json", exclude_defaults=True), keys] for each, keys in alike.values()]
    return {THROUGH: today, TELLINGS: kept, MORE: more}


def is_on_its_way(tellings: Mapping[str, Sequence[Telling]], today: float) -> bool:
    """Whether something arrives after today."""
    return any(each.day > today for of_message in tellings.values() for each in of_message)


def waiting(facts: Iterable[Mapping[str, Any]], today: float) -> dict[str, float]:
    """The last messages of closings of which something has arrived by today → the day through which they were told."""
    through: dict[str, float] = {}
    days: dict[str, list[float]] = {}
    for each in facts:
        kept = days.get(each["last"], []) if each.get(MORE) else []
        days[each["last"]] = [*kept, *(telling["day"] for telling, _ in each.get(TELLINGS, ()))]
        through[each["last"]] = each.get(THROUGH, today)
    return {last: day for last, day in through.items() if any(day < each <= today for each in days[last])}


def tellings_noted(facts: Iterable[Mapping[str, Any]], last: str) -> TellingsOf:
    """What was noted of a closing since it was told last."""
    found: TellingsOf = {}
    for fact in facts:
        if fact["last"] == last:
            found = found if fact.get(MORE) else {}
            for telling, keys in fact.get(TELLINGS, ()):
                for key in keys:
                    found.setdefault(key, []).append(Telling.model_validate(telling))
    return found


def told_first(
    adjacency: Adjacency,
    messages: Iterable[SettledMessage],
    state: State,
    people: Personalities,
    day: float,
    until: float | None = None,
    *,
    walking: Callable[..., Walk] = Walk,
) -> tuple[TellingsOf, dict[str, int]]:
    """Who is told of which messages of a conversation that is closed, or is to be told later; and the most that each of
    them may be told on a day.

    What is told anew, because a line was edited or retracted, is told by the rules of the day it was closed on, and
    today at the earliest. Those tell it on who know it `until` a day; `None` = today. `walking` makes the walks.
    """
    found, most, pairs, today = TellingsOf(), dict[str, int](), set[TalkKey](), state.game_day
    for message in messages:
        seed = seed_of_settled(message, state, people).model_copy(update={"day": day})
        last = today if until is None else until
        walk = walking(adjacency, seed, until=last, among=people.characters, when="conversation")
        walk.run()
        most = {**walk.most_on_a_day(), **most}
        found[message.key] = one_for_each_listener((_from_day(each, today) for each in walk.tellings()), pairs)
        pairs.update(map(pair, found[message.key]))
    return found, most


def _from_day(telling: Telling, today: float) -> Telling:
    return telling if telling.day >= today else telling.model_copy(update={"day": today})


def told_next(
    adjacency: Adjacency,
    message: SettledMessage,
    state: State,
    people: Personalities,
    tellings: Sequence[Telling],
    day: float,
) -> tuple[list[Telling], dict[str, int]]:
    """Whom those tell on a day who have been told on it, by that day's rules and relations; and the most that each of
    them may be told on a day.

    `tellings` are those of the message so far, without what did not arrive.
    """
    walk = Walk(
        adjacency, _seed(message, state, people, tellings, day), until=day, among=people.characters, when="conversation"
    )
    walk.run()
    known = {each.listener: each.day for each in tellings}
    told = _first_of_each(walk.tellings())
    return [each for each in told if each.day < known.get(each.listener, inf)], walk.most_on_a_day()


def _seed(
    message: SettledMessage, state: State, people: Personalities, tellings: Sequence[Telling], day: float
) -> Seed:
    know = [each.listener for each in tellings if each.day <= day]
    heard = tuple(dict.fromkeys([*people.of(message.participants), *know]))
    arrived = tuple(each for each in tellings if each.day == day)
    fields = {"day": day, "direct": {}, "heard": heard, "arrived": arrived}
    return seed_of_settled(message, state, people).model_copy(update=fields)


def _first_of_each(tellings: Iterable[Telling]) -> list[Telling]:
    """The first telling of each listener, with the most hops that one of the tellings allows."""
    first: dict[str, Telling] = {}
    for each in tellings:
        known = first.setdefault(each.listener, each)
        if each.max_hops > known.max_hops:
            first[each.listener] = known.model_copy(update={"max_hops": each.max_hops})
    return [*first.values()]
