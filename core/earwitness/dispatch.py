"""The only file that touches pluggy: registers plugins, keeps their order, asks them all at once with a time limit."""

from __future__ import annotations

import asyncio
import inspect
import time
from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Generic, TypeVar

import pluggy

from .errors import PluginError, StrategyError, did_you_mean, named
from .hooks import HOOKS, PROJECT, Event, Plugin, PluginData
from .protocols import Soon
from .records.base import Record
from .records.plan import Answer
from .validation.records import ENCLOSING, check_readable

T = TypeVar("T")
ORDERS = ("first", "middle", "last")


@dataclass(frozen=True, slots=True)
class Answered(Generic[T]):
    """One plugin's or strategy's answer, or why there is none."""

    by: str
    value: T | None
    seconds: float
    failure: str | None = None

    def reported(self, settings: Mapping[str, Any] | None = None) -> Answer:
        """As a plan keeps it."""
        return Answer(by=self.by, settings=dict(settings or {}), seconds=round(self.seconds, 6), failure=self.failure)


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


class Plugins:
    """The plugins of one Earwitness instance, in order."""

    def __init__(self, *, strict: bool = False) -> None:
        self._manager = _Manager(PROJECT)
        self._manager.add_hookspecs(Plugin)
        self.strict = strict

    def register(self, plugin: object, name: str) -> None:
        """Add an instance under a name. Raises `PluginError` for a class, a misspelt hook, or a name taken."""
        _check(plugin, name)
        try:
            self._manager.register(plugin, name)
        except (ValueError, pluggy.PluginValidationError) as error:
            why = " ".join(str(error).split())
            raise PluginError(f"plugin {name!r} cannot be registered: {why}. A hook takes one `event`.") from error

    @property
    def names(self) -> tuple[str, ...]:
        """Registered names, in the order of registration."""
        return tuple(name for name, _ in self._manager.list_name_plugin())

    def hooks_of(self, name: str) -> tuple[str, ...]:
        """Which hooks the plugin implements."""
        plugin = self._manager.get_plugin(name)
        return tuple(hook for hook in HOOKS if _implements(plugin, hook))

    async def ask(
        self, hook: str, event: Event, expected: type[T], *, limit: float, data: Mapping[str, PluginData]
    ) -> Sequence[Answered[T]]:
        """Ask every plugin that implements the hook, all at once. Raises `PluginError` for a failure if `strict`."""
        asked = [self._ask_one(impl, event, expected, limit, data) for impl in self._implementations(hook)]
        answers = [await asked[0]] if len(asked) == 1 else await asyncio.gather(*asked)
        failed = next((answer for answer in answers if answer.failure), None)
        if self.strict and failed:
            raise PluginError(f"{failed.by} failed in {hook}: {failed.failure}")
        return answers

    def asks(self, hook: str) -> bool:
        """Whether anybody implements the hook."""
        return bool(self._implementations(hook))

    def _implementations(self, hook: str) -> Sequence[pluggy.HookImpl]:
        implementations: list[pluggy.HookImpl] = getattr(self._manager.hook, hook).get_hookimpls()
        return implementations

    async def _ask_one(
        self, impl: pluggy.HookImpl, event: Event, expected: type[T], limit: float, data: Mapping[str, PluginData]
    ) -> Answered[T]:
        own = data[impl.plugin_name]
        shown = event.model_copy(update={"data": own})
        answer = await ask(f"plugin:{impl.plugin_name}", lambda: impl.function(shown), expected, limit)
        if answer.failure:
            own.discard()
        return answer


class _Manager(pluggy.PluginManager):
    """An override of a hook is an implementation: no decorator needed."""

    def parse_hookimpl_opts(self, plugin: object, name: str) -> pluggy.HookimplOpts | None:
        if name not in HOOKS or not _implements(plugin, name):
            return None
        order = getattr(plugin, "order", "middle")
        # pluggy calls its list from the end; we read it from the start, so that plugins stand as registered
        return {
            "wrapper": False,
            "hookwrapper": False,
            "optionalhook": False,
            "tryfirst": order == "last",
            "trylast": order == "first",
            "specname": None,
        }


def _implements(plugin: object, hook: str) -> bool:
    method = getattr(type(plugin), hook, None)
    return method is not None and method is not getattr(Plugin, hook)


def _check(plugin: object, name: str) -> None:
    if inspect.isclass(plugin):
        raise PluginError(f"plugin {name!r} is a class. Register an instance: {plugin.__name__}(…).")
    if (order := getattr(plugin, "order", "middle")) not in ORDERS:
        raise PluginError(f"plugin {name!r} has order {order!r}. Orders: {', '.join(ORDERS)}.")
    for attribute in dir(type(plugin)):
        if attribute.startswith("on_") and attribute not in HOOKS:
            known = f"Hooks: {', '.join(HOOKS)}.{did_you_mean(attribute, HOOKS)}"
            raise PluginError(f"plugin {name!r} has {attribute!r}, which is no hook. {known}")
    if not any(_implements(plugin, hook) for hook in HOOKS):
        raise PluginError(f"plugin {name!r} implements no hook. Write one of {', '.join(HOOKS)}.")


def must(answered: Answered[T]) -> T:
    """The value, or `StrategyError` that names who failed and how."""
    if answered.value is None:
        raise StrategyError(f"{answered.by} failed: {answered.failure or 'answered nothing'}")
    return answered.value
