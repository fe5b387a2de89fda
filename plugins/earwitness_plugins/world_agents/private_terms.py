"""The words that a model's update must not hold, since somebody who learns of it may not know what they tell. Pure.

A model is shown more than any one character knows: memories of the world, where everybody is, who is behind a mask.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from functools import cached_property

from earwitness.records.moment import Moment
from earwitness.records.plan import Delivery
from earwitness.records.state import Whereabouts
from earwitness.words import terms

COMMON = frozenset(
    terms(
        "a an the this that it its he him his she her hers they them their we us our you your I me my and or but not "
        "to of in on at by for from with into onto out up down over off is are was were be been has have had do does "
        "did gameday day message now then there here who what which will would can could as so if than"
    )
)
"""Words that tell nothing by themselves."""


@dataclass(frozen=True, slots=True)
class WorldKnown:
    """What of the world was shown to a model, and who may know of it."""

    shown: Mapping[str, Delivery] = field(default_factory=dict)
    """Label → update of the world."""
    known: Mapping[str, frozenset[str]] = field(default_factory=dict)
    """Character id → ids of the memories that they may know: updates, and copies of the recent messages."""
    copies: Mapping[str, str] = field(default_factory=dict)
    """Key of a recent message → id of the world's copy of it."""
    updates: Mapping[str, Delivery] = field(default_factory=dict)
    """Memory id → update of the world that somebody may know, also those that were not shown."""

    def known_to(self, memory: str) -> list[str]:
        """Ids of those who may know a memory."""
        return [id for id, ids in self.known.items() if memory in ids]

    def is_common(self, memory: str | None, hearers: Iterable[str]) -> bool:
        """Whether all of these may know a memory."""
        return memory is not None and all(memory in self.known.get(id, ()) for id in hearers)


@dataclass(frozen=True)
class PrivateTerms:
    """Judges updates that all of the hearers learn."""

    moment: Moment
    world: WorldKnown
    hearers: Collection[str]
    """Ids of those who perceived all of the message, its speaker included."""

    def are_told(self, texts: Iterable[str]) -> bool:
        """Whether texts tell something that one of the hearers may not know."""
        told = _terms(texts)
        unknown = told & self._state
        return bool(told & self._memories) or bool(unknown and unknown - _terms(self._common_texts()))

    @cached_property
    def _memories(self) -> frozenset[str]:
        """The words of memories and earlier messages that not all of them may know, and who is behind a mask."""
        return (_terms(self._private_texts()) - self._open) | self._own_names()

    @cached_property
    def _state(self) -> frozenset[str]:
        """The words of the state, which not all of them may know unless they know a memory that tells it."""
        return _terms(self._private_state()) - self._open

    @cached_property
    def _open(self) -> frozenset[str]:
        return COMMON | _terms([self.moment.message.content, *self._open_names()])

    def _private_texts(self) -> Iterator[str]:
        world, hearers = self.world, self.hearers
        yield from (each.body for each in world.shown.values() if not world.is_common(each.memory_id, hearers))
        copies = ((each.content, world.copies.get(each.key)) for each in self.moment.recent)
        yield from (text for text, copy in copies if not world.is_common(copy, hearers))

    def _common_texts(self) -> Iterator[str]:
        """What all of them may know."""
        world, hearers = self.world, self.hearers
        yield from (each.body for id, each in world.updates.items() if world.is_common(id, hearers))
        for each in self.moment.recent:
            if world.is_common(world.copies.get(each.key), hearers):
                yield from (each.content, self.moment.cast_at(each).name_of(each.speaker))

    def _open_names(self) -> Iterator[str]:
        """The names of those whom everybody there sees, of those in disguise the mask alone."""
        for each in self.moment.cast:
            if each.id in self.hearers and self._is_seen(each.id):
                yield from (each.name,) if each.id in self.moment.disguises else each.names

    def _private_state(self) -> Iterator[str]:
        """Who is not seen there, where and how they are, and what is sought."""
        moment = self.moment
        theirs = [where.place for id in self.hearers if (where := moment.whereabouts.get(id)) is not None]
        yield from (each.name for each in moment.cast if each.id not in self.hearers or not self._is_seen(each.id))
        for id, where in moment.whereabouts.items():
            if where.place and any(each != where.place for each in theirs):
                yield where.place
            if where.condition != "awake" and not (id in self.hearers and self._is_seen(id)):
                yield where.condition
        yield from (moment.state.quest or "",)

    def _own_names(self) -> frozenset[str]:
        """The words of the names of those in disguise, for all but themselves."""
        found: frozenset[str] = frozenset()
        for id, mask in self.moment.disguises.items():
            if {*self.hearers} - {id} and id in self.moment.cast:
                found |= _terms([id, *self.moment.cast[id].names]) - _terms([mask])
        return found - COMMON

    def _is_seen(self, id: str) -> bool:
        return id == self.moment.message.speaker or _condition(self.moment.whereabouts.get(id)) != "hiding"


def _condition(where: Whereabouts | None) -> str:
    return "awake" if where is None else where.condition


def _terms(texts: Iterable[str]) -> frozenset[str]:
    return frozenset(term for text in texts for term in terms(text.replace("_", " ")))
