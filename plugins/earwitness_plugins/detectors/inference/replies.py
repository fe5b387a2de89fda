"""Whispers whose hearer is understood only from the lines before: `*whispers back*`."""

from __future__ import annotations

from earwitness.records.moment import Moment

from ..text.marks import Conventions
from ..text.message_reading import Reading, read
from ..text.movements import Referents
from ..text.names import Names

_BACK = 4
"""So many whispers in a row are followed back to one that names its hearer."""


def lacks_hearer(reading: Reading) -> bool:
    """Whether something in it is whispered to nobody who is named."""
    if reading.confined and reading.confined.how == "whisper" and not reading.confined.listeners:
        return True
    return any(part.kind == "whisper" and not part.audience for part in reading.segments)


def answered(moment: Moment, names: Names, conventions: Conventions) -> tuple[str, ...]:
    """Whom the speaker whispers with, by an unbroken run of whispers just before; nobody where there is none."""
    me = moment.message.speaker
    for message in reversed(moment.recent[-_BACK:]):
        if message.speaker not in moment.cast or moment.cast[message.speaker].kind == "narrator":
            return ()
        speaker = moment.cast[message.speaker]
        reading = read(
            message.content, speaker, names, Referents(teller=speaker.id, here=(), last=None), conventions=conventions
        )
        heard = _whispered(reading)
        if heard is None:
            return ()
        if heard:
            both = {message.speaker, *heard}
            return tuple(id for id in moment.cast.ids if id in both and id != me) if me in both else ()
    return ()


def _whispered(reading: Reading) -> tuple[str, ...] | None:
    """To whom something in it is whispered; `None` if nothing is."""
    audiences = [part.audience or () for part in reading.segments if part.kind == "whisper"]
    if reading.confined and reading.confined.how == "whisper":
        audiences.append(reading.confined.listeners)
    return tuple(dict.fromkeys(id for audience in audiences for id in audience)) if audiences else None
