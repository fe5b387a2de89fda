"""What a language model answers as a World Agent, and what of it may be believed. Pure.

A model proposes. Whom it names counts only among those who could have perceived the message. What it says somebody is
reminded of is a memory of the world that they may know, in the world's own words. An update holds no word of what one
of those who learn of it may not know.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Annotated, Any, Literal

from pydantic import BaseModel, BeforeValidator, ConfigDict, Field

from earwitness.end.settle import may_be_added, said_at
from earwitness.patterns import lazy_pattern
from earwitness.records.message import Participant
from earwitness.records.moment import Moment, Presence
from earwitness.records.update import Knowledge, Update

from ..models.scene import NamedListener, listed, one_line, resolved_names
from .private_terms import PrivateTerms, WorldKnown

MOST_UPDATES = 4
LONGEST_UPDATE = 300
KEPT_METADATA = ("item", "from", "to", "location", "previous_location", "status")
"""What an update may say besides its sentence."""
_KIND = lazy_pattern(r"[a-z][a-z_]{1,39}")


class ModelAnswer(BaseModel):
    """A part of an answer: its fields may be spelled as in JSON or as in Python."""

    model_config = ConfigDict(populate_by_name=True)


class Reminder(ModelAnswer):
    """Memories of the world that matter to one character now."""

    character: str
    """Id, name or alias."""
    memories: list[str] = []
    """Labels of the memories."""


class ReportedUpdate(ModelAnswer):
    """What the message changed in the world."""

    description: str
    """One sentence."""
    type: Literal["world_state_update", "character_update"] = "world_state_update"
    """Whether it is about one character."""
    update_type: str | None = Field(default=None, alias="updateType")
    """The kind of update."""
    character: str | None = None
    """Whom it is about."""
    metadata: dict[str, Any] = {}
    """What else it says."""


def _reminders(given: object) -> object:
    """Reminders as a table by character become a list."""
    if not isinstance(given, Mapping) or "character" in given:
        return [given] if isinstance(given, Mapping) else given
    return [{"character": name, "memories": each} for name, each in given.items()]


class WorldProposal(ModelAnswer):
    """The answer to one message."""

    participants: Annotated[list[NamedListener], BeforeValidator(listed)] = Field(
        default=[], alias="actualParticipants"
    )
    """Who perceived it."""
    knowledge: Annotated[list[Reminder], BeforeValidator(_reminders)] = Field(default=[], alias="worldKnowledge")
    """What the participants are reminded of."""
    updates: list[ReportedUpdate] = []
    """What it changed."""
    metadata: dict[str, Any] = {}
    """Notes of the model's own."""


@dataclass(slots=True)
class BelievedAnswer:
    """What is believed of one answer."""

    moment: Moment
    presence: Presence
    world: WorldKnown
    notes: list[str] = field(default_factory=list)
    """What was left out, and why."""
    places: frozenset[str] = field(init=False)
    """Where the message is said."""

    def __post_init__(self) -> None:
        self.places = said_at(self.moment, self.presence)

    def participants(self, named: Iterable[NamedListener]) -> dict[str, Participant] | None:
        """Those named who could have perceived the message; `None` where nobody of the cast was named."""
        cast, found = self.moment.cast, {}
        for id, each in resolved_names(named, lambda one: one.name, cast, self.notes).items():
            if not self._is_possible(id):
                self.notes.append(f"named {id!r}, who could not have perceived it; ignored")
                continue
            role = self.presence.characters[id].role if id in self.presence.characters else "present"
            role = "present" if role in ("absent", "mentioned") else role
            why = f"language model: {one_line(each.evidence) or 'named'}"
            found[id] = Participant(role=role, confidence=each.confidence, evidence=(why,))
        if found:
            return found
        self.notes.append("nobody of the cast was named, so the detector's word stands")
        return None

    def _is_possible(self, id: str) -> bool:
        believed = self.presence.characters.get(id)
        admitted = id == self.moment.message.speaker or (believed is not None and believed.probability >= 0.5)
        return (admitted or may_be_added(self.moment, self.presence, id, self.places)) and self._hears_any(id)

    def _hears_any(self, id: str) -> bool:
        """Whether any of the message is for this character, by the detector's word."""
        parts = [each for each in self.presence.segments if each.kind != "ooc"]
        mine = (each.audience is None or id in each.audience for each in parts)
        return not parts or id == self.moment.message.speaker or any(mine)

    def knowledge(self, reminders: Iterable[Reminder]) -> dict[str, tuple[Knowledge, ...]]:
        """What participants are reminded of, in the world's own words."""
        found = {}
        for id, each in resolved_names(reminders, lambda one: one.character, self.moment.cast, self.notes).items():
            lines = [line for label in dict.fromkeys(each.memories) if (line := self._line(id, label)) is not None]
            if lines:
                found[id] = tuple(lines)
        return found

    def _line(self, id: str, label: str) -> Knowledge | None:
        memory = self.world.shown.get(label.strip())
        if memory is None:
            self.notes.append(f"reminded {id!r} of {one_line(label)!r}, which no memory of the world is; ignored")
        elif memory.memory_id not in self.world.known.get(id, ()):
            self.notes.append(f"said that {id!r} knows {label.strip()}, which {id!r} may not know; withheld")
        else:
            return Knowledge(text=" ".join(memory.body.splitlines()), cites=(memory.memory_id,))
        return None

    def updates(self, reported: Iterable[ReportedUpdate]) -> tuple[Update, ...]:
        """Updates for those who perceived all of the message, without a word of what one of them may not know."""
        hearers = self._whole_hearers()
        kept: list[Update] = []
        private = PrivateTerms(self.moment, self.world, hearers)
        for each in reported:
            if len(kept) == MOST_UPDATES:
                self.notes.append(f"more than {MOST_UPDATES} updates; the others were left out")
                break
            update = self._update(each, hearers)
            if not update.description:
                continue
            if private.are_told(_texts(update)):
                self.notes.append("an update told what some of those who are there may not know; withheld")
                continue
            kept.append(update)
        return tuple(kept)

    def _update(self, reported: ReportedUpdate, hearers: Collection[str]) -> Update:
        member = self.moment.cast.resolve(reported.character) if reported.character else None
        about = member.id if member is not None and member.id in hearers else None
        kind = reported.update_type if reported.update_type and _KIND.fullmatch(reported.update_type) else None
        return Update(
            description=" ".join(reported.description.split())[:LONGEST_UPDATE].rstrip("."),
            type="character_update" if about else "world_state_update",
            update_type=kind,
            character=about,
            hidden_from=tuple(id for id in self.moment.cast.ids if id not in hearers),
            metadata=dict(_kept(reported.metadata)),
        )

    def _whole_hearers(self) -> frozenset[str]:
        """Ids of those who may have perceived all of the message."""
        message = self.moment.message
        if message.audience is not None:
            return frozenset((message.speaker, *message.audience))
        hearers = {id for id in self.moment.cast.ids if self._is_possible(id)}
        for segment in self.presence.segments:
            if segment.audience is not None:
                hearers &= {*segment.audience}
        return frozenset((message.speaker, *hearers))


def _texts(update: Update) -> Iterator[str]:
    yield update.description
    yield from (str(each) for each in update.metadata.values())


def _kept(metadata: Mapping[str, Any]) -> Iterator[tuple[str, str]]:
    for key in KEPT_METADATA:
        if isinstance(value := metadata.get(key), str) and value.strip():
            yield key, one_line(value)
