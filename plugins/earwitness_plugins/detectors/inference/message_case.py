"""One message with everything the rules weigh, and how sure they are."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import lru_cache
from itertools import pairwise

from earwitness.records.base import Record
from earwitness.records.character import Character
from earwitness.records.message import Message, Role
from earwitness.records.moment import Moment, Movement, Perceived, Presence, Probability, Segment
from earwitness.records.state import Whereabouts
from earwitness.shared_values import made_of

from ..acts.signs import NO_SIGNS, Signs
from ..dialogue.line_words import LineWords
from ..text.headings import place_id
from ..text.message_reading import Reading
from ..text.movements import Move
from ..text.names import Names
from ..text.partings import PARTING
from ..text.segments import HeardSegment
from ..text.surroundings import APART_FROM_ALL, Surroundings
from .stages import PieceAtPlace

_TOGETHER = 2
"""So many who leave at once are together from then on."""
Believed = Iterable[tuple[str, Perceived]] | Mapping[str, Perceived]
"""What is believed of characters, by id."""
LinesRead = Callable[[Message], LineWords]
"""A recent message → whom it calls by name, and whom it only talks about."""


class Confidences(Record):
    """How sure the rules are, as probabilities of perceiving the message. Those from 0.5 on remember it by default."""

    here: Probability = 0.9
    """Here, and silent of late."""
    lively: Probability = 0.95
    """Here, and spoke lately or is named together with the speaker."""
    on_stage: Probability = 0.95
    """On stage in a play."""
    addressed: Probability = 0.97
    """Here, and spoken to by name."""
    entered: Probability = 0.95
    """Comes in by this very message."""
    unplaced_addressed: Probability = 0.85
    """Spoken to by name before the story has said where they are."""
    counted_in: Probability = 0.8
    """Acts with the speaker (`Bob and I`), before anybody has been placed."""
    unplaced_leaving: Probability = 0.7
    """Told to go before the story has said that they were here."""
    called: Probability = 0.4
    """Called over a radio or a phone, and not known to answer."""
    rung_up: Probability = 0.8
    """Rung up, or called by name into a telephone or a radio, and not told to be out of reach."""
    parting: Probability = 0.7
    """Has just taken leave, and is answered."""
    leaving: Probability = 0.25
    """Somebody who is at least this likely to leave, by their words, is taken to have left. A leak weighs three times
    a miss."""
    faded: Probability = 0.35
    """Likely to be there as seldom as this, somebody who fell silent is taken to have gone."""
    together: Probability = 0.3
    """Named where the speaker says `we`, but not placed by the story."""
    overhearing: Probability = 0.1
    """Here, while others whisper."""
    unaware: Probability = 0.02
    """Here, while somebody thinks, or speaks aside or out of character."""
    told_of: Probability = 0.75
    """Elsewhere or gone as far as the story has told, and told of as doing something."""
    mentioned: Probability = 0.05
    """Only talked about."""


@dataclass(frozen=True, slots=True)
class MessageCase:
    """One message, read, in its scene."""

    moment: Moment
    speaker: Character
    reading: Reading
    scene: Surroundings
    names: Names
    confidences: Confidences
    lively: frozenset[str]
    """Ids of those who spoke lately."""
    fading: Mapping[str, float] = field(default_factory=dict)
    """Id → the probability that they are still there, of those who fell silent where nobody tells who goes."""
    signs_of: Callable[[Message], Signs] = lambda message: NO_SIGNS
    """What the words of a recent message say of its speaker's going."""
    distant: Mapping[str, str] = field(default_factory=dict)
    """Id → their place, of those in a place around this one, or within it, who hear what is said openly."""
    brought: tuple[str, ...] = ()
    """Ids of those who have come to the scene with the speaker, as the text has it."""
    told: tuple[PieceAtPlace, ...] = ()
    """A narration that says where it happens, piece by piece."""
    across: Mapping[str, str] = field(default_factory=dict)
    """Id → their place, of those elsewhere to whom it is called, or who are answered."""
    rung_up: frozenset[str] = frozenset()
    """Ids of those elsewhere who hear what is said into a telephone or a radio."""

    def presence(self, *believed: Believed, movements: Iterable[Movement] = ()) -> Presence:
        """The answer: the first belief about a character counts; a character who is only named is mentioned."""
        characters = {self.speaker.id: perceived(1, "speaker", "said it")}
        for part in believed:
            if isinstance(part, Mapping):  # perhaps of thousands
                characters = {**characters, **part, **characters}
                continue
            for id, who in part:
                characters.setdefault(id, who)
        for id in self.reading.named:
            if id not in characters:
                characters[id] = self.talked_about(id)
        return Presence(characters=characters, movements=tuple(movements), segments=self._segments())

    def _segments(self) -> tuple[Segment, ...]:
        return self._placed_segments() if len(self.told) > 1 else self._read_segments()

    def _placed_segments(self) -> tuple[Segment, ...]:
        """A narration that tells of several places: at each, what is private there is for those it is for."""
        text, private = self.moment.message.content, self._private_spans()
        found, at = list[Segment](), 0
        for each in self.told:
            here = (*each.scene.near, *each.brought)
            start = text.find(each.text, at)
            end = start + len(each.text)
            edges = {start, end, *(edge for span in private for edge in span[:2] if start < edge < end)}
            for begin, stop in pairwise(sorted(edges)):
                alone = next((segment for low, high, segment in private if low <= begin and stop <= high), None)
                if alone is not None:
                    found.append(alone.model_copy(update={"text": text[begin:stop]}))
                else:
                    found.append(Segment(text=text[begin:stop], kind="action", audience=here))
            at = end
        return tuple(found)

    def _private_spans(self) -> tuple[tuple[int, int, Segment], ...]:
        """Where in the message what only some perceive stands."""
        text, spans, at = self.moment.message.content, list[tuple[int, int, Segment]](), 0
        for segment in self._read_segments():
            begin = text.find(segment.text, at)
            at = begin + len(segment.text) if begin >= 0 else at
            if begin >= 0 and segment.audience is not None and segment.kind != "action":
                spans.append((begin, at, segment))
        return tuple(spans)

    def _read_segments(self) -> tuple[Segment, ...]:
        """What each of them perceives of it; nobody who is gone for good is in a whisper's audience."""
        return tuple(
            Segment(text=part.text, kind=part.kind, audience=self._audience(part)) for part in self.reading.segments
        )

    def _audience(self, part: HeardSegment) -> tuple[str, ...] | None:
        """What is done goes neither over a call nor from place to place."""
        if part.audience is not None:
            return part.audience if part.sent else self._within(part.audience)
        if part.kind != "action":
            return None
        places = self.moment.whereabouts.items()
        far = (
            {id for id, where in places if where.condition == "on_call"} - {self.speaker.id}
            | self.distant.keys()
            | self.rung_up
        )
        return tuple(id for id in self.moment.cast.ids if id not in far) if far else None

    def _within(self, audience: tuple[str, ...]) -> tuple[str, ...]:
        """A whisper does not reach a character who is known to be elsewhere; a direct message reaches anybody."""
        if self.moment.message.context == "dm":
            return audience
        return tuple(id for id in audience if id in self.scene.near or self.scene.unplaced(id))

    def near(self, id: str) -> Perceived:
        """Somebody who is where an open message is said."""
        where = self.scene.places[id]
        if where.condition == "hiding":
            return self._here(where)
        since = self.scene.since_of(where)
        if id in self.reading.addressed:
            return perceived(self.confidences.addressed, "addressee", "spoken to by name", since)
        if self.reading.together and id in self.reading.named:
            return perceived(self.confidences.lively, "present", "named together with the speaker", since)
        if (left := self.fading.get(id, 1)) < self.confidences.here:
            return perceived(left, "present", since, "has been silent since, among others who speak")
        if id in self.lively:
            return perceived(self.confidences.lively, "present", "spoke lately", since)
        return self._here(where)

    @property
    def all_near(self) -> Mapping[str, Perceived]:
        """Everybody who is where an open message is said. Thousands may share one record of where they are: of those
        whom nothing else singles out, each such record is judged once."""
        reading, places, near = self.reading, self.scene.places, self.scene.near
        found = dict(zip(near, made_of(map(places.__getitem__, near), self._here), strict=True))
        singled_out = {*reading.addressed, *reading.named, *self.fading, *self.lively}
        found.update({name: self.near(name) for name in singled_out if name in found})
        return found

    def _here(self, where: Whereabouts) -> Perceived:
        """Somebody of whom nothing is known but where they are."""
        since = self.scene.since_of(where)
        if where.condition == "hiding":
            return perceived(self.confidences.here, "overhearing", "is hiding", since)
        return perceived(self.confidences.here, "present", since)

    def replaced(self, scene: Surroundings) -> MessageCase:
        """The same message at another place."""
        return replace(self, scene=scene)

    def from_elsewhere(self, id: str) -> Perceived:
        """Somebody who hears it in another place."""
        role: Role = "addressee" if id in self.reading.addressed else "overhearing"
        how = "is shouted" if self.reading.shouted else "carries"
        return perceived(self.confidences.here, role, f"it {how}, as far as {self.distant[id]}")

    def called_to(self, id: str) -> Perceived:
        """Somebody elsewhere to whom it is called."""
        return perceived(
            self.confidences.unplaced_addressed, "addressee", f"it is called to them, in {self.across[id]}"
        )

    def whispered_to(self, id: str) -> Perceived:
        """Somebody here to whom a message is whispered."""
        return perceived(self.confidences.addressed, "addressee", "it is whispered to them", self.scene.since(id))

    def shut_out(self, id: str) -> Perceived:
        """Somebody who is where a message is said that is not for them."""
        if self.reading.confined and self.reading.confined.how == "whisper":
            return perceived(self.confidences.overhearing, "overhearing", "here, but it is whispered to others")
        return perceived(self.confidences.unaware, "present", "here, but it is not said aloud")

    def talked_about(self, id: str) -> Perceived:
        """Somebody who is named, and no more."""
        if self.reading.together and self.scene.unplaced(id):
            return perceived(
                self.confidences.together, "mentioned", "named together with the speaker, not known to be here"
            )
        if self._does_something(id):
            return perceived(self.confidences.told_of, "present", "it tells what they do")
        return perceived(self.confidences.mentioned, "mentioned", "only talked about")

    def _does_something(self, id: str) -> bool:
        """Whether the text tells openly of somebody's doings who was gone, or at another place."""
        open_to_others = id in self.reading.acting and not self.reading.confined and not self.moment.placed
        return open_to_others and not self.scene.unplaced(id) and self.scene.condition(id) in ("awake", "hiding")

    @property
    def narrated_moves(self) -> tuple[Movement, ...]:
        """The comings and goings that its action text tells."""
        moved: dict[str, Movement] = {}
        found = []
        for move in self.reading.moves:
            if self.narrates(move.id) or (move.otherwise and not self._goes_away(move.id, moved)):
                continue
            movement = self._moved(move)
            if movement is not None:
                moved[move.id] = movement
                found.append((move, movement))
        of_all = self.moves_of_all if found else ()
        return self._apart([(move, movement) for move, movement in found if move not in of_all])

    @property
    def moves_of_all(self) -> tuple[Move, ...]:
        """Leavings of all who are here, in one body: where nobody stays behind, nobody has left the others."""
        moves = self.reading.moves
        here = {id for id in self.scene.near if not self.narrates(id)}
        if len(here) < _TOGETHER or not here.issubset(move.id for move in moves) or self._somebody_lies_here():
            return ()
        words = {next(iter(body.values())).evidence for body in _bodies(moves) if here <= body.keys()}
        return tuple(move for move in moves if move.kind == "leave" and move.evidence in words)

    def _somebody_lies_here(self) -> bool:
        return any(self.scene.lies(id) for id in self.moment.whereabouts)

    def _apart(self, found: Sequence[tuple[Move, Movement]]) -> tuple[Movement, ...]:
        """Those who leave others together stay together: what they say next is said where they are."""
        leaving = [move for move, movement in found if movement.kind == "leave"]
        bodies = [body for body in _bodies(leaving) if len(body) >= _TOGETHER]
        together = {next(iter(body.values())).evidence for body in bodies}
        if "[" in self.moment.message.content:  # a script's cues move one after the other
            return tuple(movement for _, movement in found)
        return tuple(
            movement.model_copy(update={"place": self._place_apart(move)})
            if movement.kind == "leave" and move.evidence in together
            else movement
            for move, movement in found
        )

    def _place_apart(self, move: Move) -> str:
        """The place they leave for; without a name, it is one that nobody else can mean."""
        return (move.to and place_id(move.to)) or f"{APART_FROM_ALL}{self.moment.message.sequence}"

    def _moved(self, move: Move) -> Movement | None:
        """What a coming or going means here; leaving for a known place is going there."""
        if move.to and self.scene.known_place(move.to) is not None:
            move = replace(move, kind="enter", place=move.to)
        return self._own_leaving(move) or self.scene.movement(move, narrated=self.speaker.kind == "narrator")

    def _goes_away(self, id: str, moved: Mapping[str, Movement]) -> bool:
        """Whether somebody who was here goes to no place that the story knows."""
        return id in self.scene.near and not (id in moved and moved[id].kind == "move")

    def _own_leaving(self, move: Move) -> Movement | None:
        """Whoever speaks is here, and goes with it even where the story had lost sight of them."""
        if move.id != self.speaker.id or move.kind != "leave" or not self.reading.in_story:
            return None
        return Movement(character=move.id, kind="leave", evidence=f"left: {move.evidence!r}")

    def narrates(self, id: str) -> bool:
        """Narrators are outside the scene: they neither come nor go."""
        return self.moment.cast[id].kind == "narrator"


def _bodies(moves: Iterable[Move]) -> Iterator[Mapping[str, Move]]:
    """Those who leave by the same words, by id; not those who part."""
    bodies: dict[str, dict[str, Move]] = {}
    for move in moves:
        if move.kind == "leave" and not PARTING.search(move.evidence):
            bodies.setdefault(move.evidence, {})[move.id] = move
    yield from bodies.values()


@lru_cache(maxsize=1024)
def perceived(probability: float, role: Role, *evidence: str) -> Perceived:
    """What is believed of one character, with why."""
    return Perceived(probability=probability, role=role, evidence=evidence)
