"""Consultation: asks one strategy or plugin, with a time limit and a name for every failure."""

from __future__ import annotations

import asyncio
import inspect
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any, Generic, TypeVar

from .calls import WarmUp, call
from .errors import InputError, StrategyError, named, quoted
from .events import Event, ReadEvent
from .observers import Observers, count_of
from .plugin_data import PluginData
from .protocols import Soon
from .records.base import Record
from .records.moment import Moment
from .records.observation import Observation
from .records.plan import Answer
from .records.read_only import sealed
from .records.refusal import ENCLOSING
from .records.usage import Reply, Usage
from .redaction import without
from .strategy import Strategy
from .time_limit import LimitReached, apart, contained, reason
from .validation.records import check_finite, check_readable

T = TypeVar("T")
S = TypeVar("S")
E = TypeVar("E", bound=Event | Moment)
AnswerReader = Callable[[Any], tuple[T | None, str | None]]
"""Raw answer → the usable part of it, and the fault found in the rest."""
_SILENT = Reply()
LONG_TABLE = 64
"""In a table with more values than this, those that are one and the same object are checked once."""


@dataclass(frozen=True, slots=True)
class Answered(Generic[T]):
    """The answer of one plugin or strategy, or the reason why there is none."""

    by: str
    value: T | None
    seconds: float
    failure: str | None = None

    settings: Mapping[str, Any] = field(default_factory=dict)
    """The settings the strategy was made from, without secrets."""
    version: str | None = None
    """The version of what the answer rests on, if it names one."""
    usage: Usage | None = None
    """The model that was asked, and what it cost; also for an unusable answer."""
    notes: tuple[str, ...] = ()
    """How the answer came about, as whoever gave it says; also for an unusable answer."""

    @property
    def label(self) -> str:
        """`guard:privacy: no answer within 10 s`, for reports."""
        return f"{self.by}: {self.failure}"

    def reported(self) -> Answer:
        """The answer as a plan records it."""
        return Answer(
            by=self.by,
            settings=dict(self.settings),
            version=self.version,
            usage=self.usage,
            seconds=round(self.seconds, 6),
            failure=self.failure,
            notes=self.notes,
        )


async def ask(by: str, call: Callable[[], Soon[Any]], limit: float) -> Answered[Any]:
    """Ask one strategy or plugin. Every failure becomes a named one, whatever is raised.

    Only a `KeyboardInterrupt` and the caller's own cancellation propagate. `limit` is in seconds. Awaited work that
    exceeds it is abandoned, even if it ignores its cancellation. An answer that took longer overall is late too. The
    caller judges the answer's content.
    """
    started = time.perf_counter()
    try:
        value = _called(call)
        if inspect.isawaitable(value):
            value = await apart(limit, value)
    except LimitReached:
        return _late(by, started, limit)
    except BaseException as error:  # noqa: BLE001 - whatever third-party code raises is its failure, not ours
        failure = contained(error)
        why = "cancelled itself" if isinstance(error, asyncio.CancelledError) else reason(failure)
        return Answered(by, None, time.perf_counter() - started, why)
    seconds = time.perf_counter() - started
    if seconds > limit:  # it blocked the thread: a late answer counts as none
        return _late(by, started, limit)
    return Answered(by, value, seconds)


def _called(call: Callable[[], Soon[Any]]) -> Any:
    """The answer of a call. Here a `GeneratorExit` comes from third-party code, and is its failure."""
    try:
        return call()
    except GeneratorExit as error:
        raise StrategyError(named(error)) from error


def _late(by: str, started: float, limit: float) -> Answered[Any]:
    return Answered(by, None, time.perf_counter() - started, f"no answer within {limit:g} s")


@dataclass(frozen=True, slots=True)
class Consultant:
    """Asks the strategies and plugins of one instance, all under the same rules. Observers receive each answer."""

    limit: float = 10.0
    """The most seconds a strategy may take."""
    strict: bool = False
    """Whether a failure raises instead of being reported."""
    observers: Observers = field(default_factory=Observers)
    """Observers that receive every answer."""
    warm_up: WarmUp = field(default_factory=WarmUp)
    """Lets strategies load what they need, outside of their time limits."""

    async def ask(
        self,
        strategy: Strategy[S],
        method: Callable[[S, E], Soon[Any]],
        event: E,
        read: AnswerReader[T],
        data: Mapping[str, PluginData],
        limit: float | None = None,
    ) -> Answered[T]:
        """The answer to a method of the strategy's protocol, such as `Guard.strike`, as `read` understands it.

        Raises `StrategyError` for an unusable answer if `strict`.
        """
        answered = await self.consult(strategy, method.__name__, event, read, data, limit)
        if answered.failure and answered.value is None and self.strict:
            raise StrategyError(f"{strategy.label} failed: {answered.failure}")
        return answered

    async def consult(
        self,
        strategy: Strategy[Any],
        method: str,
        event: Event | Moment,
        read: AnswerReader[T],
        data: Mapping[str, PluginData],
        limit: float | None = None,
    ) -> Answered[T]:
        """As `ask`, by the method's name, but never raises. The data that a failing call wrote is dropped."""
        own = data.get(strategy.data_owner, sealed(event).data)
        written = own.copy()
        shown = event.model_copy(update={"data": written})
        raw = await ask(strategy.label, lambda: call(strategy.made, method, shown), limit or self.limit)
        value, failure = (None, raw.failure) if raw.failure else _understood(read, raw.value)
        if not failure and written.changes:
            failure = _taken_over(own, written)
            value = None if failure else value
        if failure:
            failure = without(failure, strategy.secrets)
        reply = _reply(raw.value)
        answered = Answered(
            strategy.label,
            value,
            raw.seconds,
            failure,
            strategy.settings,
            reply.version or strategy.version,
            reply.usage,
            tuple([without(note, strategy.secrets) for note in reply.notes]),
        )
        if self.observers:
            self.observers.tell(_observation(strategy, method, event, answered))
        return answered


def _taken_over(own: PluginData, written: PluginData) -> str | None:
    """Take over what a call wrote; the reason why that cannot be kept, if it cannot."""
    try:
        own.take(written)
    except InputError as error:
        return f"wrote what cannot be kept: {error}"
    return None


def _understood(read: AnswerReader[T], value: object) -> tuple[T | None, str | None]:
    """What `read` makes of an answer. An answer may run third-party code while it is looked at."""
    try:
        return read(value)
    except BaseException as error:  # noqa: BLE001 - whatever that code raises
        return None, f"answered what cannot be read: {reason(contained(error))}"


def _reply(value: object) -> Reply:
    """The part of an answer that describes the answer itself, as far as it can be recorded."""
    if not isinstance(value, Reply) or (value.version is None and value.usage is None and not value.notes):
        return _SILENT
    said = Reply.model_construct(version=value.version, usage=value.usage, notes=value.notes)
    return _SILENT if unkeepable(said) else said


def _observation(strategy: Strategy[Any], method: str, event: Event | Moment, answered: Answered[Any]) -> Observation:
    return Observation(
        kind=strategy.kind,
        name=strategy.name,
        method=method,
        session=event.session,
        container=event.container if isinstance(event, ReadEvent) else None,
        seconds=answered.seconds,
        count=count_of(answered.value),
        failure=answered.failure,
        version=answered.version,
        usage=answered.usage,
    )


def unkeepable(record: Record) -> str | None:
    """The reason why a record cannot be kept as JSON and read back, or `None`.

    Examples are half an emoji and fields of the wrong type.
    """
    try:
        record = _with_each_value_once(record)
        text = record.model_dump_json(warnings=False)
        type(record).model_validate_json(text)
        if text.count("[") + text.count("{") > ENCLOSING:  # with fewer brackets it cannot be nested too deeply
            check_readable(text)
        check_finite(text)
    except (ValueError, TypeError, AttributeError, RecursionError) as error:  # pydantic's errors are `ValueError`s
        return f"answered a {type(record).__name__} that cannot be recorded: {named(error)}"
    return None


def _with_each_value_once(record: Record) -> Record:
    """The record with every different value of its long tables once: of thousands, much the same is said.

    Raises `ValueError` or `TypeError` for a key that is not text that can be kept.
    """
    long = {name: value for name, value in record.__dict__.items() if type(value) is dict and len(value) > LONG_TABLE}
    if not long:
        return record
    for table in long.values():
        "".join(table).encode()
    once = {name: {id(value): key for key, value in table.items()}.values() for name, table in long.items()}
    return record.model_copy(update={name: {key: long[name][key] for key in keys} for name, keys in once.items()})


def items_of(value: object, expected: type[T]) -> tuple[list[T] | None, str | None]:
    """The answer as a list of records, or the reason why it is none.

    One item of another type spoils the whole answer.
    """
    try:
        items = list(value)  # type: ignore[call-overload]
    except Exception as error:  # noqa: BLE001 - a third-party generator may raise anything
        return None, named(error)
    wrong = next((item for item in items if not isinstance(item, expected)), None)
    if wrong is not None:
        return None, f"answered {quoted(wrong)}, expected {expected.__name__}"
    broken = next((why for item in items if isinstance(item, Record) and (why := unkeepable(item))), None)
    return (None, broken) if broken else (items, None)


def record_of(value: object, expected: type[T]) -> tuple[T | None, str | None]:
    """The answer as one record, or the reason why it is none."""
    if not isinstance(value, expected):
        return None, f"answered {type(value).__name__}, expected {expected.__name__} or None"
    broken = unkeepable(value) if isinstance(value, Record) else None
    return (None, broken) if broken else (value, None)
