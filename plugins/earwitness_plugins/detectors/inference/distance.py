"""What is heard from place to place: in those that hold the place where it is said, and in those it holds.

Words carry, deeds do not. Open speech carries over as many levels as the setting `earshot` says, a shout over all.
"""

from __future__ import annotations

from collections.abc import Iterator

from earwitness.places import distance
from earwitness.records.state import PERCEIVES_NOTHING, Whereabouts

from ..text.surroundings import Surroundings

_HEARS_NO_WORDS = PERCEIVES_NOTHING | {"on_call"}


def within_earshot(scene: Surroundings, earshot: int, *, shouted: bool) -> dict[str, str]:
    """Id → their place, of those elsewhere who hear what is said openly in the scene."""
    if not shouted and not earshot:
        return {}
    here = scene.place or scene.state.current_scene
    return {id: place for id, place in _placed(scene) if _carries(here, place, None if shouted else earshot)}


def _placed(scene: Surroundings) -> Iterator[tuple[str, str]]:
    near = set(scene.near)
    for id, where in sorted(scene.places.items()):
        place = _place(where, scene)
        if place and id not in near and where.condition not in _HEARS_NO_WORDS:
            yield id, place


def _place(where: Whereabouts, scene: Surroundings) -> str | None:
    return where.place or (scene.state.current_scene if where.here else None)


def _carries(here: str, place: str, levels: int | None) -> bool:
    """Over so many levels, `None` = however many; the same place counts as none."""
    apart = distance(here, place) or 0
    return apart > 0 and (levels is None or apart <= levels)
