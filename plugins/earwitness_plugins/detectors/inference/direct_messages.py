"""Direct messages: between the one who writes and the one who is written to, wherever they are."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from earwitness.records.message import Message
from earwitness.records.moment import Moment, Perceived, Presence

from ..text.message_reading import spoken_to
from ..text.names import Names
from .message_case import MessageCase, perceived


def direct(case: MessageCase) -> Presence:
    """It reaches those it names, else the other party of the last exchange, else nobody. It moves nobody."""
    confined = case.reading.confined
    whispers = (part.audience or () for part in case.reading.segments if part.kind == "whisper")
    whispered_to = dict.fromkeys(id for audience in whispers for id in audience)
    named = confined.listeners if confined else (*case.reading.addressed, *whispered_to)
    if named or confined:
        return case.presence(_reached(case, named, "named in a direct message"))
    return case.presence(_reached(case, _last_partner(case.moment, case.names), "the other of the last exchange"))


def between(moment: Moment, names: Names) -> tuple[str, ...]:
    """Whom a whisper that names nobody is for: the only other in a channel that is at no place."""
    if not moment.state.moves_nobody(moment.channel):
        return ()
    standing = moment.state.channel(moment.channel)
    members = _last_partner(moment, names) if standing is None else standing.members
    others = tuple(id for id in members if id != moment.message.speaker)
    return others if len(others) == 1 else ()


def _is_in_same_channel(message: Message, moment: Moment) -> bool:
    here, there = moment.channel, message.channel
    same = (here.context, here.channel_id, here.guild_id) == (there.context, there.channel_id, there.guild_id)
    return same and message.speaker in moment.cast


def _reached(case: MessageCase, ids: Iterable[str], why: str) -> Iterator[tuple[str, Perceived]]:
    return ((id, perceived(case.confidences.addressed, "addressee", why)) for id in ids)


def _last_partner(moment: Moment, names: Names) -> tuple[str, ...]:
    """With whom the speaker last exchanged messages in this channel: as the host said, or as long as that can be only
    one."""
    me = moment.message.speaker
    earlier = [message for message in moment.recent if _is_in_same_channel(message, moment)]
    writers = {message.speaker for message in earlier} - {me}
    for message in reversed(earlier):
        both = {message.speaker, *(message.present or message.audience or ())}
        if len(both) > 1 and me in both:
            return tuple(id for id in moment.cast.ids if id in both and id != me)
        named = spoken_to(message.content, moment.cast[message.speaker], names)
        if message.speaker == me and named:
            return named
        if message.speaker != me and (me in named or (not named and len(writers) == 1)):
            return (message.speaker,)
    return ()
