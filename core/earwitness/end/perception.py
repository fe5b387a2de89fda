"""END, step 3: what each participant perceived of the message, where that is less than the whole. Pure."""

from __future__ import annotations

from collections.abc import Collection, Mapping

from ..records.message import Participant
from ..records.moment import Presence, Segment


def heard(
    presence: Presence, participants: Mapping[str, Participant], speaker: str, whole: Collection[str]
) -> dict[str, str]:
    """Character id → the text she perceived, for those who missed a segment; an empty text for who missed them all.

    `whole` are those who perceive everything because the host or a plugin says so. The speaker perceives what she
    said, but nobody perceives what was said out of character.
    """
    partly = {}
    for id in participants:
        parts = [segment for segment in presence.segments if _reaches(segment, id, speaker, whole)]
        if len(parts) < len(presence.segments):
            partly[id] = " ".join(segment.text.strip() for segment in parts)
    return partly


def missed(
    presence: Presence, participants: Mapping[str, Participant], speaker: str, whole: Collection[str]
) -> set[str]:
    """Ids of those who missed some piece said in character: where only whole messages are delivered, they get none."""
    told = [segment for segment in presence.segments if segment.kind != "ooc"]
    return {id for id in participants if not all(_reaches(segment, id, speaker, whole) for segment in told)}


def _reaches(segment: Segment, id: str, speaker: str, whole: Collection[str]) -> bool:
    if segment.kind == "ooc":
        return False
    return segment.audience is None or id in segment.audience or id == speaker or id in whole
