"""START: the list of reads of a recall. Each read names one container. Nothing else is ever searched."""

from __future__ import annotations

import asyncio
import re
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property

from ..consultation import Answered
from ..containers import Container
from ..engine import Engine
from ..errors import InvalidFilter, quoted
from ..events import ReadAnswer, ReadEvent, ReadRequest
from ..filters import EVERYTHING, NOTHING, And, Compare, Filter, In, Not, Or, all_of, equals, matches, require_filter
from ..patterns import lazy_pattern
from ..plugin_data import PluginData
from ..protocols import Guard
from ..records.memory import Memory
from ..strategy import Strategy
from ..unmatched import misspelt
from .recalled import OWN, Section
from .requests import Reader, requested

METADATA_FIELD = lazy_pattern(r"\{(\w+)\}")
"""A field of a memory's metadata in the reason of a guard."""


@dataclass(frozen=True, slots=True)
class Mark:
    """What a guard says of memories that are known but not sayable here."""

    filter: Filter
    """Which ones."""
    reason: str
    """Why, with fields of the memory's metadata in braces."""
    note: str = ""
    """A line to show above the memories if one of them is marked."""

    def why(self, memory: Memory) -> str:
        """The reason, for this memory."""
        return METADATA_FIELD.sub(lambda field: _text_of(memory, field), self.reason)


def _text_of(memory: Memory, field: re.Match[str]) -> str:
    value = memory.metadata.get(field[1])
    return value if isinstance(value, str) else field[0]


@dataclass(frozen=True)
class Read:
    """One container, and the filter for what may be seen of it."""

    container: str
    permitted: Filter
    in_prompt: tuple[str, ...] = ()
    unsayable: tuple[Mark, ...] = ()
    """What is known but not sayable here."""
    section: Section = OWN
    """The section of the prompt for what it finds."""
    number: int = 1
    """Maximum number of memories in the section."""
    always: bool = False
    """Whether the newest memories are always included."""
    unless_own: bool = False
    """Whether to leave out what is about messages of which the reader has a memory of their own."""
    guarding: tuple[tuple[str, Filter, Collection[str]], ...] = ()
    """Each guard's name, everything that its filters test, and the fields of its own in them."""

    @cached_property
    def filter(self) -> Filter:
        """The filter of the search: everything permitted, except for messages that are already in the prompt."""
        return all_of(self.permitted, Not(In("messageIds", self.in_prompt)) if self.in_prompt else EVERYTHING)

    @cached_property
    def of_prompt(self) -> Filter:
        """The filter for everything permitted among the messages in the prompt."""
        return all_of(self.permitted, In("messageIds", self.in_prompt))

    def narrowed(self, filter: Filter) -> Read:
        """The same read with an additional filter."""
        return self if filter == EVERYTHING else replace(self, permitted=all_of(self.permitted, filter))

    def allows(self, memory: Memory) -> bool:
        """Whether a store may return this memory."""
        return memory.container == self.container and matches(self.filter, memory.metadata)

    def why_unsayable(self, memory: Memory) -> str | None:
        """The reason why this memory must not be said here; `None` if it may be said."""
        mark = self._mark_of(memory)
        return None if mark is None else mark.why(memory)

    def notes(self, memories: Iterable[Memory]) -> Iterator[str]:
        """The notes of the guards about those of these memories that they have marked."""
        if any(mark.note for mark in self.unsayable):
            marks = (self._mark_of(each) for each in memories if each.container == self.container)
            yield from (mark.note for mark in marks if mark is not None and mark.note)

    def _mark_of(self, memory: Memory) -> Mark | None:
        return next((mark for mark in self.unsayable if matches(mark.filter, memory.metadata)), None)


@dataclass(frozen=True, slots=True)
class _Guarded:
    """The result of asking the guards about one read."""

    permitted: Filter
    unsayable: tuple[Mark, ...]
    failures: tuple[str, ...]
    guarding: tuple[tuple[str, Filter, Collection[str]], ...] = ()


async def own_read(
    engine: Engine, reader: Reader, number: int, data: Mapping[str, PluginData]
) -> tuple[Read, tuple[str, ...]]:
    """The read of the character's own container after the guards, and their failures. A failed guard permits nothing.

    `number` is the maximum number of memories. Raises `StrategyError` for a failure if `strict`.
    """
    guarded = await _guarded(engine, reader, reader.own, data)
    permitted = all_of(learned_by(reader.snapshot.state.game_day), guarded.permitted)
    read = Read(reader.own.name, permitted, unsayable=guarded.unsayable, number=number, guarding=guarded.guarding)
    return read, guarded.failures


async def requested_reads(
    engine: Engine,
    reader: Reader,
    query: str,
    in_prompt: Sequence[str],
    data: Mapping[str, PluginData],
    memories: int | None = None,
) -> tuple[list[Read], list[str]]:
    """The reads that providers request, after the guards. A read whose guard fails finds nothing. `memories` is how
    many of their own the reader asks for.

    Also returns the failures of guards and providers, and the refused requests. Raises `StrategyError` for a failure if
    `strict`.
    """
    granted, failed, refused = await requested(engine, reader, query, data, memories)
    found = await asyncio.gather(*(guarded_read(engine, reader, *each, data, in_prompt) for each in granted))
    failures = [failure for _, failures in found for failure in failures]
    return [read for read, _ in found], [*failures, *failed, *refused]


async def guarded_read(
    engine: Engine,
    reader: Reader,
    request: ReadRequest,
    container: Container,
    data: Mapping[str, PluginData],
    in_prompt: Sequence[str] = (),
) -> tuple[Read, tuple[str, ...]]:
    """A granted request as a read after the guards, and their failures. Raises `StrategyError` if `strict`."""
    guarded = await _guarded(engine, reader, container, data)
    return _requested_read(reader, request, guarded, in_prompt), guarded.failures


def _requested_read(reader: Reader, request: ReadRequest, guarded: _Guarded, in_prompt: Sequence[str]) -> Read:
    permitted = all_of(
        _learned(reader, request), _not_in_prompt(reader, request, in_prompt), request.filter, guarded.permitted
    )
    section = Section(name=request.section, heading=request.heading)
    return Read(
        request.container,
        permitted,
        unsayable=guarded.unsayable,
        section=section,
        number=request.number,
        always=request.always,
        unless_own=request.unless_own,
        guarding=guarded.guarding,
    )


def _learned(reader: Reader, request: ReadRequest) -> Filter:
    known = learned_by(reader.snapshot.state.game_day)
    return Or((known, Compare("sessionId", "!=", reader.snapshot.id))) if request.any_day else known


def _not_in_prompt(reader: Reader, request: ReadRequest, in_prompt: Sequence[str]) -> Filter:
    """Excludes messages that are already in the prompt. Messages of other sessions may have the same keys."""
    if not in_prompt:
        return EVERYTHING
    held: Filter = In("messageIds", tuple(in_prompt))
    return Not(held if request.container == reader.own.name else And((held, equals("sessionId", reader.snapshot.id))))


async def _guarded(engine: Engine, reader: Reader, container: Container, data: Mapping[str, PluginData]) -> _Guarded:
    if not engine.guards:
        return _Guarded(EVERYTHING, (), ())
    event = read_event(reader, container)
    answers = await asyncio.gather(*(_asked(engine, guard, event, data) for guard in engine.guards))
    filters = [answer.value.filter if answer.value else NOTHING for answer in answers]
    marks = tuple(
        Mark(answer.value.unsayable, answer.value.reason or f"{answer.by} says so", answer.value.note)
        for answer in answers
        if answer.value and answer.value.unsayable != NOTHING
    )
    tested = tuple(
        (answer.by, all_of(answer.value.filter, answer.value.unsayable), answer.value.fields)
        for answer in answers
        if answer.value
    )
    return _Guarded(all_of(*filters), marks, tuple(answer.label for answer in answers if answer.failure), tested)


def read_event(reader: Reader, container: Container) -> ReadEvent:
    """The event that guards receive for one read."""
    snapshot = reader.snapshot
    return reader.event(
        ReadEvent,
        personality=reader.personality,
        container=container.name,
        kind=container.kind,
        joined=snapshot.joined.get(reader.character, 0),
        users=tuple(each.user_id for each in snapshot.cast if each.user_id),
        masks=reader.masks,
    )


def learned_by(day: float) -> Filter:
    """A filter for everything learned on this day or before, and everything permanent."""
    return Or((Compare("learnedDay", "<=", day), equals("permanent", True)))


async def _asked(
    engine: Engine, guard: Strategy[Guard], event: ReadEvent, data: Mapping[str, PluginData]
) -> Answered[ReadAnswer]:
    return await engine.consultant.ask(guard, Guard.filter, event, read_answer, data)


def read_answer(answer: object) -> tuple[ReadAnswer | None, str | None]:
    """A guard's answer (a record or a filter) as a record, or the reason why it is invalid."""
    if isinstance(answer, Filter):
        answer = ReadAnswer.model_construct(filter=answer)
    if not isinstance(answer, ReadAnswer):
        return None, f"answered {quoted(answer)}, expected a filter (And() lets everything through) or a ReadAnswer"
    try:
        require_filter(answer.filter)
        require_filter(answer.unsayable)
    except InvalidFilter as error:
        return None, f"answered {error}"
    for field, meant in misspelt(all_of(answer.filter, answer.unsayable), answer.fields).items():
        return (
            None,
            f"its filter: no memory has {field!r}. Did you mean {meant!r}? If not, name it in ReadAnswer.fields.",
        )
    return answer, None
