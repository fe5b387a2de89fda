"""Triage: what of all that could be told to somebody is worth passing on. The kind is `triage`."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Mapping, MutableMapping, Sequence
from time import perf_counter
from typing import Any, Literal, Protocol, runtime_checkable

from pydantic import ConfigDict, Field, JsonValue, SkipValidation

from earwitness import Record, Settings, SettledMessage
from earwitness.errors import StrategyError, named
from earwitness.lifecycle import closed
from earwitness.loading.resources import Resources
from earwitness.loading.strategies import Strategies
from earwitness.loading.strategy_spec import StrategySpec
from earwitness.protocols import Soon
from earwitness.records.plan import Answer
from earwitness.records.state import Day
from earwitness.records.usage import Reply
from earwitness.time_limit import contained, reason, within

from ..rules.strategy_names import spec_of
from ..settings import RelationshipsSettings
from .question_context import LIMIT, QuestionContext
from .records import Telling

CheckedAnswer = tuple["TriageAnswer", str | None]
"""An answer, and what is wrong with it."""


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


class Passings(Record):
    """All who would be told of a message just now, where one triage is asked about them."""

    model_config = ConfigDict(frozen=True, extra="forbid", arbitrary_types_allowed=True)

    passings: tuple[Passing, ...] = Field(min_length=1)
    """One for each listener."""
    limit: float = LIMIT
    """Seconds that there are."""
    data: SkipValidation[MutableMapping[str, JsonValue]] = Field(default_factory=dict, repr=False)
    """The triage's own durable data for this session."""


class TriageAnswers(Reply):
    """What a triage says about several listeners."""

    answers: tuple[TriageAnswer | None, ...]
    """One for each of `Passings.passings`, in that order; `None` keeps."""


@runtime_checkable
class TriageOfMany(Protocol):
    """An optional extra of triages: with it, it is asked once about all listeners who would be told now, knows how long
    there is, and keeps data. Those who hear it from one of them are asked about next."""

    def triage_all(self, asked: Passings) -> Soon[TriageAnswers]:
        """An answer for each listener. If it raises, or has one too few, none of them is told."""
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

    def __init__(self, strategies: Strategies, specs: Mapping[str, StrategySpec], /, **context: object) -> None:
        """`specs` are those that settings name; `context` is what factories may ask for."""
        self._strategies, self._specs, self._context = strategies, specs, context
        self._made: dict[str, Triage] = {}

    @classmethod
    def shared(cls, settings: Settings, resources: Resources, strategies: Strategies) -> Triages:
        """Those of an instance."""
        context: dict[str, Any] = {"settings": settings, "resources": resources, "strategies": strategies}
        specs = settings.table(RelationshipsSettings).triages
        return resources.get(Triages, "relationships", lambda: cls(strategies, specs, **context))

    async def judged(
        self, name: str, passing: Passing, record: Callable[[Answer], None], context: QuestionContext | None = None
    ) -> TriageOutcome:
        """What the triage of this name says of one listener. One that fails lets nothing through."""
        context = context or QuestionContext()
        if (key := _key(name, passing)) in context.known:
            answer, failure = context.known[key]
        else:
            answer, failure, recorded = await self._asked(name, passing, context)
            context.known[key] = answer, failure
            record(recorded)
        if failure and context.strict:
            raise StrategyError(f"triage {name!r} failed: {failure}")
        if failure:
            return TriageOutcome(told=False, why=f"the triage {name} failed")
        return _judged(name, answer)

    async def together(self, asked: Sequence[tuple[str, Passing]], context: QuestionContext) -> None:
        """Ask each triage that judges several listeners at once about all of its own; `judged` knows it then."""
        groups: dict[str, list[Passing]] = {}
        for name, passing in asked:
            if _key(name, passing) not in context.known:
                groups.setdefault(name, []).append(passing)
        for name, passings in groups.items():
            if self.is_of_many(name):
                judged, answer = await self._of_many(name, passings, context)
                context.answers.append(answer)
                context.known |= {_key(name, each): one for each, one in zip(passings, judged, strict=True)}

    def is_of_many(self, name: str) -> bool:
        """Whether this triage is asked about all listeners at once. One that cannot be made is not."""
        try:
            return isinstance(self._strategy(name), TriageOfMany)
        except Exception:  # noqa: BLE001 - `judged` names the failure
            return False

    async def close(self) -> None:
        """Close those that were made. One that is needed again opens itself."""
        await closed("triage", self._made)

    def _strategy(self, name: str) -> Triage:
        if name not in self._made:
            spec = spec_of(self._strategies, self._specs, "triage", name)
            self._made[name] = self._strategies.make("triage", spec, **self._context)
        return self._made[name]

    async def _asked(
        self, name: str, passing: Passing, context: QuestionContext
    ) -> tuple[TriageAnswer, str | None, Answer]:
        if self.is_of_many(name):
            ((answer, failure),), recorded = await self._of_many(name, [passing], context)
            return answer, failure, recorded
        began = perf_counter()
        try:
            found: Any = self._strategy(name).triage(passing)
            found = await within(min(LIMIT, context.limit), found) if inspect.isawaitable(found) else found
            answer, failure = _checked(found, passing)
        except BaseException as error:  # noqa: BLE001 - whatever third-party code raises is its failure, not ours
            answer, failure = TriageAnswer(), reason(contained(error))
        return answer, failure, _report(name, answer, began, failure)

    async def _of_many(
        self, name: str, passings: Sequence[Passing], context: QuestionContext
    ) -> tuple[list[CheckedAnswer], Answer]:
        """What a triage says of several listeners: of all of them, that it failed, if it did."""
        began, triage = perf_counter(), self._strategy(name)
        context.check_patience(triage.triage_all)  # type: ignore[attr-defined]
        asked = Passings(passings=tuple(passings), limit=context.limit, data=context.data_of(f"triage:{name}"))
        try:
            found: Any = triage.triage_all(asked)  # type: ignore[attr-defined]
            found = await within(asked.limit, found) if inspect.isawaitable(found) else found
            reply, failure = _all_checked(found, len(passings))
        except BaseException as error:  # noqa: BLE001 - whatever third-party code raises is its failure, not ours
            reply, failure = TriageAnswers(answers=()), reason(contained(error))
        if failure:
            return [(TriageAnswer(), failure)] * len(passings), _report(name, reply, began, failure)
        judged = [_checked(each, passing) for each, passing in zip(reply.answers, passings, strict=True)]
        wrong = next((why for _, why in judged if why), None)
        return judged, _report(name, reply, began, wrong)


def _key(name: str, passing: Passing) -> tuple[str, ...]:
    return ("triage", name, passing.listener, repr(passing.day), passing.text)


def _report(name: str, reply: Reply, began: float, failure: str | None) -> Answer:
    seconds = round(perf_counter() - began, 6)
    told: dict[str, Any] = {"version": reply.version, "usage": reply.usage, "notes": reply.notes}
    return Answer(by=f"triage:{name}", seconds=seconds, failure=failure, **told)


def _all_checked(answer: object, number: int) -> tuple[TriageAnswers, str | None]:
    """The answers about several listeners, and what is wrong with them."""
    if not isinstance(answer, TriageAnswers):
        return TriageAnswers(answers=()), f"answered {type(answer).__name__}, expected TriageAnswers"
    if len(answer.answers) != number:
        return answer, f"answered about {len(answer.answers)} of {number} listeners"
    try:
        return TriageAnswers.model_validate_json(answer.model_dump_json(warnings=False)), None
    except (ValueError, TypeError) as error:
        return TriageAnswers(answers=()), f"answered what cannot be recorded: {named(error)}"


def _checked(answer: object, passing: Passing) -> CheckedAnswer:
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
