"""Folding movements into the whereabouts. Pure."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from ..records.moment import Movement
from ..records.state import Whereabouts

Places = Mapping[str, Whereabouts]


def folded(places: Places, movements: Iterable[Movement], scene: str, sequence: int) -> dict[str, Whereabouts]:
    """Everyone's whereabouts after the movements, in order, told at journal entry `sequence` in `scene`."""
    after = dict(places)
    for movement in movements:
        after[movement.character] = _moved(after.get(movement.character, Whereabouts()), movement, scene, sequence)
    return after


def moved_along(places: Places, scene: str, sequence: int) -> dict[str, Whereabouts]:
    """When the story goes elsewhere: who was here comes along; who is there already is here now; the rest stay."""
    return {
        id: Whereabouts(place=scene, here=True, since=sequence) if where.here or where.place == scene else where
        for id, where in places.items()
    }


def _moved(where: Whereabouts, movement: Movement, scene: str, sequence: int) -> Whereabouts:
    match movement.kind:
        case "enter":
            return where if where.here else Whereabouts(place=scene, here=True, since=sequence)
        case "leave":
            return Whereabouts(place=movement.place, here=False, since=sequence)
        case "move":
            return Whereabouts(place=movement.place, here=movement.place == scene, since=sequence)
