"""Who follows somebody that has just left is with them from then on: `*follows her into the kitchen*`."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import replace

from earwitness.patterns import lazy_pattern
from earwitness.records.moment import Movement

from ..text.surroundings import APART_FROM_ALL
from .message_case import MessageCase

_FOLLOWS = lazy_pattern(
    r"\*\s*(?:\w+ly\s+|then\s+)?(?:follows?|followed|folgt|folge|folgte|suit|suis|sigue|sigo|segue)\b(?P<whom>[^*]{0,80})\*",
    re.IGNORECASE,
)
_WITHIN = 6
"""Messages within which somebody who left can be followed."""


def followed(case: MessageCase) -> str | None:
    """The one who left of late, to nowhere that the story has told, and whom the speaker follows from here."""
    if "*" not in case.moment.message.content or case.moment.placed or case.speaker.id not in case.scene.near:
        return None
    found = _FOLLOWS.search(case.moment.message.content)
    left = _left_of_late(case) if found else ()
    if not found or not left:
        return None
    named = [mention.id for mention in case.names.find(found["whom"])]
    if named:
        return named[0] if named[0] in left else None
    pronoun = next(iter(re.findall(r"(?i)\b(?:her|him)\b", found["whom"])), "")
    wanted = {"her": "she", "him": "he"}.get(pronoun.lower())
    return next((id for id in left if not wanted or case.names.may_be(wanted, id) is not False), None)


def in_company(case: MessageCase, other: str) -> MessageCase:
    """The same message, said where only the two are."""
    return replace(case, scene=replace(case.scene, near=tuple(sorted((case.speaker.id, other)))))


def together(case: MessageCase, other: str) -> Iterator[Movement]:
    """Both are at a place that nobody else can mean."""
    place = f"{APART_FROM_ALL}{case.moment.message.sequence}"
    for id, why in ((other, "is followed"), (case.speaker.id, "follows")):
        yield Movement(character=id, kind="leave", place=place, evidence=why)


def _left_of_late(case: MessageCase) -> Sequence[str]:
    """Ids of those who left within the recent messages, the last one first."""
    lately = {message.sequence for message in case.moment.recent[-_WITHIN:]}
    places = case.moment.whereabouts.items()
    gone = [(where.since, id) for id, where in places if where.since in lately and not (where.here or where.place)]
    return [id for _, id in sorted(gone, reverse=True) if id in case.moment.cast]
