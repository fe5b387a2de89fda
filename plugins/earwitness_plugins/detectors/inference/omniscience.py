"""Omniscient narrators: they perceive everything that is said, done or thought in the story."""

from __future__ import annotations

from earwitness.records.moment import Moment, Presence, Segment

from .message_case import perceived


def overheard_by_narrators(presence: Presence, moment: Moment) -> Presence:
    """The presence with every narrator among those who perceive it, all of it but what is out of character."""
    narrators = tuple(moment.cast.in_order(moment.cast.narrators))
    hears = perceived(1, "overhearing", "an omniscient narrator")
    others = {id: hears for id in narrators if id != moment.message.speaker}
    segments = tuple(_heard_by(segment, narrators) for segment in presence.segments)
    return presence.model_copy(update={"characters": {**presence.characters, **others}, "segments": segments})


def _heard_by(segment: Segment, narrators: tuple[str, ...]) -> Segment:
    if segment.audience is None or segment.kind == "ooc":
        return segment
    return segment.model_copy(update={"audience": tuple(dict.fromkeys((*segment.audience, *narrators)))})
