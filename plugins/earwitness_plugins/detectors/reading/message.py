"""One message, read: who is named and spoken to, who comes and goes, and who alone may perceive it."""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Literal

from earwitness.records.character import Character

from .addressing import addressed
from .conventions import PRIVATE, Piece, pieces
from .farewells import returns, takes_leave
from .movements import Move, Stage, has_movement, read_movements
from .names import Names
from .privacy import Confined, confinement

_WE = re.compile(r"\b(?:we|us|our|ours|ourselves|let's|and\s+(?:I|me|myself))\b", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class Reading:
    """What a message's text says about who perceives it; nothing of where anybody was before."""

    confined: Confined | None
    """Who alone may perceive it; `None` when it is open."""
    addressed: tuple[str, ...]
    """Ids of those spoken to by name."""
    named: tuple[str, ...]
    """Ids of all who are named, the speaker not counted."""
    together: bool
    """The speaker says `we`."""
    moves: tuple[Move, ...]
    """Comings and goings told in action text."""
    leave: Literal["stated", "farewell"] | None
    """Whether the speaker takes leave in words."""
    returns: bool
    """Whether, having just taken leave, the speaker stays after all."""
    in_story: bool
    """Something is said or done where others are; false for mere thoughts and talk out of character."""


def read(content: str, speaker: Character, names: Names, stage: Stage) -> Reading:
    """Read one message of this speaker."""
    narrator = speaker.kind == "narrator"
    found = pieces(content, own=speaker.names, narrator=narrator)
    told = [piece.text for piece in found if piece.kind == "action"]
    spoken = _spoken(found, narrator=narrator)
    vocatives = _addressed(spoken, speaker, names)
    return Reading(
        confined=confinement(found, names, vocatives, narrator=narrator),
        addressed=vocatives,
        named=_others(speaker.id, (mention.id for piece in found for mention in names.find(piece.text))),
        together=any(_WE.search(text) for text in spoken),
        moves=read_movements(told, names, stage),
        leave=next((leave for text in spoken if (leave := takes_leave(text))), None),
        returns=any(returns(text) for text in spoken),
        in_story=_in_story(found),
    )


def spoken_to(content: str, speaker: Character, names: Names) -> tuple[str, ...]:
    """Ids of those this speaker speaks to by name, in order."""
    narrator = speaker.kind == "narrator"
    return _addressed(_spoken(pieces(content, own=speaker.names, narrator=narrator), narrator=narrator), speaker, names)


def tells_no_movement(content: str) -> bool:
    """Whether nobody's coming or going is told in action text: `I have to go`, but not `*leaves the room*`."""
    return not any(piece.kind == "action" and has_movement(piece.text) for piece in pieces(content))


def _spoken(found: tuple[Piece, ...], *, narrator: bool) -> list[str]:
    return [] if narrator else [piece.text for piece in found if piece.kind == "spoken"]


def _addressed(spoken: Iterable[str], speaker: Character, names: Names) -> tuple[str, ...]:
    return _others(speaker.id, (id for text in spoken for id in addressed(text, names.find(text))))


def _in_story(found: tuple[Piece, ...]) -> bool:
    return any(piece.kind not in PRIVATE and piece.kind != "quoted" for piece in found)


def _others(speaker: str, ids: Iterable[str]) -> tuple[str, ...]:
    return tuple(id for id in dict.fromkeys(ids) if id != speaker)
