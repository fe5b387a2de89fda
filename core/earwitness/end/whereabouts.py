"""The state after a message, and movements folded into everyone's whereabouts. Pure."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from functools import partial

from ..places import normal
from ..records.many import AlikeRecords, parts_of
from ..records.message import SettledMessage
from ..records.moment import Movement
from ..records.state import PERCEIVES_NOTHING, Condition, State, Whereabouts
from ..shared_values import made_of

WhereaboutsById = Mapping[str, Whereabouts]


def state_after(
    state: State, settled: SettledMessage, movements: Iterable[Movement], sequence: int, *, in_turn: bool = False
) -> State:
    """The state once a message is settled: who perceived it, how many messages there were, and where everyone is."""
    return state.model_copy(
        update={
            "last_perceivers": tuple(settled.participants),
            "message_count": state.message_count + 1,
            "turn_count": state.turn_count + in_turn,
            "whereabouts": folded(state.whereabouts, movements, state.current_scene, sequence),
        }
    )


def folded(places: WhereaboutsById, movements: Iterable[Movement], scene: str, sequence: int) -> dict[str, Whereabouts]:
    """Everyone's whereabouts after the movements, in order, as of journal entry `sequence` in `scene`."""
    after, destinations = dict(places), _Destinations(scene, sequence)
    for part in parts_of(movements):
        if isinstance(part, AlikeRecords):  # thousands come or go at once
            after.update(
                zip(part.ids, made_of(map(after.get, part.ids), partial(destinations.by, part[0])), strict=True)
            )
            continue
        for movement in part:
            after[movement.character] = destinations.by(movement, after.get(movement.character))
    return after


class _Destinations:
    """Where movements lead. Those who arrive alike share one record."""

    def __init__(self, scene: str, sequence: int) -> None:
        self._scene, self._sequence = scene, sequence
        self._known: dict[tuple[object, ...], Whereabouts] = {}

    def by(self, movement: Movement, where: Whereabouts | None) -> Whereabouts:
        """Where somebody is after a movement from `where` they were."""
        way = (_values(where), movement.kind, movement.place, movement.condition, movement.certain)
        if way not in self._known:
            nowhere = where or Whereabouts(place=self._scene if movement.kind == "become" else None)
            self._known[way] = _moved(nowhere, _to_a_path(movement), self._scene, self._sequence)
        return self._known[way]


def _values(where: Whereabouts | None) -> tuple[object, ...]:
    return () if where is None else (where.place, where.here, where.since, where.condition, where.certain)


def _arrived(movement: Movement, scene: str, sequence: int) -> Whereabouts:
    return Whereabouts(place=scene, here=True, since=sequence, certain=movement.certain)


def _to_a_path(movement: Movement) -> Movement:
    place = movement.place
    return movement if place is None else movement.model_copy(update={"place": normal(place)})


def moved_along(places: WhereaboutsById, scene: str, sequence: int) -> dict[str, Whereabouts]:
    """Whereabouts when the story moves to another scene.

    Those here come along, those already there are here now, the rest stay.
    """
    return {
        id: _awake(where, scene, sequence) if where.here or where.place == scene else where
        for id, where in places.items()
    }


def _awake(where: Whereabouts, scene: str, sequence: int) -> Whereabouts:
    if where.condition in PERCEIVES_NOTHING:
        return where
    return Whereabouts(place=scene, here=True, since=sequence, certain=where.certain)


def _moved(where: Whereabouts, movement: Movement, scene: str, sequence: int) -> Whereabouts:
    match movement.kind:
        case "enter":
            return _entered(where, movement, scene, sequence)
        case "leave":
            return Whereabouts(place=movement.place, since=sequence, condition=_carried(where))
        case "move":
            condition = _carried(where)
            here = movement.place == scene and condition == "awake"
            return Whereabouts(
                place=movement.place, here=here, since=sequence, condition=condition, certain=movement.certain
            )
        case "become":
            return _became(where, movement.condition, scene, sequence)


def _entered(where: Whereabouts, movement: Movement, scene: str, sequence: int) -> Whereabouts:
    """A character who is already here becomes certain once the host says so."""
    if not where.here:
        return _arrived(movement, scene, sequence)
    return where.model_copy(update={"certain": True}) if movement.certain and not where.certain else where


def _carried(where: Whereabouts) -> Condition:
    """The condition after leaving or moving.

    A sleeper is carried and sleeps on; anyone else is awake, in the open and on no call.
    """
    return where.condition if where.condition in PERCEIVES_NOTHING else "awake"


def _became(where: Whereabouts, condition: Condition, scene: str, sequence: int) -> Whereabouts:
    if condition == "on_call":
        return Whereabouts(place=None if where.place == scene else where.place, since=sequence, condition=condition)
    here = (where.here or where.place == scene) and condition not in PERCEIVES_NOTHING
    if here and where.here:
        return where.model_copy(update={"condition": condition})
    return Whereabouts(place=scene if where.here else where.place, here=here, since=sequence, condition=condition)
