"""One message with everything the rules weigh, and how sure they are."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from functools import lru_cache

from earwitness.records.base import Record
from earwitness.records.character import Character
from earwitness.records.message import Message, Role
from earwitness.records.moment import Moment, Movement, Perceived, Presence, Probability, Segment

from ..acts.signs import NO_SIGNS, Signs
from ..text.message_reading import Reading
from ..text.names import Names
from ..text.segments import HeardSegment
from ..text.surroundings import Surroundings


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
    parting: Probability = 0.7
    """Has just taken leave, and is answered."""
    leaving: Probability = 0.25
    """As likely as this to go by their words, somebody is taken to have gone: a leak weighs three times a miss."""
    faded: Probability = 0.35
    """Likely to be there as seldom as this, somebody who fell silent is taken to have gone."""
    together: Probability = 0.3
    """Named where the speaker says `we`, but not placed by the story."""
    overhearing: Probability = 0.1
    """Here, while others whisper."""
    unaware: Probability = 0.02
    """Here, while somebody thinks, or speaks aside or out of character."""
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

    def presence(self, believed: Iterable[tuple[str, Perceived]], movements: Iterable[Movement] = ()) -> Presence:
        """The answer: the first belief about a character counts; a character who is only named is mentioned."""
        characters = {self.speaker.id: perceived(1, "speaker", "said it")}
        for id, who in believed:
            characters.setdefault(id, who)
        for id in self.reading.named:
            if id not in characters:
                characters[id] = self.talked_about(id)
        return Presence(characters=characters, movements=tuple(movements), segments=self._segments())

    def _segments(self) -> tuple[Segment, ...]:
        """What each of them perceives of it; nobody who is gone for good is in a whisper's audience."""
        return tuple(
            Segment(text=part.text, kind=part.kind, audience=self._audience(part)) for part in self.reading.segments
        )

    def _audience(self, part: HeardSegment) -> tuple[str, ...] | None:
        """What is done goes neither over a call nor from place to place."""
        if part.audience is not None:
            return self._within(part.audience)
        if part.kind != "action":
            return None
        places = self.moment.whereabouts.items()
        far = {id for id, where in places if where.condition == "on_call"} - {self.speaker.id} | self.distant.keys()
        return tuple(id for id in self.moment.cast.ids if id not in far) if far else None

    def _within(self, audience: tuple[str, ...]) -> tuple[str, ...]:
        """A whisper does not reach a character who is known to be elsewhere; a direct message reaches anybody."""
        if self.moment.message.context == "dm":
            return audience
        return tuple(id for id in audience if id in self.scene.near or self.scene.unplaced(id))

    def near(self, id: str) -> Perceived:
        """Somebody who is where an open message is said."""
        since = self.scene.since(id)
        if self.scene.condition(id) == "hiding":
            return perceived(self.confidences.here, "overhearing", "is hiding", since)
        if id in self.reading.addressed:
            return perceived(self.confidences.addressed, "addressee", "spoken to by name", since)
        if self.reading.together and id in self.reading.named:
            return perceived(self.confidences.lively, "present", "named together with the speaker", since)
        if (left := self.fading.get(id, 1)) < self.confidences.here:
            return perceived(left, "present", since, "has been silent since, among others who speak")
        if id in self.lively:
            return perceived(self.confidences.lively, "present", "spoke lately", since)
        return perceived(self.confidences.here, "present", since)

    def from_elsewhere(self, id: str) -> Perceived:
        """Somebody who hears it in another place."""
        role: Role = "addressee" if id in self.reading.addressed else "overhearing"
        how = "is shouted" if self.reading.shouted else "carries"
        return perceived(self.confidences.here, role, f"it {how}, as far as {self.distant[id]}")

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
        return perceived(self.confidences.mentioned, "mentioned", "only talked about")

    @property
    def narrated_moves(self) -> tuple[Movement, ...]:
        """The comings and goings that its action text tells."""
        narrated = self.speaker.kind == "narrator"
        found = (
            self.scene.movement(move, narrated=narrated) for move in self.reading.moves if not self.narrates(move.id)
        )
        return tuple(movement for movement in found if movement is not None)

    def narrates(self, id: str) -> bool:
        """Narrators are outside the scene: they neither come nor go."""
        return self.moment.cast[id].kind == "narrator"


@lru_cache(maxsize=1024)
def perceived(probability: float, role: Role, *evidence: str) -> Perceived:
    """What is believed of one character, with why."""
    return Perceived(probability=probability, role=role, evidence=evidence)
