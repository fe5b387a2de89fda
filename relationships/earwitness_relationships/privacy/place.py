"""Where somebody asks, and the filter for what may be read there. Pure; cached by place and table.

A memory without a context counts as learned in a private channel. No channel id is the one unnamed channel of its
session; no guild or persona is equal to none. Where nobody names a persona, what was not public is of the same persona
in its own channel alone: two users' direct messages have two ids. A context that is not a context is read nowhere.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import NamedTuple

from earwitness.filters import EVERYTHING, NOTHING, And, Compare, Filter, In, Not, Or, equals
from earwitness.records.channel import Context

from ..settings import Bond
from .table import CONTEXTS, PrivacyTable

PERMANENT = equals("permanent", True)


class Loosening(NamedTuple):
    """What a persona's user allows beyond the table."""

    persona: str
    """Persona id: it applies to what was learned under this persona."""
    learned: Context
    """The context it was learned in."""
    asked: Context
    """The context in which it may be known."""
    sayable: bool = False
    """Whether it may be said there, too."""


@dataclass(frozen=True, slots=True)
class Place:
    """Where somebody asks."""

    session: str
    """Session id."""
    context: Context
    """A direct message, a private channel or a public one."""
    channel_id: str | None = None
    """The host's id of the channel; `None` = the unnamed channel of the session."""
    guild_id: str | None = None
    """The host's id of the guild; `None` = outside any guild."""
    persona_id: str | None = None
    """The persona that is spoken to; `None` = none."""
    characters: tuple[str, ...] = ()
    """Ids of the characters in this session who are that persona."""
    alone: bool = False
    """Whether it is the unnamed private channel of a story that only this persona plays."""


@lru_cache(maxsize=4096)
def readable(table: PrivacyTable, place: Place, loosenings: tuple[Loosening, ...] = ()) -> Filter:
    """The filter for what may be read at a place: what is permanent, and what the table or a loosening allows.

    What was learned in the context asked in comes first, since most memories were.
    """
    contexts = sorted(CONTEXTS, key=lambda each: each != place.context)
    possible = [each for each in contexts if all(table.needs(each, place.context))]
    learned = [_all((_learned_in(each), *_common(table, each, place))) for each in possible]
    return Or((*learned, PERMANENT, *(_loosened(each) for each in loosenings if each.asked == place.context)))


@lru_cache(maxsize=4096)
def indiscreet(place: Place, ways: tuple[str, ...], loosenings: tuple[Loosening, ...] = ()) -> Filter:
    """The filter for what may be known at a place, but not said: in public, what a character came to know in one of
    these `ways`; anywhere, what a loosening allows to be known only."""
    hearsay = (In("interactionType", ways),) if ways and place.context == "public_channel" else ()
    known = [_loosened(each) for each in loosenings if each.asked == place.context and not each.sayable]
    parts = (*hearsay, *known)
    return And((Not(PERMANENT), Or(parts))) if parts else NOTHING


def _loosened(loosening: Loosening) -> Filter:
    return And((_learned_in(loosening.learned), equals("personaId", loosening.persona)))


def _learned_in(context: Context) -> Filter:
    known = equals("contextType", context)
    return Or((known, missing("contextType"))) if context == "private_channel" else known


def _common(table: PrivacyTable, learned: Context, place: Place) -> Sequence[Filter]:
    return [_any([_bond(each, learned, place) for each in need]) for need in table.needs(learned, place.context)]


def _all(parts: Iterable[Filter]) -> Filter:
    """The AND of all parts, in one level: a filter is asked of every memory that is found."""
    return And(tuple(part for each in parts for part in (each.parts if isinstance(each, And) else (each,))))


def _any(parts: Sequence[Filter]) -> Filter:
    return parts[0] if len(parts) == 1 else Or(tuple(parts))


def _bond(bond: Bond, learned: Context, place: Place) -> Filter:
    match bond:
        case "same_channel":
            return _same_channel(place)
        case "same_guild":
            return _same("guildId", place.guild_id)
        case "same_persona":
            return _same_persona(learned, place)
        case "was_there":
            return _was_there(place)


def _same_channel(place: Place) -> And:
    """Channel ids are unique in their guild. The unnamed channel is one of its session."""
    guild = _same("guildId", place.guild_id)
    if place.channel_id is not None:
        return And((equals("channelId", place.channel_id), guild))
    return And((missing("channelId"), guild, EVERYTHING if place.alone else _of(place.session)))


def _same_persona(learned: Context, place: Place) -> Filter:
    """Nobody knows who is in a place that names no persona: if it is not public, its channel says who."""
    same = _same("personaId", place.persona_id)
    if place.persona_id is not None or learned == "public_channel":
        return same
    is_another = place.channel_id is not None and learned != place.context
    return NOTHING if is_another else And((same, *_same_channel(place).parts))


def _was_there(place: Place) -> Filter:
    there = () if place.persona_id is None else (equals("personaId", place.persona_id),)
    named = (And((In("participants", place.characters), _of(place.session))),) if place.characters else ()
    return Or((*there, *named))


def _of(session: str) -> Filter:
    """Memories of this session. Only those of containers beyond sessions say which session they are of."""
    return Not(Compare("sessionId", "!=", session))


def _same(field: str, id: str | None) -> Filter:
    return missing(field) if id is None else equals(field, id)


def missing(field: str) -> Filter:
    """The filter for memories that have no text in this field."""
    return Not(Compare(field, "!=", ""))
