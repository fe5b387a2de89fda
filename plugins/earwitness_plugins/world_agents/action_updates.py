"""What follows from actions: updates of who has what now, and whom a deed concerns. Pure."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Sequence
from functools import lru_cache

from earwitness.patterns import lazy_pattern
from earwitness.records.character import Cast
from earwitness.records.moment import Moment, Presence
from earwitness.records.plan import Delivery
from earwitness.records.update import Update

from .action_words import BOUNDARIES, DETERMINERS
from .actions import Action, Thing

ITEM_UPDATES = {"acquired": "item_acquired", "lost": "item_lost", "given": "item_given"}
"""What becomes of a thing → `update_type`."""
MOST_UPDATES = 4
"""So many updates one message brings about at most."""
SHORTEST_NOUN = 3
_WORD = lazy_pattern(r"[^\W_]+")


def sentence(action: Action, cast: Cast) -> str:
    """`Bob picked up the map`, `Alice handed the map to Bob`, `Bob kissed Alice`."""
    told = [cast[action.actor].name, action.past]
    if action.thing:
        told.append(action.thing.words)
    if action.person and action.effect in ("acquired", "given"):
        told.append("to" if action.effect == "given" else "from")
    if action.person and not (action.effect == "deed" and action.thing):
        told.append(cast[action.person].name)
    return " ".join(told)


@lru_cache(maxsize=64)
def nouns(quest: str | None) -> frozenset[str]:
    """The words of a quest that may name what is sought, in small letters."""
    words = {word.casefold() for word in _WORD.findall(quest or "") if len(word) >= SHORTEST_NOUN}
    return frozenset(words - DETERMINERS - BOUNDARIES)


# ── who has what now ────────────────────────────────────────────────────────────────────────────────────────────────


def item_updates(
    done: Iterable[Action], moment: Moment, presence: Presence, there: Collection[str]
) -> Iterator[Update]:
    """An update for each thing that was picked up, handed over or lost by and to those who are `there`."""
    items = [action for action in done if action.effect in ITEM_UPDATES and _are_there(action, there)]
    for action in items[:MOST_UPDATES]:
        hidden = _hidden_from(action, moment, presence)
        if hidden is not None:
            yield _update(action, moment.cast, hidden)


def _are_there(action: Action, there: Collection[str]) -> bool:
    return action.actor in there and (action.effect != "given" or action.person in there)


def _update(action: Action, cast: Cast, hidden: tuple[str, ...]) -> Update:
    given = action.effect == "given"
    owner = action.thing.owner if action.thing else None
    character, source = (action.person, action.actor) if given else (action.actor, action.person or owner)
    metadata = {"item": action.thing.name if action.thing else None, "from": source if source != character else None}
    return Update(
        description=sentence(action, cast),
        type="character_update",
        update_type=ITEM_UPDATES[action.effect],
        character=character,
        hidden_from=hidden,
        metadata={key: value for key, value in metadata.items() if value},
    )


def _hidden_from(action: Action, moment: Moment, presence: Presence) -> tuple[str, ...] | None:
    """Ids of those who do not see it although they may hear the rest; `None` where it is not done openly."""
    if moment.message.audience is not None or not presence.segments:
        return ()
    told = next((each for each in presence.segments if action.text.strip() in each.text), None)
    if told is None or told.kind not in ("action", "spoken"):
        return None
    if told.audience is None:
        return ()
    seen = {*told.audience, moment.message.speaker}
    return tuple(id for id in moment.cast.ids if id not in seen)


# ── whom a deed concerns ────────────────────────────────────────────────────────────────────────────────────────────


def is_done_to(action: Action, id: str, quest: frozenset[str]) -> bool:
    """Whether another has done it to this character, to something said to be theirs, or to what everybody seeks."""
    if action.actor == id:
        return False
    owner = action.thing.owner if action.thing else None
    return id in (action.person, owner) or (action.thing is not None and _is_among(action.thing, quest))


def owns(id: str, thing: Thing, updates: Sequence[Delivery]) -> bool:
    """Whether the last of these updates that says who has the thing says that this character has it."""
    for update in reversed(updates):
        kind = update.metadata.get("updateType")
        if kind in ITEM_UPDATES.values() and _is_among(thing, frozenset(_words(update.body))):
            return kind != "item_lost" and update.metadata.get("characterId") == id
    return False


def _is_among(thing: Thing, words: frozenset[str]) -> bool:
    named = [word for word in _words(thing.name) if word not in DETERMINERS | BOUNDARIES and word != "of"]
    return bool(named) and words.issuperset(named)


def _words(text: str) -> list[str]:
    return [word.casefold() for word in _WORD.findall(text)]
