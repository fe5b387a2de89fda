"""START: the guards that check a recall see what would be put into the prompt; costs of models are noted."""

from __future__ import annotations

import asyncio
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import Any

from ..checks import CheckAnswer, CheckEvent, CheckingGuard
from ..consultation import Answered, record_of
from ..engine import Engine
from ..events import RecallAnswer
from ..plugin_data import PluginData
from ..records.plan import Answer
from .recalled import Recalled
from .requests import Reader


@dataclass(frozen=True, slots=True)
class Checked:
    """A recall after the checks."""

    memories: tuple[Recalled, ...]
    """What is left, and what is marked of it."""
    notes: tuple[str, ...] = ()
    """Lines of the checks for the prompt."""
    failures: tuple[str, ...] = ()
    """What could not be checked."""
    answers: tuple[Answered[CheckAnswer], ...] = ()
    """What each check answered."""


async def checked(
    engine: Engine,
    reader: Reader,
    query: str,
    memories: Sequence[Recalled],
    data: Mapping[str, PluginData],
    limit: float,
) -> Checked:
    """The memories after every guard that checks recalls. One that fails withholds all of them.

    Raises `StrategyError` for a failure if `strict`.
    """
    checking = [each for each in engine.guards if isinstance(each.made, CheckingGuard)] if memories else []
    if not checking:
        return Checked(tuple(memories))
    recalled: dict[str, Any] = {"query": query, "memories": tuple(memories), "limit": limit}
    event = reader.event(CheckEvent, personality=reader.personality, masks=reader.masks, **recalled)
    ask: Any = partial(engine.consultant.ask, method=CheckingGuard.check, event=event, read=_read, data=data)
    answers: Sequence[Answered[CheckAnswer]] = await asyncio.gather(*(ask(each) for each in checking))
    return _applied(tuple(memories), tuple(answers))


def _read(answer: object) -> tuple[CheckAnswer | None, str | None]:
    return (CheckAnswer(), None) if answer is None else record_of(answer, CheckAnswer)


def _applied(memories: tuple[Recalled, ...], answers: tuple[Answered[CheckAnswer], ...]) -> Checked:
    given = [each.value for each in answers if each.value is not None]
    failures = (*(each.label for each in answers if each.failure), *_unchecked(answers))
    if len(given) < len(answers):
        return Checked((), (), failures, answers)
    withheld = {id for each in given for id in each.withhold}
    reasons = {id: why for each in reversed(given) for id, why in each.unsayable.items()}
    left = tuple([_marked(each, reasons) for each in memories if each.memory.id not in withheld])
    ids = {each.memory.id for each in left}
    notes = [each.note for each in given if each.note and ids & each.unsayable.keys()]
    return Checked(left, tuple(notes), failures, answers)


def _unchecked(answers: Iterable[Answered[CheckAnswer]]) -> Iterator[str]:
    return (f"{each.by}: {why}" for each in answers if each.value for why in each.value.failures)


def _marked(recalled: Recalled, reasons: Mapping[str, str]) -> Recalled:
    """The memory, marked if a check says so and no guard did."""
    why = reasons.get(recalled.memory.id)
    if why is None or not recalled.sayable:
        return recalled
    return recalled.model_copy(update={"unsayable": why or "a guard says so"})


# ── what it cost ────────────────────────────────────────────────────────────────────────────────────────────────────


def reports(plugins: Iterable[Answered[RecallAnswer]], checks: Iterable[Answered[CheckAnswer]]) -> tuple[Answer, ...]:
    """The answers that say what a model cost or that they failed; of checks, also those that say how they came about.
    The notes of plugins are lines for the prompt."""
    asked = [replace(each, notes=()) for each in plugins if each.usage or each.failure]
    told = [each for each in checks if each.usage or each.notes or each.failure]
    return (*(each.reported() for each in asked), *(each.reported() for each in told))
