"""START: the fixed list of reads a recall may make. Each names one container; nothing else is ever searched."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property

from ..consultation import Answered, Strategy
from ..containers import character_container
from ..engine import Engine
from ..errors import InvalidFilter, quoted
from ..events import ReadAnswer, ReadEvent
from ..filters import EVERYTHING, NOTHING, Compare, Filter, In, Not, Or, all_of, equals, matches, whole
from ..plugin_data import PluginData
from ..protocols import Guard
from ..records.channel import Channel
from ..records.memory import Memory
from ..records.plan import Snapshot


@dataclass(frozen=True)
class Read:
    """One container, and what may be seen of it."""

    container: str
    permitted: Filter
    in_prompt: tuple[str, ...] = ()
    unsayable: tuple[tuple[Filter, str], ...] = ()
    """What is known but not sayable here, and why."""

    @cached_property
    def filter(self) -> Filter:
        """What is searched: all that is permitted but for the messages that are in the prompt already."""
        return all_of(self.permitted, Not(In("messageIds", self.in_prompt)) if self.in_prompt else EVERYTHING)

    @cached_property
    def of_prompt(self) -> Filter:
        """What is permitted of the messages in the prompt."""
        return all_of(self.permitted, In("messageIds", self.in_prompt))

    def narrowed(self, filter: Filter) -> Read:
        """The same read with one more filter, which must hold too."""
        return self if filter == EVERYTHING else replace(self, permitted=all_of(self.permitted, filter))

    def why_unsayable(self, memory: Memory) -> str | None:
        """Why this memory must not be said here, if it must not."""
        return next((reason for filter, reason in self.unsayable if matches(filter, memory.metadata)), None)


async def listed_reads(
    engine: Engine,
    snapshot: Snapshot,
    character: str,
    channel: Channel,
    in_prompt: Sequence[str],
    data: Mapping[str, PluginData],
) -> tuple[list[Read], list[str]]:
    """The reads of one recall, guarded; and which guards failed (their reads then find nothing).

    Today there is one: the character's own container. Raises `StrategyError` for a failing guard if `strict`.
    """
    event = read_event(snapshot, character, character_container(snapshot.id, character).name, channel)
    answers = await asyncio.gather(*(_asked(engine, guard, event, data) for guard in engine.guards))
    filters = [answer.value.filter if answer.value else NOTHING for answer in answers]
    marks = tuple(
        (answer.value.unsayable, answer.value.reason or f"{answer.by} says so") for answer in answers if answer.value
    )
    marks = tuple((filter, why) for filter, why in marks if filter != NOTHING)
    failures = [answer.label for answer in answers if answer.failure]
    permitted = all_of(learned_by(snapshot.state.game_day), *filters)
    return [Read(event.container, permitted, tuple(in_prompt), marks)], failures


def read_event(snapshot: Snapshot, character: str, container: str, channel: Channel) -> ReadEvent:
    """What guards are told of one read."""
    member = snapshot.cast[character]
    return ReadEvent(
        session=snapshot.id,
        cast=snapshot.cast,
        state=snapshot.state,
        day=snapshot.state.game_day,
        channel=channel,
        character=character,
        personality=member.personality_id,
        container=container,
        users=tuple(each.user_id for each in snapshot.cast if each.user_id),
    )


def learned_by(day: float) -> Filter:
    """What was learned on this day or before; what is permanent was always known."""
    return Or((Compare("learnedDay", "<=", day), equals("permanent", True)))


async def _asked(
    engine: Engine, guard: Strategy[Guard], event: ReadEvent, data: Mapping[str, PluginData]
) -> Answered[ReadAnswer]:
    own = data.get(guard.label, event.data)
    shown = event.model_copy(update={"data": own})
    return await engine.consultant.ask(guard, lambda: guard.made.filter(shown), read_answer, own)


def read_answer(answer: object) -> tuple[ReadAnswer | None, str | None]:
    """A guard's answer as a record, whether it was one or a filter; or why it is none."""
    if isinstance(answer, Filter):
        answer = ReadAnswer.model_construct(filter=answer)
    if not isinstance(answer, ReadAnswer):
        return None, f"answered {quoted(answer)}, expected a filter (And() lets everything through) or a ReadAnswer"
    try:
        whole(answer.filter)
        whole(answer.unsayable)
    except InvalidFilter as error:
        return None, f"answered {error}"
    return answer, None
