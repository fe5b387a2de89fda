"""Calls: over a radio or a phone, words reach those elsewhere who are on the call, and nothing that is done does.

Those on a call do not overhear: they perceive what is said into the device, to them by name, or in answer to them.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from earwitness.patterns import lazy_pattern
from earwitness.records.moment import Movement, Perceived
from earwitness.shared_values import having

from ..text.call_patterns import ENDS_CALL, ENDS_CALL_FIRST, FOR_ALL, RINGS, TAKES_UP, UNANSWERED
from ..text.message_reading import on_call, rung, tells_of_phone
from ..text.surroundings import Surroundings
from .message_case import MessageCase, perceived

CALLED_WITHIN = 3
"""A character who was called by name within this many messages answers the call when they speak."""
HELD_WITHIN = 12
"""Within so many messages somebody has picked up the telephone who still holds it."""
_LOOKS_AT = lazy_pattern(
    r"\b(?:scroll|play|look|swip|tap|read|watch|typ|text|check|glanc|star)(?:e?s|ing|ed)?\b", re.IGNORECASE
)
"""What is done on a telephone without speaking into it."""


def is_from_afar(case: MessageCase) -> bool:
    """Whether the speaker talks to the scene without being there."""
    id = case.speaker.id
    if _is_here(case, id) or any(move.id == id and move.kind == "enter" for move in case.reading.moves):
        return False
    if case.scene.unplaced(id) and RINGS.search(case.moment.message.content):
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


def stays_on_hanging_up(case: MessageCase, move: Movement, *, afar: bool) -> bool:
    """Whether a move is that of somebody here who hangs up on somebody elsewhere, and is still here."""
    own = move.kind == "leave" and move.character == case.speaker.id
    return own and not afar and case.reading.call == "off" and _was_on_the_phone(case)


def takes_leave_on_the_phone(case: MessageCase, *, afar: bool) -> bool:
    """Whether a goodbye is said into the telephone, and to nobody here."""
    if afar or not set(case.reading.addressed).isdisjoint(case.scene.near):
        return False
    if case.reading.call == "off":
        return _was_on_the_phone(case)
    return case.reading.call == "on" or (case.speaker.id in _holding(case) and _has_phone(case))


def _was_on_the_phone(case: MessageCase) -> bool:
    """Whether somebody is on a call, or the speaker has lately been told to have a telephone or a radio."""
    return bool(_on_call(case)) or _has_phone(case)


def _has_phone(case: MessageCase) -> bool:
    cast = case.moment.cast
    lately = (each for each in case.moment.recent[-HELD_WITHIN:] if each.speaker in cast)
    own = (each for each in lately if each.speaker == case.speaker.id or cast[each.speaker].kind == "narrator")
    return any(tells_of_phone(each.content) or on_call(each.content) for each in own)


def rung_up(case: MessageCase) -> frozenset[str]:
    """Ids of those elsewhere who are rung up, or called by name into a device, and hear this end of it."""
    text = case.moment.message.content
    if case.reading.call != "on" or not case.reading.aloud or UNANSWERED.search(text):
        return frozenset()
    called = rung(text, case.speaker, case.names)
    spoken_to = () if _LOOKS_AT.search(text) else case.reading.addressed
    away = (id for id in (*called, *spoken_to) if id not in case.scene.near and not case.narrates(id))
    return frozenset(away)


def reached(case: MessageCase, *, afar: bool) -> Iterator[tuple[str, Perceived]]:
    """Those at the other end who perceive an open message."""
    if afar and (case.reading.call == "on" or not case.moment.placed):
        here = ears(case) or Surroundings.at(case.moment, None).near
        yield from ((id, perceived(case.confidences.lively, "present", "hears it over the call")) for id in here)
    for id in _on_call(case):
        if why := _why_reached(case, id, afar=afar):
            yield id, perceived(case.confidences.addressed, "addressee", "on the call", why)
    if case.reading.call == "on" and not afar:
        yield from ((id, perceived(case.confidences.rung_up, "addressee", "is rung up")) for id in sorted(case.rung_up))
        elsewhere = (id for id in case.reading.named if id not in case.scene.near and not case.narrates(id))
        yield from (
            (id, perceived(case.confidences.called, "addressee", "is called, and may not answer")) for id in elsewhere
        )


def _why_reached(case: MessageCase, id: str, *, afar: bool) -> str:
    if case.reading.call == "off" and ENDS_CALL_FIRST.match(case.moment.message.content):
        return ""
    if case.reading.call == "on" or afar:
        return "said to the call"
    if id in case.reading.addressed:
        return "spoken to by name"
    last = case.moment.recent[-1].speaker if case.moment.recent else None
    return "is answered" if last == id and not case.reading.addressed else ""


def ears(case: MessageCase) -> tuple[str, ...]:
    """Ids of those here who hold the telephone, so that nobody beside them hears the other end; empty where all do."""
    lately = case.moment.recent[-HELD_WITHIN:]
    if any(FOR_ALL.search(each.content) for each in (*lately, case.moment.message)):
        return ()
    return _holding(case)


def _holding(case: MessageCase) -> tuple[str, ...]:
    """Ids of those here who have taken the telephone, and have not hung up."""
    held: list[str] = []
    for message in case.moment.recent[-HELD_WITHIN:]:
        if ENDS_CALL.search(message.content):
            held = []
        elif _is_here(case, message.speaker) and _takes_up(message.content):
            held.append(message.speaker)
    return tuple(dict.fromkeys(held))


def _takes_up(text: str) -> bool:
    return TAKES_UP.search(text) is not None or RINGS.search(text) is not None


def _on_call(case: MessageCase) -> list[str]:
    places = case.scene.places
    on = having(places, places.values(), "condition", ("on_call",))
    return case.moment.cast.in_order([id for id in on if id != case.speaker.id])


def _was_called(case: MessageCase, id: str) -> bool:
    """Somebody has just called them by name: who then speaks from nowhere near has answered."""
    cast = case.moment.cast
    lately = [message for message in case.moment.recent[-CALLED_WITHIN:] if message.speaker in cast]
    named = (message for message in lately if id in {mention.id for mention in case.names.find(message.content)})
    return any(cast[message.speaker].kind != "narrator" and on_call(message.content) for message in named)


def _is_here(case: MessageCase, id: str) -> bool:
    where = case.moment.whereabouts.get(id)
    return where is not None and where.here
