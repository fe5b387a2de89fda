"""Asking one strategy or plugin: with a time limit, and with every failure named."""

from __future__ import annotations

import asyncio
import inspect
import time
from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass, field
from typing import Any, Generic, TypeVar

from .errors import StrategyError, named, quoted
from .plugin_data import PluginData
from .protocols import Soon
from .records.base import Record
from .records.plan import Answer
from .records.usage import Reply
from .redaction import without
from .validation.records import ENCLOSING, check_readable

T = TypeVar("T")
AnswerReader = Callable[[Any], tuple[T | None, str | None]]
"""Raw answer → what can be used of it, and what is wrong with the rest."""


@dataclass(frozen=True, slots=True)
class Strategy(Generic[T]):
    """One strategy that decides, and what reports say of it."""

    kind: str
    name: str
    made: T
    settings: Mapping[str, Any] = field(default_factory=dict)
    """What it was made from, without secrets."""
    secrets: tuple[str, ...] = field(default=(), repr=False)
    """Those secrets, which no failure may quote."""

    @property
    def label(self) -> str:
        """`detector:rules`: its name in reports, and of its durable data."""
        return f"{self.kind}:{self.name}"

    @property
    def version(self) -> str | None:
        """What the strategy says its version is, if it says so."""
        version = getattr(self.made, "version", None)
        return None if version is None or callable(version) else str(version)


@dataclass(frozen=True, slots=True)
class Answered(Generic[T]):
    """One plugin's or strategy's answer, or why there is none."""

    by: str
    value: T | None
    seconds: float
    failure: str | None = None

    settings: Mapping[str, Any] = field(default_factory=dict)
    """What the strategy was made from, without secrets."""
    version: str | None = None
    """Of what the answer rests on, where the strategy says so itself."""

    @property
    def label(self) -> str:
        """`guard:privacy: no answer within 10 s`, for reports."""
        return f"{self.by}: {self.failure}"

    def reported(self) -> Answer:
        """As a plan keeps it."""
        reply = self.value if isinstance(self.value, Reply) else Reply()
        return Answer(
            by=self.by,
            settings=dict(self.settings),
            version=reply.version or self.version,
            usage=reply.usage,
            seconds=round(self.seconds, 6),
            failure=self.failure,
        )


async def ask(by: str, call: Callable[[], Soon[Any]], expected: type[T], limit: float) -> Answered[T]:
    """Ask one strategy or plugin. Whatever goes wrong becomes its named failure; only our own cancellation passes.

    `limit` is in seconds, for what is awaited; whatever took longer in all is late too. `None` is a valid answer only
    where `value` is then ignored by the caller.
    """
    started = time.perf_counter()
    try:
        value = call()
        if inspect.isawaitable(value):
            async with asyncio.timeout(limit):
                value = await asyncio.ensure_future(_contained(value))
    except TimeoutError:
        return _late(by, started, limit)
    except asyncio.CancelledError:
        if (task := asyncio.current_task()) is not None and task.cancelling():
            raise
        return Answered(by, None, time.perf_counter() - started, "cancelled itself")
    except (Exception, SystemExit) as error:  # noqa: BLE001 - whatever a stranger's code raises is its failure, not ours
        return Answered(by, None, time.perf_counter() - started, named(error))
    seconds = time.perf_counter() - started
    if seconds > limit:  # it blocked the thread, or would not be cancelled: a late answer is none
        return _late(by, started, limit)
    failure = _unusable(value, expected)
    return Answered(by, None if failure else value, seconds, failure)


async def _contained(work: Awaitable[T]) -> T:
    """A task that exits must not take the loop along."""
    try:
        return await work
    except SystemExit as error:
        raise StrategyError(named(error)) from error


def _late(by: str, started: float, limit: float) -> Answered[Any]:
    return Answered(by, None, time.perf_counter() - started, f"no answer within {limit:g} s")


def _unusable(value: object, expected: type) -> str | None:
    """What is wrong with an answer: its type, or something in it that cannot be recorded."""
    if value is not None and not isinstance(value, expected):
        return f"answered {type(value).__name__}, expected {expected.__name__} or None"
    return unkeepable(value) if isinstance(value, Record) else None


@dataclass(frozen=True, slots=True)
class Consultant:
    """Asks the strategies of one instance, all under the same rules."""

    limit: float
    """Seconds a strategy may take."""
    strict: bool
    """A failure raises, in place of being reported."""

    async def ask(
        self,
        strategy: Strategy[Any],
        call: Callable[[], Soon[Any]],
        read: AnswerReader[T],
        data: PluginData | None = None,
        limit: float | None = None,
    ) -> Answered[T]:
        """The answer as `read` understands it. What a failing strategy wrote into `data` is dropped.

        Raises `StrategyError` for an answer that cannot be used, if `strict`.
        """
        answered = await ask(strategy.label, call, object, limit or self.limit)
        value, failure = (None, answered.failure) if answered.failure else read(answered.value)
        failure = without(failure, strategy.secrets) if failure else failure
        if failure and data is not None:
            data.discard()
        if failure and value is None and self.strict:
            raise StrategyError(f"{strategy.label} failed: {failure}")
        return Answered(strategy.label, value, answered.seconds, failure, strategy.settings, strategy.version)


def unkeepable(record: Record) -> str | None:
    """Why a record cannot be kept as JSON and read back, if it cannot: half emoji, or fields of the wrong type."""
    try:
        text = record.model_dump_json(warnings=False)
        type(record).model_validate_json(text)
        if text.count("[") + text.count("{") > ENCLOSING:  # with fewer it is not nested too deep
            check_readable(text)
    except (ValueError, TypeError, AttributeError, RecursionError) as error:  # pydantic's errors are `ValueError`s
        return f"answered a {type(record).__name__} that cannot be recorded: {named(error)}"
    return None


def items_of(value: object, expected: type[T]) -> tuple[list[T] | None, str | None]:
    """The answer as a list of records, or why it is none: anything of another type in it spoils it."""
    try:
        items = list(value)  # type: ignore[call-overload]
    except Exception as error:  # noqa: BLE001 - a stranger's generator may raise anything
        return None, named(error)
    wrong = next((item for item in items if not isinstance(item, expected)), None)
    if wrong is not None:
        return None, f"answered {quoted(wrong)}, expected {expected.__name__}"
    broken = next((why for item in items if isinstance(item, Record) and (why := unkeepable(item))), None)
    return (None, broken) if broken else (items, None)


def record_of(value: object, expected: type[T]) -> tuple[T | None, str | None]:
    """The answer as one record, or why it is none."""
    if not isinstance(value, expected):
        return None, f"answered {type(value).__name__}, expected {expected.__name__} or None"
    broken = unkeepable(value) if isinstance(value, Record) else None
    return (None, broken) if broken else (value, None)
