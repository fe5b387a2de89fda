"""How a message is worded when it is passed on: verbatim, as a summary, or by a reteller."""

from __future__ import annotations

import asyncio
import inspect
from collections.abc import Mapping, MutableMapping, Sequence
from time import perf_counter
from typing import Any, Protocol, runtime_checkable

from pydantic import ConfigDict, Field, JsonValue, SkipValidation

from earwitness import Record, Settings
from earwitness.errors import StrategyError, named
from earwitness.lifecycle import closed
from earwitness.loading.resources import Resources
from earwitness.loading.strategies import Strategies
from earwitness.loading.strategy_spec import StrategySpec
from earwitness.protocols import Soon
from earwitness.records.plan import Answer
from earwitness.records.usage import Reply
from earwitness.sentences import excerpt
from earwitness.time_limit import within
from earwitness.words import terms

from ..rules.strategy_names import SUMMARY, VERBATIM, spec_of
from ..settings import RelationshipsSettings
from .question_context import LIMIT, QuestionContext
from .records import Telling

SHORT = 240
"""Characters of a summary."""


@runtime_checkable
class Reteller(Protocol):
    """Rewords what is passed on. The kind is `reteller`; a rule names one with `retell`."""

    def retell(self, text: str, telling: Telling) -> Soon[str]:
        """The words of the teller for the listener. If it raises, the rule tells nobody."""
        ...


class Retelling(Record):
    """Somebody is about to pass on what they know, in words of their own. Characters are personality ids."""

    model_config = ConfigDict(frozen=True, extra="forbid", arbitrary_types_allowed=True)

    session: str = ""
    """Session id."""
    message: str = ""
    """Key of the message that it is about."""
    text: str
    """What the teller knows and may tell: what they perceived, or how they were told."""
    tellings: tuple[Telling, ...] = Field(min_length=1)
    """Whom this teller tells it just now, by which rules and at which hop."""
    limit: float = LIMIT
    """Seconds that there are."""
    data: SkipValidation[MutableMapping[str, JsonValue]] = Field(default_factory=dict, repr=False)
    """The reteller's own durable data for this session."""


class RetellingAnswer(Reply):
    """The words of a teller, for all whom they tell it now."""

    text: str | None = None
    """The words; `None` = as the teller knows it."""


@runtime_checkable
class RewordingReteller(Protocol):
    """An optional extra of retellers: with it, it is asked once for all whom a teller tells the same, knows how long
    there is, and the plan records its notes and what a model cost."""

    def reword(self, asked: Retelling) -> Soon[RetellingAnswer | None]:
        """The words of the teller; `None` = as the teller knows it. If it raises, the rule tells nobody."""
        ...


class Retellers:
    """The retellers that rules name, each made when it is first needed."""

    def __init__(self, strategies: Strategies, specs: Mapping[str, StrategySpec], /, **context: object) -> None:
        """`specs` are those that settings name; `context` is what factories may ask for."""
        self._strategies, self._specs, self._context = strategies, specs, context
        self._made: dict[str, Reteller] = {}

    @classmethod
    def shared(cls, settings: Settings, resources: Resources, strategies: Strategies) -> Retellers:
        """Those of an instance."""
        context: dict[str, Any] = {"settings": settings, "resources": resources, "strategies": strategies}
        specs = settings.table(RelationshipsSettings).retellers
        return resources.get(Retellers, "relationships", lambda: cls(strategies, specs, **context))

    async def text(self, heard: str, telling: Telling, context: QuestionContext | None = None) -> str | None:
        """What the listener is told, where the teller can tell what was `heard`; `None` = just that."""
        if telling.retell == VERBATIM or not heard:
            return None
        if telling.retell == SUMMARY:
            return summary([heard])
        found = self._strategy(telling.retell)
        if isinstance(found, RewordingReteller):
            return await self._reworded(found, heard, [telling], context or QuestionContext())
        if context is not None:
            context.check_patience(found.retell)
        told = found.retell(heard, telling)
        return await told if inspect.isawaitable(told) else told

    async def together(self, told: Sequence[tuple[str, Telling]], context: QuestionContext) -> None:
        """Ask at once all that are to be asked about these, each a text and how it is told; `text` knows it then."""
        groups: dict[tuple[str, ...], list[Telling]] = {}
        for heard, telling in told:
            if telling.retell not in (VERBATIM, SUMMARY) and heard:
                groups.setdefault((telling.retell, telling.teller, heard), []).append(telling)
        rewording = [
            self._reworded(found, key[-1], tellings, context)
            for key, tellings in groups.items()
            if isinstance(found := self._strategy(key[0]), RewordingReteller)
        ]
        if rewording:
            await asyncio.gather(*rewording)

    async def close(self) -> None:
        """Close those that were made. One that is needed again opens itself."""
        await closed("reteller", self._made)

    def _strategy(self, name: str) -> Reteller:
        if name not in self._made:
            spec = spec_of(self._strategies, self._specs, "reteller", name)
            self._made[name] = self._strategies.make("reteller", spec, **self._context)
        return self._made[name]

    async def _reworded(
        self, found: RewordingReteller, heard: str, tellings: Sequence[Telling], context: QuestionContext
    ) -> str | None:
        name = tellings[0].retell
        key = ("reteller", name, tellings[0].teller, heard)
        if key not in context.known:
            context.check_patience(found.reword)
            by = f"reteller:{name}"
            asked = Retelling(
                session=context.session,
                message=context.message,
                text=heard,
                tellings=tuple(tellings),
                limit=context.limit,
                data=context.data_of(by),
            )
            context.known[key] = await _answered(by, found, asked, context)
        text: str | None = context.known[key]
        return text


async def _answered(by: str, found: RewordingReteller, asked: Retelling, context: QuestionContext) -> str | None:
    """The words of a reteller. Raises whatever it raises, `LimitReached`, and `StrategyError` for nonsense."""
    began = perf_counter()
    answer: Any = found.reword(asked)
    if inspect.isawaitable(answer):
        answer = await within(asked.limit, answer)
    answer = _checked(by, answer)
    told = {"version": answer.version, "usage": answer.usage, "notes": answer.notes}
    context.answers.append(Answer(by=by, seconds=round(perf_counter() - began, 6), **told))
    text: str | None = answer.text
    return text if text and text.strip() else None


def _checked(by: str, answer: object) -> RetellingAnswer:
    if answer is None:
        return RetellingAnswer()
    if not isinstance(answer, RetellingAnswer):
        raise StrategyError(f"{by} answered {type(answer).__name__}, expected RetellingAnswer or None")
    try:
        return RetellingAnswer.model_validate_json(answer.model_dump_json(warnings=False))
    except (ValueError, TypeError) as error:
        raise StrategyError(f"{by} answered what cannot be recorded: {named(error)}") from error


def summary(texts: Sequence[str], room: int = SHORT) -> str:
    """The sentences of some texts that say most of what they are about, in at most about `room` characters."""
    whole = "\n".join(text.strip() for text in texts if text.strip())
    counts: dict[str, int] = {}
    for term in terms(whole):
        counts[term] = counts.get(term, 0) + 1
    wanted = sorted(counts, key=lambda term: (-counts[term], term))[:12]
    return excerpt(whole, room, frozenset(wanted))
