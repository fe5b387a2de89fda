"""Whispers that name nobody: `*whispers back*` after a whisper, `*whispers*` between the only two who are here."""

from __future__ import annotations

from earwitness.patterns import lazy_pattern
from earwitness.records.moment import Moment

from ..discretion.invocations import invokes
from ..text.marks import Conventions
from ..text.message_reading import Reading, read
from ..text.movements import Referents
from ..text.names import Names
from ..text.surroundings import APART_FROM_ALL, Surroundings

_SENT_BACK = 8
"""So many messages back somebody may have sent something that is answered now."""
_BACK = 4
"""So many whispers in a row are followed back to one that names its hearer."""
_WHISPERS = lazy_pattern(
    r"\b(?i:whisper|flüster|wisper|tuschel|chuchot|susurr|sussurr|cochich|bisbigli|шепч|шепн|прошепт)|ささや|囁|耳语|低语|悄声"
)


def lacks_hearer(reading: Reading) -> bool:
    """Whether something in it is whispered to nobody who is named."""
    if reading.confined and reading.confined.how == "whisper" and not reading.confined.listeners:
        return True
    return any(part.kind == "whisper" and not part.audience for part in reading.segments)


def answered(moment: Moment, names: Names, conventions: Conventions, *, sent: bool = False) -> tuple[str, ...]:
    """Whom the speaker whispers with, by an unbroken run of whispers just before; nobody where there is none.

    What is `sent` goes to whoever last sent the speaker something, whatever is said aloud in between.
    """
    me = moment.message.speaker
    for message in reversed(moment.recent[-(_SENT_BACK if sent else _BACK) :]):
        if message.speaker not in moment.cast or moment.cast[message.speaker].kind == "narrator":
            if sent:
                continue
            return ()
        speaker = moment.cast[message.speaker]
        reading = read(
            message.content, speaker, names, Referents(teller=speaker.id, here=(), last=None), conventions=conventions
        )
        heard = _whispered(reading)
        if sent and not _takes_part(me, message.speaker, reading.sent_to):
            continue
        if heard is None:
            return ()
        if heard:
            both = {message.speaker, *heard}
            return tuple(id for id in moment.cast.ids if id in both and id != me) if me in both else ()
    return ()


def only_other(moment: Moment, reading: Reading) -> tuple[str, ...]:
    """The one who is with the speaker, where nobody else can be meant by a whisper or overhear it; else nobody."""
    content, me = moment.message.content, moment.message.speaker
    sent = any(part.sent for part in reading.segments) or (reading.confined is not None and reading.confined.sent)
    if sent or reading.call == "on" or not _WHISPERS.search(content) or invokes(content):
        return ()
    people = [id for id in moment.cast.ids if id != me and moment.cast[id].kind != "narrator"]
    if not all(id in moment.whereabouts for id in people):
        return ()
    near = _beside(moment, me)
    others = [id for id in people if id in near]
    return tuple(others) if len(others) == 1 else ()


def apart_with(moment: Moment) -> tuple[str, ...]:
    """Those with whom the speaker has left the others: a whisper that names nobody is for them."""
    where = moment.whereabouts.get(moment.message.speaker)
    if where is None or where.here or not (where.place or "").startswith(APART_FROM_ALL):
        return ()
    near = Surroundings.at(moment, where.place).near
    return tuple(id for id in near if id != moment.message.speaker)


def _beside(moment: Moment, id: str) -> tuple[str, ...]:
    """Ids of those at the place where somebody is."""
    if moment.placed:
        return Surroundings.where_said(moment).near
    where = moment.whereabouts.get(id)
    if where is None or not (where.here or where.place):
        return ()
    return Surroundings.at(moment, None if where.here else where.place).near


def _takes_part(me: str, speaker: str, sent_to: tuple[str, ...]) -> bool:
    """Whether something was sent by them or to them."""
    return bool(sent_to) and me in (speaker, *sent_to)


def _whispered(reading: Reading) -> tuple[str, ...] | None:
    """To whom something in it is whispered; `None` if nothing is."""
    audiences = [part.audience or () for part in reading.segments if part.kind == "whisper"]
    if reading.confined and reading.confined.how == "whisper":
        audiences.append(reading.confined.listeners)
    return tuple(dict.fromkeys(id for audience in audiences for id in audience)) if audiences else None
