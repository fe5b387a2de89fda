"""The only module that touches pluggy: registers plugins in order, and asks them all at once with a time limit."""

from __future__ import annotations

import asyncio
import inspect
from collections.abc import Callable, Mapping, Sequence
from functools import partial
from typing import TypeVar

import pluggy

from .consultation import Answered, Consultant, record_of
from .errors import PluginError, did_you_mean
from .events import Event
from .hooks import HOOKS, PROJECT, Plugin
from .loading.strategy_spec import NamedSettings
from .plugin_data import PluginData
from .redaction import secrets_held
from .strategy import Strategy

T = TypeVar("T")
ORDERS = ("first", "middle", "last")


class Plugins:
    """The plugins of one Earwitness instance, in order."""

    def __init__(self, consultant: Consultant | None = None) -> None:
        self._manager = _Manager(PROJECT)
        self._manager.add_hookspecs(Plugin)
        self._consultant = consultant or Consultant()
        self._registered: dict[str, Strategy[object]] = {}

    def register(
        self, plugin: object, name: str, spec: NamedSettings | None = None, secrets: Sequence[str] = ()
    ) -> None:
        """Add an instance under a name; `spec` holds the settings it was made from, `secrets` are others it may quote.

        Raises `PluginError` for a class, a misspelt hook, or a name taken.
        """
        _check(plugin, name)
        if name in self._registered:
            raise PluginError(f"there are two plugins with the name {name!r}. Give one of them another `name`.")
        try:
            self._manager.register(plugin, name)
        except (ValueError, pluggy.PluginValidationError) as error:
            why = _misnamed(plugin) or " ".join(str(error).split())
            advice = "A hook takes one parameter, besides `self`. Name it `event`."
            raise PluginError(f"plugin {name!r} cannot be registered: {why}. {advice}") from error
        settings, own = (spec.settings, spec.secrets()) if spec else ({}, secrets_held(plugin))
        self._registered[name] = Strategy("plugin", name, plugin, settings, (*own, *secrets))

    @property
    def names(self) -> tuple[str, ...]:
        """Registered names, in the order of registration."""
        return tuple(self._registered)

    @property
    def registered(self) -> tuple[Strategy[object], ...]:
        """The plugins, in the order of registration."""
        return tuple(self._registered.values())

    def hooks_of(self, name: str) -> tuple[str, ...]:
        """The hooks that the plugin implements."""
        plugin = self._registered[name].made
        return tuple(hook for hook in HOOKS if _implements(plugin, hook))

    async def ask(
        self,
        hook: str,
        event: Event,
        expected: type[T],
        data: Mapping[str, PluginData],
        *,
        only: str | None = None,
        fault: Callable[[T], str | None] = lambda answer: None,
    ) -> Sequence[Answered[T]]:
        """Ask every plugin that implements the hook, all at once; with `only`, those in which this attribute is true.

        `fault` says what is wrong with an answer, of which the rest counts. Raises `PluginError` for one that cannot be
        used if `strict`.
        """
        plugins = [each for each in self._implementing(hook) if only is None or getattr(each.made, only, False)]
        read = partial(_read, expected, fault)
        asked = [self._consultant.consult(each, hook, event, read, data) for each in plugins]
        answers = [await asked[0]] if len(asked) == 1 else await asyncio.gather(*asked)
        failed = next((each for each in answers if each.failure and each.value is None), None)
        if self._consultant.strict and failed:
            raise PluginError(f"{failed.by} failed in {hook}: {failed.failure}")
        return answers

    def asks(self, hook: str) -> bool:
        """Whether any plugin implements the hook."""
        return bool(self._implementations(hook))

    def _implementing(self, hook: str) -> list[Strategy[object]]:
        return [self._registered[each.plugin_name] for each in self._implementations(hook)]

    def _implementations(self, hook: str) -> Sequence[pluggy.HookImpl]:
        implementations: list[pluggy.HookImpl] = getattr(self._manager.hook, hook).get_hookimpls()
        return implementations


def _read(expected: type[T], fault: Callable[[T], str | None], answer: object) -> tuple[T | None, str | None]:
    if answer is None:
        return None, None
    value, failure = record_of(answer, expected)
    return value, fault(value) if value is not None else failure


class _Manager(pluggy.PluginManager):
    """A plugin manager that treats every override of a hook as an implementation, without a decorator."""

    def parse_hookimpl_opts(self, plugin: object, name: str) -> pluggy.HookimplOpts | None:
        if name not in HOOKS or not _implements(plugin, name):
            return None
        order = getattr(plugin, "order", "middle")
        # pluggy calls its list from the end; we read it from the start, in the order of registration
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


def _misnamed(plugin: object) -> str | None:
    """The first hook with a parameter that is not `event`."""
    for hook in (each for each in HOOKS if _implements(plugin, each)):
        given = inspect.signature(getattr(plugin, hook))
        if set(given.parameters) - {"event"}:
            return f"it has {hook}({', '.join(given.parameters)})"
    return None


def _check(plugin: object, name: str) -> None:
    if inspect.isclass(plugin):
        raise PluginError(f"plugin {name!r} is a class. Register an instance: {plugin.__name__}(…).")
    if (order := getattr(plugin, "order", "middle")) not in ORDERS:
        raise PluginError(f"plugin {name!r} has order {order!r}. Orders: {', '.join(ORDERS)}.")
    for attribute in dir(type(plugin)):
        if attribute.startswith("on_") and attribute not in HOOKS:
            known = f"Hooks: {', '.join(HOOKS)}.{did_you_mean(attribute, HOOKS)}"
            raise PluginError(f"plugin {name!r} has {attribute!r}, which is not a hook. {known}")
    if not any(_implements(plugin, hook) for hook in HOOKS):
        raise PluginError(f"plugin {name!r} implements no hook. Write one of {', '.join(HOOKS)}.")
