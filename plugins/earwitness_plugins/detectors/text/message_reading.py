"""One message, read: who is named and spoken to, who comes and goes, and who alone may perceive it."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Literal

from earwitness.patterns import lazy_pattern
from earwitness.records.character import Character
from earwitness.sentences import sentences

from ..acts.deeds import deeds
from ..acts.inventory import Inventory
from ..acts.signs import NO_SIGNS, Signs, signs
from .companions import companions
from .condition_patterns import CALLS, ENDS_CALL, SLUMBERS, VOICE
from .farewells import returns
from .fragments import ROLE_PLAY, Fragment, as_written, fragments, stretches
from .marks import PRIVATE, Conventions
from .movements import Move, Referents, has_movement, read_movements
from .names import Names, own_names
from .narrated_pieces import narrated_segments
from .privacy import Confinement, confinement
from .segments import HeardSegment, segments
from .shouts import is_shouted
from .vocatives import addressed

_WORD = lazy_pattern(r"[^\W_]")
_RECITED = lazy_pattern(
    r"(?<=reads)(?:\s+(?:aloud|out\s+loud|out))?:|(?<=reading):|(?<=says):|(?<=writes):|(?<=wrote):|(?<=recites):|(?<=sings):"
)
_WE = lazy_pattern(r"\b(?:we|us|our|ours|ourselves|let's|and\s+(?:I|me|myself))\b", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class Reading:
    """What a message's text says about who perceives it; nothing of where anybody was before."""

    confined: Confinement | None
    """Who alone may perceive any of it; `None` when some of it is open."""
    segments: tuple[HeardSegment, ...]
    """What it is made of; empty when it is open as a whole, or judged as a whole."""
    addressed: tuple[str, ...]
    """Ids of those spoken to by name."""
    named: tuple[str, ...]
    """Ids of all who are named, the speaker not counted."""
    together: bool
    """The speaker says `we`."""
    moves: tuple[Move, ...]
    """Comings and goings told in action text."""
    signs: Signs
    """What its words say of the speaker's going, in any language."""
    returns: bool
    """Whether, having just taken leave, the speaker stays after all."""
    in_story: bool
    """Something is said or done where others are; false for mere thoughts and talk out of character."""
    aloud: bool
    """Something is said openly."""
    slumbers: bool
    """The text says that the speaker sleeps on, or lies there: `*snores*`, `*mumbles in her sleep*`."""
    call: Literal["on", "off"] | None
    """Something is said over a radio, a phone, …; or the call is ended."""
    voices: tuple[str, ...]
    """Ids of those whose voice comes over it, according to the text."""
    shouted: bool
    """What is said openly is shouted."""


def read(
    content: str,
    speaker: Character,
    names: Names,
    stage: Referents,
    *,
    conventions: Conventions = ROLE_PLAY,
    whole: bool = False,
    between: Sequence[str] = (),
    inventory: Inventory | None = None,
) -> Reading:
    """Read one message of this speaker. Judged `whole`, its narrowest piece decides who perceives any of it.

    A whisper that names nobody is for those it is `between`, where a channel says who that is.
    """
    narrator = speaker.kind == "narrator"
    cut = stretches(content, own=own_names(speaker.names), narrator=narrator, conventions=conventions)
    found = tuple(piece for stretch in cut for piece in stretch.fragments)
    narrated = [_RECITED.split(piece.text, maxsplit=1)[0] for piece in found if piece.kind == "action"]
    said = _spoken(found, narrator=narrator)
    vocatives = _addressed(said, speaker, names)
    whispered_to = vocatives or tuple(between)
    if whole or (narrator and conventions.staged):
        parts: tuple[HeardSegment, ...] = ()
    else:
        parts = narrated_segments(as_written(content), names) if narrator else segments(cut, names, whispered_to)
    narrowest = confinement(found, names, whispered_to, narrator=narrator)
    return Reading(
        confined=_confined(parts) if parts and (narrowest or narrator) else narrowest,
        segments=parts if narrowest or len(parts) > 1 else (),
        addressed=vocatives,
        named=_others(speaker.id, (mention.id for piece in found for mention in names.find(piece.text))),
        together=any(_WE.search(text) for text in said),
        moves=_moves([sentence for text in narrated for sentence in sentences(text)], names, stage, inventory),
        signs=signs([(text, names.find(text)) for text in said], inventory) if inventory else NO_SIGNS,
        returns=any(returns(text) for text in said),
        in_story=_in_story(found),
        aloud=_aloud(found, parts),
        slumbers=any(SLUMBERS.search(text) for text in narrated),
        call=(call := _call(narrated)),
        voices=_voices(narrated, names) if call == "on" else (),
        shouted=not narrator and is_shouted(found, own_names(speaker.names)),
    )


def _moves(told: Sequence[str], names: Names, stage: Referents, inventory: Inventory | None) -> tuple[Move, ...]:
    """Comings and goings told in these sentences, and the deeds by which somebody leaves in any language."""
    moves = read_movements(told, names, stage)
    return (*moves, *deeds(told, names, stage.teller, moves, inventory)) if inventory and told else moves


def _confined(parts: tuple[HeardSegment, ...]) -> Confinement | None:
    """Who may perceive any of it: `None` for everybody, when a piece with words in it is open."""
    if any(part.audience is None and _WORD.search(part.text) for part in parts):
        return None
    private = [part for part in parts if part.audience is not None]
    listeners = tuple(dict.fromkeys(id for part in private for id in part.audience or ()))
    return Confinement("whisper" if listeners else private[0].kind, listeners)


def spoken_to(content: str, speaker: Character, names: Names) -> tuple[str, ...]:
    """Ids of those this speaker speaks to by name, in order."""
    narrator = speaker.kind == "narrator"
    return _addressed(
        _spoken(fragments(content, own=own_names(speaker.names), narrator=narrator), narrator=narrator), speaker, names
    )


def spoken(content: str, speaker: Character) -> list[str]:
    """What this speaker says in it, in pieces."""
    return _spoken(fragments(content, own=own_names(speaker.names)), narrator=speaker.kind == "narrator")


def counted_in(content: str, speaker: Character, names: Names) -> tuple[str, ...]:
    """Ids of those whom this speaker counts in as acting with them (`Bob and I`), in order."""
    return _others(speaker.id, (id for text in spoken(content, speaker) for id in companions(text, names.find(text))))


def tells_no_movement(content: str) -> bool:
    """Whether the action text tells of nobody's coming or going: `I have to go`, but not `*leaves the room*`."""
    narrated = [piece.text for piece in fragments(content) if piece.kind == "action"]
    return not any(has_movement(text) or ENDS_CALL.search(text) for text in narrated)


def _spoken(found: tuple[Fragment, ...], *, narrator: bool) -> list[str]:
    return [] if narrator else [piece.text for piece in found if piece.kind == "spoken"]


def _addressed(spoken: Iterable[str], speaker: Character, names: Names) -> tuple[str, ...]:
    return _others(speaker.id, (id for text in spoken for id in addressed(text, names.find(text))))


def _in_story(found: tuple[Fragment, ...]) -> bool:
    return any(piece.kind not in PRIVATE and piece.kind != "quoted" for piece in found)


def _aloud(found: tuple[Fragment, ...], parts: tuple[HeardSegment, ...]) -> bool:
    if parts:
        return any(part.kind == "spoken" and part.audience is None and _WORD.search(part.text) for part in parts)
    return any(piece.kind == "spoken" for piece in found)


def _call(narrated: Iterable[str]) -> Literal["on", "off"] | None:
    for text in narrated:
        if ENDS_CALL.search(text):
            return "off"
        if CALLS.search(text):
            return "on"
    return None


def _voices(narrated: Iterable[str], names: Names) -> tuple[str, ...]:
    calls = (text for text in narrated if CALLS.search(text))
    return tuple(
        mention.id
        for text in calls
        for mention in names.find(text)
        if mention.possessive and VOICE.match(text, mention.end)
    )


def on_call(content: str) -> bool:
    """Whether a character's message is said over a radio, a phone, and the like."""
    return _call(piece.text for piece in fragments(content) if piece.kind == "action") == "on"


def _others(speaker: str, ids: Iterable[str]) -> tuple[str, ...]:
    return tuple(id for id in dict.fromkeys(ids) if id != speaker)
