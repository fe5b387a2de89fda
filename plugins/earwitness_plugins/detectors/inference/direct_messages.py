"""Direct messages: between the one who writes and the one who is written to, wherever they are."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from earwitness.records.moment import Perceived, Presence

from ..text.message_reading import spoken_to
from .message_case import MessageCase, perceived


def direct(case: MessageCase) -> Presence:
    """It reaches whom it names, else the other of the last exchange, else nobody; and it moves nobody."""
    confined = case.reading.confined
    named = confined.listeners if confined else case.reading.addressed
    if named or confined:
        return case.presence(_reached(case, named, "named in a direct message"))
    return case.presence(_reached(case, _last_partner(case), "the other of the last exchange"))


def _reached(case: MessageCase, ids: Iterable[str], why: str) -> Iterator[tuple[str, Perceived]]:
    return ((id, perceived(case.confidences.addressed, "addressee", why)) for id in ids)


def _last_partner(case: MessageCase) -> tuple[str, ...]:
    """With whom the speaker last exchanged direct messages, as long as that can be only one."""
    me = case.speaker.id
    earlier = [
        message for message in case.moment.recent if message.context == "dm" and message.speaker in case.moment.cast
    ]
    writers = {message.speaker for message in earlier} - {me}
    for message in reversed(earlier):
        named = spoken_to(message.content, case.moment.cast[message.speaker], case.names)
        if message.speaker == me and named:
            return named
        if message.speaker != me and (me in named or (not named and len(writers) == 1)):
            return (message.speaker,)
    return ()
