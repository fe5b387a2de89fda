"""As long as nobody has been placed by anyone, who acts with the speaker is taken to be there, and who is spoken to
where only they can be meant: `guys` are at least two, so with two others in the cast it is both."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from earwitness.records.moment import Movement, Perceived

from ..text.message_reading import counted_in
from .message_case import MessageCase, perceived

_WHY = "named as acting with the speaker, and nobody has been placed yet"
_TWO = 2


def acting_together(case: MessageCase, *, goes: bool) -> tuple[str, ...]:
    """Ids of those whom the speaker counts in, openly, before anybody has been placed. `goes` = takes leave of them."""
    several = goes or case.reading.signs.any("company")
    if not (case.reading.named or several) or _somebody_is_placed(case) or case.reading.confined or case.reading.call:
        return ()
    counted_in_ids = (id for text in _open_speech(case) for id in counted_in(text, case.speaker, case.names))
    found = tuple(id for id in dict.fromkeys(counted_in_ids) if not case.narrates(id))
    return found or (_both_others(case) if several else ())


def _both_others(case: MessageCase) -> tuple[str, ...]:
    """The two others of the cast. Nobody where there are more, one is spoken of, or a narrator says who is there."""
    others = tuple(id for id in case.moment.cast.ids if id != case.speaker.id)
    spoken_of = {mention.id for text in _open_speech(case) for mention in case.names.find(text)}
    if not spoken_of <= {case.speaker.id, *case.reading.addressed}:
        return ()  # `Charlie does not know that Bob and I will go`
    return others if len(others) == _TWO and not case.moment.cast.narrators else ()


def taken_along(case: MessageCase, ids: Sequence[str]) -> Iterator[Movement]:
    """They are where the message is said."""
    return (case.scene.arrival(id, _WHY) for id in ids if id not in case.reading.addressed)


def counted(case: MessageCase, ids: Sequence[str]) -> Iterator[tuple[str, Perceived]]:
    """They perceive the message; who is spoken to by name does so anyway."""
    return (
        (id, perceived(case.confidences.counted_in, "present", _WHY)) for id in ids if id not in case.reading.addressed
    )


def _somebody_is_placed(case: MessageCase) -> bool:
    """By the host or the story. That the speaker spoke here before places nobody."""
    me, places = case.speaker.id, case.moment.whereabouts.items()
    return any(id != me or where.certain or not where.here for id, where in places) or bool(case.narrated_moves)


def _open_speech(case: MessageCase) -> Iterator[str]:
    """What everybody there hears of it."""
    if not case.reading.segments:
        yield case.moment.message.content
    yield from (part.text for part in case.reading.segments if part.audience is None and part.kind == "spoken")
