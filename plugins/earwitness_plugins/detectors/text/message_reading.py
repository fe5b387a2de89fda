"""One message, read: who is named and spoken to, who comes and goes, and who alone may perceive it."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Literal

from earwitness.patterns import lazy_pattern
from earwitness.records.character import Character
from earwitness.sentences import sentences

from ..acts.deeds import deeds
from ..acts.inventory import Inventory
from ..acts.signs import NO_SIGNS, Signs, signs
from ..discretion.private_headings import private_heading
from ..discretion.requests import is_request
from ..journeys.company import called_along, sent
from ..journeys.cues import cues
from ..journeys.reader import journeys
from .actors import actors
from .arrivals import but_arrivals
from .call_patterns import CALLS, ENDS_CALL, RINGS, TELLS_OF_PHONE, VOICE
from .companions import companions
from .condition_patterns import SLUMBERS
from .farewells import returns
from .fragments import ROLE_PLAY, as_written, fragments, stretches
from .guards import guarded_pattern
from .headings import Heading, heading, headings, is_set_by_speaker
from .idioms import of_who_stays, without_idioms
from .marks import PRIVATE, Conventions
from .movements import Move, Referents, has_movement, read_movements
from .names import Names, own_names
from .narrated_pieces import narrated_segments
from .privacy import Confinement, confinement
from .segments import HeardSegment, segments
from .shouts import is_shouted
from .stretches import Fragment, Stretch
from .vocatives import addressed

_WORD = lazy_pattern(r"[^\W_]")
_RECITED = guarded_pattern(
    r"(?<=reads)(?:\s+(?:aloud|out\s+loud|out))?:|(?<=reading):|(?<=says):|(?<=writes):|(?<=wrote):|(?<=recites):|(?<=sings):"
)
_PICTURE = lazy_pattern(
    r"\W*(?:(?:sprites?|figures?|portraits?|bg|cg)\b[^:]{0,12}:|(?:left|right|cent(?:re|er))\s*:)", re.IGNORECASE
)
"""What is to be seen, where `left` is a side: `[SPRITES: Ann left, Bob right]`; `journeys.cues` reads who comes."""
_QUOTE = lazy_pattern('["“„«「]')
_WE = guarded_pattern(r"\b(?:we|us|our|ours|ourselves|let's|and\s+(?:I|me|myself))\b", re.IGNORECASE)


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
    acting: tuple[str, ...] = ()
    """Ids of those of whom its action text tells that they do something."""
    headings: tuple[Heading, ...] = ()
    """Where the text says that it happens, in order; a character's has one at most."""

    @property
    def sent_to(self) -> tuple[str, ...]:
        """Ids of those to whom something is sent, wherever they are, as by text message."""
        if self.confined and self.confined.sent:
            return self.confined.listeners
        return tuple(dict.fromkeys(id for part in self.segments if part.sent for id in part.audience or ()))

    @property
    def is_sent(self) -> bool:
        """Whether it is sent as a whole: nothing is said where its speaker is."""
        if self.confined:
            return self.confined.sent
        return any(part.sent for part in self.segments) and not self.aloud


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
    headed: bool = False,
) -> Reading:
    """Read one message of this speaker. Judged `whole`, its narrowest piece decides who perceives any of it.

    A whisper that names nobody is for those it is `between`, where a channel says who that is. Where the
    story is `headed`, a character's message opens with its place more easily.
    """
    narrator = speaker.kind == "narrator"
    if narrator and is_request(content):
        return _REQUEST
    opening = None if narrator or conventions.staged else _opening(content, headed=headed)
    body = content[opening.end :] if opening and opening.set_off else content
    cut = stretches(body, own=own_names(speaker.names), narrator=narrator, conventions=conventions)
    found = tuple(piece for stretch in cut for piece in stretch.fragments)
    narrated = list(_told(found))
    said = _spoken(found, narrator=narrator)
    vocatives = _addressed(said, speaker, names)
    whispered_to = vocatives or tuple(between)

    def called(some: Sequence[Fragment]) -> tuple[str, ...]:
        return _addressed(_spoken(tuple(some), narrator=False), speaker, names)

    narrowest = confinement(found, names, whispered_to, narrator=narrator)
    if whole or (narrator and conventions.staged):
        parts: tuple[HeardSegment, ...] = ()
    elif narrator:
        parts = narrated_segments(as_written(content), names, private=narrowest is not None)
    else:
        parts = segments(cut, names, called, between)
    if parts and len(body) < len(content):
        parts = (HeardSegment(content[: len(content) - len(body)], "action", None), *parts)
    if not narrator and (headed_for := private_heading(content, names)) is not None:
        alone = _others(speaker.id, headed_for) or tuple(between)
        narrowest = Confinement("whisper", alone, sent=True)
        parts = (HeardSegment(content, "whisper", alone, sent=True),)
    return Reading(
        confined=_confined(parts) if parts and (narrowest or narrator) else narrowest,
        segments=parts if narrowest or len(parts) > 1 else (),
        addressed=vocatives,
        named=_others(speaker.id, (mention.id for piece in found for mention in names.find(piece.text))),
        together=any(_WE.search(text) for text in said),
        moves=_moves(content, cut, names, stage, inventory),
        signs=signs([(text, names.find(text)) for text in said], inventory) if inventory else NO_SIGNS,
        returns=any(returns(text) for text in said),
        in_story=_in_story(found),
        aloud=_aloud(found, parts),
        slumbers=any(SLUMBERS.search(text) for text in narrated),
        call=(call := _call(narrated)),
        voices=_voices(narrated, names) if call == "on" else (),
        shouted=not narrator and is_shouted(found, own_names(speaker.names)),
        acting=_others(speaker.id, actors(narrated, names)),
        headings=() if conventions.staged else _headings(content, opening, cut, narrator=narrator, headed=headed),
    )


_REQUEST = Reading(
    confined=Confinement("ooc", ()),
    segments=(),
    addressed=(),
    named=(),
    together=False,
    moves=(),
    signs=NO_SIGNS,
    returns=False,
    in_story=False,
    aloud=False,
    slumbers=False,
    call=None,
    voices=(),
    shouted=False,
)
"""What a reader asks of whoever writes the story: nobody perceives it, and nothing happens by it."""


def _headings(
    content: str, opening: Heading | None, cut: Sequence[Stretch], *, narrator: bool, headed: bool
) -> tuple[Heading, ...]:
    """A narrator's are all over the text; a character's message opens with one, or the deed does that it opens with."""
    if narrator:
        return headings(content)
    if opening is None and cut and cut[0].fragments[:1] and cut[0].fragments[0].kind == "action":
        opening = _opening(content, told=True, headed=headed)
    return (opening,) if opening else ()


def _opening(content: str, *, headed: bool, told: bool = False) -> Heading | None:
    """The heading with which a character's message opens."""
    found = heading(content, told=told)
    return found if found and (headed or is_set_by_speaker(content, found)) else None


def _moves(
    content: str, cut: Sequence[Stretch], names: Names, stage: Referents, inventory: Inventory | None
) -> tuple[Move, ...]:
    """Comings and goings told in a message; what a chat program says of them in a narrator's first."""
    found = tuple(piece for stretch in cut for piece in stretch.fragments)
    texts = [
        sentence
        for text in _told(found, own=stage.teller is not None)
        for sentence in sentences(text)
        if not _PICTURE.match(sentence)
    ]
    stage = sent(found, names, stage)
    about = replace(stage, subjects=(stage.sent,)) if stage.sent and stage.teller is None else stage
    moves = read_movements(texts, names, about) if texts else ()
    if inventory is None:
        return moves
    by_program = stage.teller is None and not ("\n" in content and _QUOTE.search(content))  # none quotes what is said
    of_system = tuple(inventory.system.moves(content, names, stage.here)) if by_program else ()
    known = {move.id for move in of_system}
    moves = (*of_system, *(move for move in moves if move.id not in known))
    journeyed = (*_journeys(cut, names, stage), *cues(content, names, stage.teller, stage.here))
    moves = (*moves, *_besides(moves, {move.id: move for move in journeyed}))
    moves = but_arrivals(moves, found, stage.teller) if moves and stage.teller else moves
    moves = (*moves, *called_along(found, moves, names, stage)) if moves else ()
    return (*moves, *deeds(texts, names, stage.teller, moves, inventory)) if texts else moves


def _besides(moves: Sequence[Move], journeyed: Mapping[str, Move]) -> Iterator[Move]:
    """What the clauses tell that the sentences as a whole do not."""
    known = {move.id: move for move in moves}
    for id, move in journeyed.items():
        before = known.get(id)
        if before is None or (before.kind == "leave" and move.kind == "enter"):
            yield move
        elif before.kind == "enter" and move.kind == "leave":
            yield replace(move, otherwise=True)


def _journeys(cut: Sequence[Stretch], names: Names, stage: Referents) -> Iterator[Move]:
    """Those that prose tells; one's own also beside a thought: `He did not like it, but he went.`."""
    found = [(piece, stretch.mark) for stretch in cut for piece in stretch.fragments]
    after = _said_after([piece for piece, _ in found]) if stage.teller else ()
    last_word = max((at for at, (piece, _) in enumerate(found) if piece.kind == "spoken"), default=-1)
    told = [
        (sentence, at < last_word)
        for at, (piece, mark) in enumerate(found)
        if piece.kind == "action" or (piece.kind == "thought" and mark == "narrated" and stage.teller)
        for sentence in sentences(_goings(piece.text, after[at] if after else ""))
        if not _PICTURE.match(sentence)
    ]
    if told:
        yield from journeys(told, names, stage)


def _told(found: Sequence[Fragment], *, own: bool = False) -> Iterator[str]:
    """What is told, up to what somebody reads out; `own` is what the speaker tells of themselves."""
    after = _said_after(found) if own else ()
    for at, piece in enumerate(found):
        if piece.kind == "action":
            yield _goings(piece.text, after[at] if own else "")


def _said_after(found: Sequence[Fragment]) -> Sequence[str]:
    """What is said next after each piece."""
    said, after = "", list[str]()
    for piece in reversed(found):
        after.append(said)
        said = piece.text if piece.kind == "spoken" else said
    return after[::-1]


def _goings(told: str, said_after: str) -> str:
    """What is told, without that which only looks like a going."""
    return of_who_stays(without_idioms(_RECITED.split(told, maxsplit=1)[0]), said_after)


def _confined(parts: tuple[HeardSegment, ...]) -> Confinement | None:
    """Who may perceive any of it: `None` for everybody, when a piece with words in it is open."""
    if any(part.audience is None and _WORD.search(part.text) for part in parts):
        return None
    private = [part for part in parts if part.audience is not None]
    listeners = tuple(dict.fromkeys(id for part in private for id in part.audience or ()))
    return Confinement("whisper" if listeners else private[0].kind, listeners, all(part.sent for part in private))


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
        if CALLS.search(text) or RINGS.search(text):
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


def rung(content: str, speaker: Character, names: Names) -> tuple[str, ...]:
    """Ids of those whom this speaker rings up by name, as the action text tells."""
    texts = [piece.text for piece in fragments(content, own=own_names(speaker.names)) if piece.kind == "action"]
    spans = [(text, found.span()) for text in texts for found in RINGS.finditer(text)]
    return _others(
        speaker.id,
        (each.id for text, (begin, end) in spans for each in names.find(text) if begin <= each.start < end),
    )


def tells_of_phone(content: str) -> bool:
    """Whether the action text of a message tells of a telephone or a radio."""
    if TELLS_OF_PHONE.search(content) is None:
        return False
    return any(TELLS_OF_PHONE.search(piece.text) for piece in fragments(content) if piece.kind == "action")


def _others(speaker: str, ids: Iterable[str]) -> tuple[str, ...]:
    return tuple(id for id in dict.fromkeys(ids) if id != speaker)
