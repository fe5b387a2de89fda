"""Triage: what of all that could be told to somebody is worth passing on. The kind is `triage`."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Mapping
from time import perf_counter
from typing import Literal, Protocol, runtime_checkable

from pydantic import Field

from earwitness import Record, SettledMessage
from earwitness.errors import StrategyError, named
from earwitness.loading.strategies import Strategies
from earwitness.loading.strategy_spec import StrategySpec
from earwitness.protocols import Soon
from earwitness.records.plan import Answer
from earwitness.records.state import Day
from earwitness.records.usage import Reply
from earwitness.time_limit import contained, reason, within

from .records import Telling

LIMIT = 5.0
"""Seconds that a triage may take for one listener."""


class Heard(Record):
    """Something else that the listener is told on the same day."""

    memory: str
    """Id of the listener's memory of it."""
    text: str
    """What the listener is told."""
    speaker: str
    """Id of the character who said it."""
    teller: str
    """Id of the character who tells it."""
    rule: str = ""
    """The rule by which it is told."""
    may_merge: bool = False
    """Whether it may be merged with the telling: both say the same word for word, but for words such as `alas`, the
    same speaker said both on the same day and at the same place, and the same readers may recall both."""


class Passing(Record):
    """What would be told to one listener now, by whom and why. Characters are personality ids."""

    session: str
    """Session id."""
    listener: str
    """Who would be told."""
    day: Day
    """The game day on which the listener would learn it."""
    tellings: tuple[Telling, ...] = Field(min_length=1)
    """Who would tell it, by which rule, at which hop and how strongly; the first counts, the others support it."""
    text: str
    """What the listener would be told."""
    message: SettledMessage
    """The message that it is about."""
    heard: tuple[Heard, ...] = ()
    """What else the listener is told on that day, in the order of messages."""


class TriageAnswer(Reply):
    """What a triage says about one listener."""

    decision: Literal["keep", "drop", "merge"] = "keep"
    """`keep` = it is told. `drop` = this listener is not told. `merge` = it is one more support of `memory`."""
    text: str | None = None
    """Other words for it, such as a summary; `None` = as the rules say. What is merged takes none."""
    memory: str | None = None
    """To merge: id of a memory in `Passing.heard` that may be merged with it."""
    reason: str = ""
    """Why; a preview shows it."""


@runtime_checkable
class Triage(Protocol):
    """Decides what is worth passing on. The kind is `triage`; a rule names one with `triage`."""

    def triage(self, passing: Passing) -> Soon[TriageAnswer | None]:
        """Keep it (`None`, too), drop it, or merge it. If it raises, this listener is not told."""
        ...


class TriageOutcome(Record):
    """What became of the tellings of one listener."""

    told: bool = True
    """Whether they are told."""
    text: str | None = None
    """Other words for it."""
    memory: str | None = None
    """The memory that they support."""
    why: str = ""
    """Why they are not told."""


class Triages:
    """The triages that rules name, each made when it is first needed. What they answer is recorded."""

    def __init__(self, strategies: Strategies, specs: Mapping[str, StrategySpec], *, strict: bool = False) -> None:
        """`specs` are those that settings name. `strict` = a failure raises `StrategyError`."""
        self._strategies, self._specs, self._strict = strategies, specs, strict
        self._made: dict[str, Triage] = {}

    async def judged(self, name: str, passing: Passing, record: Callable[[Answer], None]) -> TriageOutcome:
        """What the triage of this name says of one listener. One that fails lets nothing through."""
        began = perf_counter()
        answer, failure = await self._asked(name, passing)
        if failure and self._strict:
            raise StrategyError(f"triage {name!r} failed: {failure}")
        seconds = round(perf_counter() - began, 6)
        record(
            Answer(by=f"triage:{name}", version=answer.version, usage=answer.usage, seconds=seconds, failure=failure)
        )
        if failure:
            return TriageOutcome(told=False, why=f"the triage {name} failed")
        return _judged(name, answer)

    async def _asked(self, name: str, passing: Passing) -> tuple[TriageAnswer, str | None]:
        try:
            if name not in self._made:
                self._made[name] = self._strategies.make("triage", self._specs.get(name, name))
            found = self._made[name].triage(passing)
            answer = await within(LIMIT, found) if inspect.isawaitable(found) else found
        except BaseException as error:  # noqa: BLE001 - whatever third-party code raises is its failure, not ours
            return TriageAnswer(), reason(contained(error))
        return _checked(answer, passing)


def _checked(answer: object, passing: Passing) -> tuple[TriageAnswer, str | None]:
    """The answer, and what is wrong with it."""
    if answer is None:
        return TriageAnswer(), None
    if not isinstance(answer, TriageAnswer):
        return TriageAnswer(), f"answered {type(answer).__name__}, expected TriageAnswer or None"
    try:
        answer = TriageAnswer.model_validate_json(answer.model_dump_json(warnings=False))
    except (ValueError, TypeError) as error:
        return TriageAnswer(), f"answered what cannot be recorded: {named(error)}"
    mergeable = [each.memory for each in passing.heard if each.may_merge]
    if answer.decision == "merge" and answer.memory not in mergeable:
        return answer, f"merges with {answer.memory!r}. It may merge with: {', '.join(mergeable) or 'nothing'}"
    if answer.decision == "merge" and answer.text is not None:
        return answer, "merges in other words. What is merged keeps the words of the memory: answer no `text`"
    if answer.text is not None and not answer.text.strip():
        return answer, "answered an empty text. To tell nothing, answer `drop`"
    return answer, None


def _judged(name: str, answer: TriageAnswer) -> TriageOutcome:
    if answer.decision == "drop":
        return TriageOutcome(
            told=False, why=f"the triage {name} drops it{f': {answer.reason}' if answer.reason else ''}"
        )
    return TriageOutcome(text=answer.text, memory=answer.memory if answer.decision == "merge" else None)
