"""The host's word on who is there: it holds before a message is judged, and says who could perceive any of it. Pure.

A message with `present` puts those it names at the place where it is said, and takes everybody else away from there.
Nobody moves in a direct message, nor in a channel that has members and no place.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import partial
from itertools import compress
from operator import eq
from typing import Literal

from ..records.channel import StandingChannel
from ..records.many import AlikeRecords, Many
from ..records.message import Message
from ..records.moment import Moment, Movement, Perceived, Presence
from ..records.state import PERCEIVES_NOTHING, State, Whereabouts
from ..shared_values import chosen, having, made_of, without
from ..slices import MANY
from .whereabouts import folded

HOST = "the host said so"
_LEAVES = Movement(character="", kind="leave", evidence=HOST, certain=True)
_ENTERS = Movement(character="", kind="enter", evidence=HOST, certain=True)
UNHEARD = ("absent", "mentioned")
"""Roles of characters who are not there, by the detector's word."""


def as_host_says(moment: Moment) -> tuple[Moment, Sequence[Movement]]:
    """The moment with everybody where the host says, and the movements that bring this about for good."""
    message, state = moment.message, moment.state
    is_placed = message.present is not None or moment.placed
    moves = _moves(moment) if is_placed and message.channel.context != "dm" else ()
    if not moves:
        return moment, ()
    whereabouts = folded(state.whereabouts, moves, state.current_scene, message.sequence)
    seen = moment.model_copy(update={"state": state.model_copy(update={"whereabouts": whereabouts})})
    return seen, () if state.moves_nobody(message.channel) else moves


def _moves(moment: Moment) -> Sequence[Movement]:
    message, places, cast = moment.message, moment.whereabouts, moment.cast
    known, narrators = cast.by_id, cast.narrators
    named = dict.fromkeys((*_speaking(moment), *(message.present or ())))
    is_plain = named.keys() <= known.keys() and narrators.isdisjoint(named)
    there = list(named) if is_plain else [id for id in named if id in known and id not in narrators]
    others = without(known, named.keys() | narrators) if message.present is not None else ()
    arrival, is_there = partial(_arrival, moment=moment), partial(_is_or_may_be_there, moment=moment)
    carried = Movement(character="", kind="move", place=message.scene, evidence=HOST, certain=True)
    ways = {"enter": _ENTERS, "move": carried}
    coming = made_of(map(places.get, there), arrival)
    going = chosen(others, map(places.get, others), is_there)
    if len(there) + len(going) <= MANY:
        arriving = [_like(ways[way], id) for id, way in zip(there, coming, strict=True) if way is not None]
        return (*arriving, *[_like(_LEAVES, id) for id in going])
    groups = [(way, [*compress(there, map(partial(eq, kind), coming))]) for kind, way in ways.items() if kind in coming]
    return Many(AlikeRecords(ids, partial(_like, way)) for way, ids in (*groups, (_LEAVES, going)))


def _like(movement: Movement, id: str) -> Movement:
    """The movement of another character. It is not validated again: thousands may make it at once."""
    return Movement.unchecked({**movement.__dict__, "character": id})


def _speaking(moment: Moment) -> tuple[str, ...]:
    """The speaker, who is where the message is said, unless on a call."""
    where = moment.whereabouts.get(moment.message.speaker)
    return () if where is not None and where.condition == "on_call" else (moment.message.speaker,)


def _arrival(where: Whereabouts | None, moment: Moment) -> Literal["enter", "move"] | None:
    """How somebody comes to be there, if they are not; those who sleep are carried there, and sleep on."""
    scene, current = moment.message.scene, moment.state.current_scene
    asleep = where is not None and where.condition in PERCEIVES_NOTHING
    if where is not None and where.place == scene and (asleep or scene != current):
        return None
    if scene != current or asleep:
        return "move"
    return "enter" if where is None or not (where.here and where.certain) else None


def _is_or_may_be_there(where: Whereabouts | None, moment: Moment) -> bool:
    if where is None or where.place == moment.message.scene:
        return True
    return where.here and moment.message.scene == moment.state.current_scene


def seated(channel: StandingChannel, state: State) -> Iterator[tuple[str, Literal["leave", "move"], str | None]]:
    """The movements by which the new members of a channel come to its place, and former ones leave it."""
    before = state.channel(channel)
    known = dict.fromkeys(before.members if before is not None and before.place == channel.place else ())
    members = frozenset(channel.members)
    for id in channel.members if channel.place else ():
        if id not in known:
            yield id, "move", channel.place
    for id in known if channel.place else ():
        where = state.whereabouts.get(id)
        if id not in members and where is not None and where.place == channel.place:
            yield id, "leave", None


def with_those_there(presence: Presence, moment: Moment) -> Presence:
    """A detector's answer, limited to those who are there. Whom it takes to be away perceives what is said openly.

    Whom it takes to be there and shut out, as from a whisper, stays shut out. Who is on a call, or in a place from
    where a shout is heard, is not there, and may perceive it all the same.
    """
    message, named = moment.message, moment.message.present or ()
    sleepers, believed = _sleepers(moment), presence.characters
    there = {message.speaker, *filter(moment.cast.by_id.__contains__, named)}.difference(sleepers - {message.speaker})
    if beyond := without(believed, there):
        arriving = {move.character for move in presence.movements if move.kind != "become"}
        deaf = {id for id in beyond if id in arriving or not _hears_from_afar(id, moment)}
        believed = {id: who for id, who in believed.items() if id not in deaf}
    unheard = chosen(named, map(believed.get, named), lambda who: who is None or who.role in UNHEARD)
    away = [id for id in unheard if id in there]
    return presence.model_copy(update={"characters": believed | dict.fromkeys(away, _open_to(message))})


def _sleepers(moment: Moment) -> frozenset[str]:
    """Ids of those who perceive nothing. A direct message reaches sleepers too."""
    if moment.message.channel.context == "dm":
        return frozenset()
    places = moment.whereabouts
    return frozenset(having(places, places.values(), "condition", PERCEIVES_NOTHING))


def _hears_from_afar(id: str, moment: Moment) -> bool:
    where = moment.whereabouts.get(id)
    if where is None or moment.state.moves_nobody(moment.message.channel):
        return False
    elsewhere = where.place is not None and where.place != moment.message.scene and not where.here
    return elsewhere or where.condition == "on_call"


def _open_to(message: Message) -> Perceived:
    """What is believed of somebody who is there by the host's word alone."""
    alone = message.channel.context == "dm" and len({*(message.present or ())} - {message.speaker}) == 1
    return Perceived(probability=1, role="addressee" if alone else "present", evidence=(HOST,))
