"""START: the fixed list of reads a recall may make. Each names one container; nothing else is ever searched."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

from ..containers import character_container
from ..dispatch import Answered, ask
from ..engine import Engine
from ..errors import InvalidFilter, StrategyError, quoted
from ..filters import EVERYTHING, NOTHING, Compare, Filter, In, Not, Or, all_of, equals, whole
from ..protocols import Guard, Reader
from ..records.plan import Snapshot


@dataclass(frozen=True)
class Read:
    """One container, and what may be seen of it."""

    container: str
    permitted: Filter
    in_prompt: tuple[str, ...] = ()

    @cached_property
    def filter(self) -> Filter:
        """What is searched: all that is permitted but for the messages that are in the prompt already."""
        return all_of(self.permitted, Not(In("messageIds", self.in_prompt)) if self.in_prompt else EVERYTHING)

    @cached_property
    def of_prompt(self) -> Filter:
        """What is permitted of the messages in the prompt."""
        return all_of(self.permitted, In("messageIds", self.in_prompt))


async def listed_reads(
    engine: Engine, snapshot: Snapshot, character: str, context: str, in_prompt: Sequence[str]
) -> tuple[list[Read], list[str]]:
    """The reads of one recall, guarded; and which guards failed (their reads then find nothing).

    Today there is one: the character's own container. Raises `StrategyError` for a failing guard if `strict`.
    """
    day = snapshot.state.game_day
    users = tuple(member.user_id for member in snapshot.cast if member.user_id)
    container = character_container(snapshot.id, character).name
    reader = Reader(character=character, container=container, context=context, game_day=day, users=users)
    guarded, failures = await _guarded(engine, reader)
    return [Read(container, all_of(learned_by(day), guarded), tuple(in_prompt))], failures


def learned_by(day: float) -> Filter:
    """What was learned on this day or before; what is permanent was always known."""
    return Or((Compare("learnedDay", "<=", day), equals("permanent", True)))


async def _guarded(engine: Engine, reader: Reader) -> tuple[Filter, list[str]]:
    limit = engine.settings.end.plugin_timeout

    async def asked(name: str, guard: Guard) -> Answered[object]:
        return await ask(f"guard:{name}", lambda: guard.filter(reader), object, limit)

    filters: list[Filter] = []
    failures = []
    for answer in await asyncio.gather(*(asked(name, guard) for name, guard in engine.guards)):
        failure = answer.failure or _not_a_filter(answer.value)
        if failure and engine.settings.strict:
            raise StrategyError(f"{answer.by} failed: {failure}")
        if failure:
            failures.append(f"{answer.by}: {failure}")
        filters.append(answer.value if not failure and isinstance(answer.value, Filter) else NOTHING)
    return all_of(*filters), failures


def _not_a_filter(value: object) -> str | None:
    if not isinstance(value, Filter):
        return f"answered {quoted(value)}, expected a filter (And() lets everything through)"
    try:
        whole(value)
    except InvalidFilter as error:
        return f"answered {error}"
    return None
