"""What a narrator tells."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from collections.abc import Set as AbstractSet

from earwitness.records.moment import Movement, Perceived, Presence
from earwitness.records.state import PERCEIVES_NOTHING

from ..text.doers import doers
from ..text.surroundings import Surroundings
from .message_case import MessageCase, perceived
from .speech import moving

_DOING = frozenset({"awake", "hiding"})
"""Who is otherwise, as asleep or on a call, is not put anywhere by a deed."""


def narrated(case: MessageCase) -> Presence:
    """Those who are where it happens perceive it, and who comes; a told thought or whisper only those it is about."""
    put = {id for piece in case.told for id in piece.brought}
    moves = (move for move in case.narrated_moves if move.kind != "enter" or move.character not in put)
    confined = case.reading.confined
    come_upon = () if confined else _come_upon(case, put)
    movements = (*_put(case), *moves, *_voices(case), *_joining(case, come_upon))
    believed = _about(case, confined.listeners) if confined else _happening(case, movements, come_upon)
    return case.presence(believed, movements=movements)


def _put(case: MessageCase) -> Iterator[Movement]:
    """Those whom the narration puts somewhere else than they were."""
    moved = {move.id for move in case.reading.moves if move.kind != "enter"}
    for piece in case.told:
        for id in piece.brought:
            if id not in piece.scene.near and id not in moved and case.scene.condition(id) not in PERCEIVES_NOTHING:
                yield piece.scene.arrival(id, "the story tells of them there")


def _come_upon(case: MessageCase, put: AbstractSet[str]) -> tuple[str, ...]:
    """Ids of those who do something where the narration happens, and were not known to be there."""
    if case.told or case.moment.placed or not case.moment.recent:
        return ()
    moved = put | {move.id for move in case.reading.moves}
    found = doers(case.moment.message.content, case.names)
    return tuple(
        id for id in found if id not in case.scene.near and id not in moved and case.scene.condition(id) in _DOING
    )


def _joining(case: MessageCase, come_upon: Sequence[str]) -> Iterator[Movement]:
    """Those told of together with somebody who is there, or whom nobody has placed yet, are there from now on."""
    together = not set(case.reading.named).isdisjoint(case.scene.near)
    for id in come_upon:
        if together or case.scene.unplaced(id):
            yield case.scene.arrival(id, "the story tells of what they do there")


def _voices(case: MessageCase) -> Iterator[Movement]:
    """`Tom's voice comes over the radio`: he is on the call, unless he is here."""
    for id in case.reading.voices:
        if id not in case.scene.near and case.scene.condition(id) in ("awake", "hiding"):
            yield Movement(character=id, kind="become", condition="on_call", evidence="their voice comes from afar")


def _about(case: MessageCase, ids: Iterable[str]) -> Iterator[tuple[str, Perceived]]:
    yield from ((id, perceived(case.confidences.addressed, "present", "it is about them alone")) for id in ids)
    yield from ((id, case.shut_out(id)) for id in case.scene.near)


def _happening(
    case: MessageCase, movements: Iterable[Movement], come_upon: Sequence[str]
) -> Iterator[tuple[str, Perceived]]:
    yield from ((id, perceived(case.confidences.entered, "present", "it tells what they do")) for id in come_upon)
    for piece in case.told:
        yield from ((id, case.replaced(piece.scene).near(id)) for id in piece.scene.near)
        yield from ((id, perceived(case.confidences.entered, "present", "it tells of them")) for id in piece.brought)
    if not case.told:
        yield from ((id, case.near(id)) for id in case.scene.near)
    for move in movements:
        yield from moving(case, move)
        if move.kind == "move":
            arrived_at = Surroundings.at(case.moment, move.place)
            yield from (
                (id, perceived(case.confidences.here, "present", f"is in {move.place}")) for id in arrived_at.near
            )
