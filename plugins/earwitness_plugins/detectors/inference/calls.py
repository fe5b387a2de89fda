"""Calls: over a radio or a phone, words reach those elsewhere who are on the call, and nothing that is done does.

Those on a call do not overhear: they perceive what is said into the device, to them by name, or in answer to them.
"""

from __future__ import annotations

from collections.abc import Iterator

from earwitness.records.moment import Movement, Perceived

from ..text.message_reading import on_call
from ..text.surroundings import Surroundings
from .message_case import MessageCase, perceived

CALLED_WITHIN = 3
"""A character who was called by name within this many messages answers the call when they speak."""


def is_from_afar(case: MessageCase) -> bool:
    """Whether the speaker talks to the scene without being there."""
    id = case.speaker.id
    if _is_here(case, id) or any(move.id == id and move.kind == "enter" for move in case.reading.moves):
        return False
    return case.reading.call is not None or case.scene.condition(id) == "on_call" or _was_called(case, id)


def connections(case: MessageCase, *, afar: bool) -> Iterator[Movement]:
    """Who is on the call from now on, and who is not any more."""
    ends = case.reading.call == "off"
    for id in (case.speaker.id,) if afar else _on_call(case) if ends else ():
        on = case.scene.condition(id) == "on_call"
        if on == ends:
            yield Movement(
                character=id,
                kind="become",
                condition="awake" if ends else "on_call",
                evidence="the call is ended" if ends else "speaks from afar",
            )


def reached(case: MessageCase, *, afar: bool) -> Iterator[tuple[str, Perceived]]:
    """Those at the other end who perceive an open message."""
    if afar and (case.reading.call == "on" or not case.moment.placed):
        here = Surroundings.at(case.moment, None).near
        yield from ((id, perceived(case.confidences.lively, "present", "hears it over the call")) for id in here)
    for id in _on_call(case):
        if why := _why_reached(case, id, afar=afar):
            yield id, perceived(case.confidences.addressed, "addressee", "on the call", why)
    if case.reading.call == "on" and not afar:
        elsewhere = (id for id in case.reading.named if id not in case.scene.near and not case.narrates(id))
        yield from (
            (id, perceived(case.confidences.called, "addressee", "is called, and may not answer")) for id in elsewhere
        )


def _why_reached(case: MessageCase, id: str, *, afar: bool) -> str:
    if case.reading.call == "on" or afar:
        return "said to the call"
    if id in case.reading.addressed:
        return "spoken to by name"
    last = case.moment.recent[-1].speaker if case.moment.recent else None
    return "is answered" if last == id and not case.reading.addressed else ""


def _on_call(case: MessageCase) -> list[str]:
    on = [id for id, where in case.scene.places.items() if where.condition == "on_call" and id != case.speaker.id]
    return case.moment.cast.in_order(on)


def _was_called(case: MessageCase, id: str) -> bool:
    """Somebody has just called them by name: who then speaks from nowhere near has answered."""
    cast = case.moment.cast
    lately = [message for message in case.moment.recent[-CALLED_WITHIN:] if message.speaker in cast]
    named = (message for message in lately if id in {mention.id for mention in case.names.find(message.content)})
    return any(cast[message.speaker].kind != "narrator" and on_call(message.content) for message in named)


def _is_here(case: MessageCase, id: str) -> bool:
    where = case.moment.whereabouts.get(id)
    return where is not None and where.here
