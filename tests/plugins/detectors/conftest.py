"""A story in small: messages are judged one after the other, and what they move is folded as core folds it."""

from collections.abc import Callable, Iterable
from dataclasses import dataclass, field

import pytest

from earwitness.end.settle import heard
from earwitness.end.whereabouts import folded
from earwitness.protocols import Detector
from earwitness.records.channel import Channel, Context
from earwitness.records.character import Character, as_cast
from earwitness.records.message import Message, Participant
from earwitness.records.moment import Moment, Movement, Presence
from earwitness.records.state import State, Whereabouts
from earwitness_plugins.detectors.rules import RulesDetector

HEARD = 0.5


@dataclass
class Story:
    """A scene with a cast; those `here` have been there from the beginning, those `away` are known to have left."""

    cast: Iterable[Character | str] = ("alice", "bob", "charlie", Character("narrator", kind="narrator"))
    here: Iterable[str] = ()
    away: Iterable[str] = ()
    scene: str = "tavern"
    places: dict[str, str] = field(default_factory=dict)
    detector: Detector = field(default_factory=RulesDetector)

    def __post_init__(self) -> None:
        self.members = as_cast(self.cast)
        placed = {id: Whereabouts(place=self.scene, here=True) for id in self.here}
        placed |= {id: Whereabouts() for id in self.away}
        placed |= {id: Whereabouts(place=place) for id, place in self.places.items()}
        self.state = State(current_scene=self.scene, whereabouts=placed)
        self.said: list[Message] = []

    def moment(self, speaker: str, text: str, context: Context = "private_channel") -> Moment:
        """The moment of a message said next."""
        sequence = len(self.said) + 1
        message = Message(
            key=f"#{sequence}",
            sequence=sequence,
            speaker=speaker,
            content=text,
            game_day=1,
            scene=self.scene,
            channel=Channel(context=context),
            timestamp="2026-01-01T12:00:00Z",
        )
        return Moment(message=message, recent=tuple(self.said), cast=self.members, state=self.state)

    def put(self, *ids: str) -> None:
        """The host says that they are here."""
        moves = [Movement(character=id, kind="enter", certain=True) for id in ids]
        places = folded(self.state.whereabouts, moves, self.scene, len(self.said) + 1)
        self.state = self.state.model_copy(update={"whereabouts": places})

    def judge(self, speaker: str, text: str, context: Context = "private_channel") -> Presence:
        """The detector's presence for a message; then the story goes on from there."""
        moment = self.moment(speaker, text, context)
        presence = self.detector.detect(moment)
        assert isinstance(presence, Presence)
        places = folded(self.state.whereabouts, presence.movements, self.scene, moment.message.sequence)
        perceivers = tuple(id for id, who in presence.characters.items() if who.probability >= HEARD)
        self.state = self.state.model_copy(update={"whereabouts": places, "last_perceivers": perceivers})
        self.said.append(moment.message)
        return presence

    def say(self, speaker: str, text: str, context: Context = "private_channel") -> set[str]:
        """Who perceives a message, its speaker included."""
        characters = self.judge(speaker, text, context).characters
        return {id for id, who in characters.items() if who.probability >= HEARD}

    def hears(self, speaker: str, text: str, context: Context = "private_channel") -> dict[str, str]:
        """What everybody else hears of a message, as core hands it out; who hears nothing is left out."""
        presence = self.judge(speaker, text, context)
        settled = {
            id: Participant(role=who.role, confidence=who.probability)
            for id, who in presence.characters.items()
            if who.probability >= HEARD
        }
        partly = heard(presence, settled, speaker, ())
        return {id: part for id in settled if id != speaker and (part := partly.get(id, text))}

    @property
    def present(self) -> set[str]:
        """Who is in the scene by now."""
        return set(self.state.here)


@pytest.fixture
def story() -> Callable[..., Story]:
    """Begin a story: `story(here=["alice", "bob"])`."""
    return Story
