"""What a narrator tells."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from earwitness.records.moment import Movement, Perceived, Presence

from ..text.surroundings import Surroundings
from .message_case import MessageCase, perceived
from .speech import moving


def narrated(case: MessageCase) -> Presence:
    """Those who are where it happens perceive it, and who comes; a told thought or whisper only those it is about."""
    movements = (*case.narrated_moves, *_voices(case))
    confined = case.reading.confined
    believed = _about(case, confined.listeners) if confined else _happening(case, movements)
    return case.presence(believed, movements)


def _voices(case: MessageCase) -> Iterator[Movement]:
    """`Tom's voice comes over the radio`: he is on the call, unless he is here."""
    for id in case.reading.voices:
        if id not in case.scene.near and case.scene.condition(id) in ("awake", "hiding"):
            yield Movement(character=id, kind="become", condition="on_call", evidence="their voice comes from afar")


def _about(case: MessageCase, ids: Iterable[str]) -> Iterator[tuple[str, Perceived]]:
    yield from ((id, perceived(case.confidences.addressed, "present", "it is about them alone")) for id in ids)
    yield from ((id, case.shut_out(id)) for id in case.scene.near)


def _happening(case: MessageCase, movements: Iterable[Movement]) -> Iterator[tuple[str, Perceived]]:
    yield from ((id, case.near(id)) for id in case.scene.near)
    for move in movements:
        yield from moving(case, move)
        if move.kind == "move":
            arrived_at = Surroundings.at(case.moment, move.place)
            yield from (
                (id, perceived(case.confidences.here, "present", f"is in {move.place}")) for id in arrived_at.near
            )
