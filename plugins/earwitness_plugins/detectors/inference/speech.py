"""What a character says or does where others are."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace

from earwitness.patterns import lazy_pattern
from earwitness.records.message import Message
from earwitness.records.moment import Movement, Perceived, Presence
from earwitness.records.state import PERCEIVES_NOTHING

from ..acts.leave_model import clues, probability
from ..discretion.invocations import invokes
from ..text.message_reading import spoken_to, tells_no_movement
from .acting_together import acting_together, counted, taken_along
from .calls import (
    connections,
    ears,
    is_from_afar,
    reached,
    rung_up,
    stays_on_hanging_up,
    takes_leave_on_the_phone,
)
from .exchanges import among_themselves
from .followers import followed, in_company, together
from .message_case import MessageCase, perceived
from .sent_off import sent_off

_QUOTES = lazy_pattern('["“„«「]')
ANSWERED_WITHIN = 3
"""A goodbye within so many messages after somebody went is said to them."""


def said(case: MessageCase) -> Presence:
    """Everybody near perceives open speech; a whisper is for its listeners, a thought for nobody."""
    if case.reading.is_sent and case.speaker.id not in case.scene.near:
        return case.presence(_sent(case))
    case = among_themselves(case)
    afar = is_from_afar(case)
    if afar and case.scene.place is None and (held := ears(case)):
        case = replace(case, scene=replace(case.scene, near=held))
    ahead = None if afar else followed(case)
    case = case if ahead is None else in_company(case, ahead)
    if not afar and (rung := rung_up(case)):
        case = replace(case, rung_up=rung)
    going = tuple(_leave_taking(case))
    if going and takes_leave_on_the_phone(case, afar=afar):
        going = ()
    along = () if afar else acting_together(case, goes=bool(going))
    movements = (
        *come_along(case),
        *taken_along(case, along),
        *(connections(case, afar=afar)),
        *(() if afar else _arrivals(case)),
        *_revealed(case),
        *(move for move in case.narrated_moves if not stays_on_hanging_up(case, move, afar=afar)),
        *going,
        *(() if going else sent_off(case)),
        *_faded(case),
        *(() if ahead is None else together(case, ahead)),
    )
    confined = case.reading.confined
    if confined:
        return case.presence(_shut(case, confined.listeners), movements=movements)
    others = (*_not_near(case, movements), *reached(case, afar=afar))
    return case.presence(counted(case, along), case.all_near, others, movements=movements)


def _not_near(case: MessageCase, movements: Iterable[Movement]) -> Iterator[tuple[str, Perceived]]:
    """Whoever comes, hears it elsewhere, or was not known to be there until they are spoken to or go."""
    for move in movements:
        yield from moving(case, move)
    yield from ((id, case.from_elsewhere(id)) for id in case.distant)
    yield from ((id, case.called_to(id)) for id in case.across)
    yield from _parting(case)
    yield from _sent(case)


def _sent(case: MessageCase) -> Iterator[tuple[str, Perceived]]:
    """What is sent to somebody reaches them anywhere, and moves nobody."""
    asleep = (id for id in case.reading.sent_to if case.scene.condition(id) not in PERCEIVES_NOTHING)
    return ((id, perceived(case.confidences.addressed, "addressee", "it is sent to them")) for id in asleep)


def come_along(case: MessageCase) -> Iterator[Movement]:
    """Those who have come to the scene with the speaker."""
    return (case.scene.arrival(id, "the story goes on here") for id in case.brought if id not in case.scene.near)


def moving(case: MessageCase, move: Movement) -> Iterator[tuple[str, Perceived]]:
    """Whether somebody who comes or goes by this very message perceives it. Who is near does so anyway."""
    id, confidences = move.character, case.confidences
    if move.kind == "become":
        yield from _becoming(case, move)
    elif move.kind == "move" and case.scene.condition(id) in PERCEIVES_NOTHING:
        return  # carried there
    elif move.kind == "leave":
        if case.scene.unplaced(id):
            yield id, perceived(confidences.unplaced_leaving, "present", move.evidence)
    elif id in case.reading.addressed and case.scene.unplaced(id):
        yield id, perceived(confidences.unplaced_addressed, "addressee", move.evidence)
    else:
        yield id, perceived(confidences.entered, "present", move.evidence)


def _becoming(case: MessageCase, move: Movement) -> Iterator[tuple[str, Perceived]]:
    """A character who wakes here, is called, or hides here without having been placed, perceives the message."""
    id = move.character
    if move.condition == "awake" and case.scene.lies(id):
        yield id, perceived(case.confidences.entered, "present", move.evidence)
    elif move.condition == "hiding" and case.scene.unplaced(id):
        yield id, perceived(case.confidences.here, "overhearing", move.evidence)
    elif move.condition == "on_call":
        yield id, perceived(case.confidences.entered, "present", move.evidence)


def _shut(case: MessageCase, listeners: Iterable[str]) -> Iterator[tuple[str, Perceived]]:
    """A whisper does not bring back a character who is gone."""
    yield from _sent(case)
    for id in listeners:
        if id in case.scene.near:
            yield id, case.whispered_to(id)
        elif case.scene.unplaced(id):
            yield id, perceived(case.confidences.unplaced_addressed, "addressee", "it is whispered to them")
    yield from ((id, case.shut_out(id)) for id in case.scene.near)


def _arrivals(case: MessageCase) -> Iterator[Movement]:
    """The speaker is here; so are those who are spoken to, unless the story has said that they are elsewhere."""
    if case.reading.in_story and case.speaker.id not in case.scene.near:
        yield from _waking(case) if case.scene.lies(case.speaker.id) else [case.scene.arrival(case.speaker.id, "spoke")]
    confined = case.reading.confined
    spoken_to = confined.listeners if confined else (*case.reading.addressed, *_whispered_to(case))
    if case.reading.call == "on" or invokes(case.moment.message.content):
        return
    sent = case.reading.sent_to
    unplaced = (id for id in dict.fromkeys(spoken_to) if case.scene.unplaced(id) and id not in sent)
    unplaced = (id for id in unplaced if not case.narrates(id))
    yield from (case.scene.arrival(id, "spoken to by name") for id in unplaced)


def _waking(case: MessageCase) -> Iterator[Movement]:
    """A character who speaks is awake and alive; one who snores is not."""
    if not case.reading.slumbers:
        yield Movement(character=case.speaker.id, kind="become", condition="awake", evidence="spoke")


def _revealed(case: MessageCase) -> Iterator[Movement]:
    """Who hides and speaks aloud hides no more."""
    if case.scene.condition(case.speaker.id) == "hiding" and case.reading.aloud:
        yield Movement(character=case.speaker.id, kind="become", condition="awake", evidence="spoke")


def _faded(case: MessageCase) -> Iterator[Movement]:
    """Who has most likely gone without a word is gone until they speak or are told to come."""
    for id, left in case.fading.items():
        if left < case.confidences.faded and id in case.scene.near:
            yield Movement(character=id, kind="leave", evidence="silent for long, among others who speak")


def _whispered_to(case: MessageCase) -> Iterator[str]:
    return (id for part in case.reading.segments if part.kind == "whisper" for id in part.audience or ())


def _leave_taking(case: MessageCase) -> Iterator[Movement]:
    """Who takes leave goes; not by the end of a text message."""
    if case.reading.is_sent:
        return
    if _goes(case) >= case.confidences.leaving or _is_still_leaving(case):
        yield Movement(character=case.speaker.id, kind="leave", evidence="took leave")


def _goes(case: MessageCase) -> float:
    """How likely the speaker goes by what they say. Goodbye is said to who goes, too."""
    if not case.reading.signs.found:
        return 0
    return probability(clues(case.reading.signs, to_one=_is_to_one(case), answers=_somebody_has_gone(case)))


def _is_to_one(case: MessageCase) -> bool:
    """Some of those here are named, not all."""
    others = {id for id in case.scene.near if id != case.speaker.id}
    addressed = others.intersection(case.reading.addressed)
    named = bool(addressed) or any(
        "named_after" in doubts for act, doubts in case.reading.signs.found if act == "farewell"
    )
    return named and addressed != others and len(others) > 1


def _somebody_has_gone(case: MessageCase) -> bool:
    """Within the last few messages. Where a narrator tells who goes, a bare goodbye tells nothing."""
    if any(case.moment.cast[message.speaker].kind == "narrator" for message in _known(case)):
        return True
    lately = {message.sequence for message in case.moment.recent[-ANSWERED_WITHIN:]}
    places = case.moment.whereabouts.items()
    return any(not where.here and where.since in lately for id, where in places if id != case.speaker.id)


def _known(case: MessageCase) -> Iterator[Message]:
    """The recent messages of those who are still in the cast."""
    return (message for message in case.moment.recent if message.speaker in case.moment.cast)


def _is_still_leaving(case: MessageCase) -> bool:
    """Whether it is a last word at the door while others say goodbye, which brings nobody back. Told deeds tell it."""
    if _QUOTES.search(case.moment.message.content):
        return False
    gone, answers = _last_to_leave(case)
    back = case.reading.returns or case.reading.signs.clean("returns") > 0
    return gone == case.speaker.id and _all_speak_to(case, gone, answers) and not back


def _parting(case: MessageCase) -> Iterator[tuple[str, Perceived]]:
    """Who has just taken leave still hears what is answered to them by name, until somebody speaks of other things."""
    gone, answers = _last_to_leave(case)
    if gone is not None and gone in case.reading.addressed and _all_speak_to(case, gone, answers):
        yield gone, perceived(case.confidences.parting, "addressee", "has just taken leave, and is answered")


def _last_to_leave(case: MessageCase) -> tuple[str | None, Sequence[Message]]:
    """Who took leave within the last few messages, by saying so, and the messages since."""
    recent = case.moment.recent[-ANSWERED_WITHIN:]
    for at, message in enumerate(recent):
        where = case.moment.whereabouts.get(message.speaker)
        if where is None or where.here or where.place or where.condition != "awake":
            continue
        if where.since == message.sequence and tells_no_movement(message.content):
            return message.speaker, recent[at + 1 :]
    return None, ()


def _all_speak_to(case: MessageCase, gone: str, answers: Iterable[Message]) -> bool:
    cast = case.moment.cast
    return all(
        message.speaker in cast and gone in spoken_to(message.content, cast[message.speaker], case.names)
        for message in answers
    )
