"""Makes the parts of one instance from settings and from objects that the host passes. Each is checked, made once."""

from __future__ import annotations

import os
from collections.abc import Iterable, Mapping
from contextlib import AbstractContextManager
from dataclasses import dataclass, field, replace
from functools import partial
from pathlib import Path
from typing import Any, TypeAlias

from .backend_failures import BACKENDS, naming_failures
from .consultation import Consultant
from .dispatch import Plugins
from .engine import Engine
from .errors import PluginError, SettingsError
from .lifecycle import Lifecycle
from .loading import plugins as installed
from .loading.kinds import CHOSEN, StrategyKind, check_protocol
from .loading.resources import Resources
from .loading.settings import Settings
from .loading.strategies import LoadFailure, Strategies
from .loading.strategy_spec import StrategySpec
from .observers import WRAPPED, Observers, observed
from .redaction import secrets_held
from .strategy import Strategy

DEFAULT_FILE = "earwitness.db"
PartsOfKind: TypeAlias = tuple[Strategy[Any], ...]


def settings_of(
    path: str | Path | None, given: Settings | Mapping[str, Any] | str | Path | None, changes: Mapping[str, Any]
) -> Settings:
    """Settings from a file or from code, with single settings replaced. Raises `SettingsError`."""
    if not isinstance(path, str | os.PathLike | None):
        raise SettingsError(
            f"the path must be the name of a file, not {type(path).__name__}; settings=… takes settings."
        )
    if path is not None:
        changes = {**changes, "path": os.fspath(path)}
    settings = _given(given)
    return settings.changed(**changes) if changes else settings


def _given(given: object) -> Settings:
    match given:
        case None:
            return Settings()
        case Settings():
            return given
        case Mapping():
            return Settings.of(**given)
        case str() | Path():
            return Settings.load(given)
    raise SettingsError(f"settings {given!r} must be Settings.of(…), a mapping, or the name of a settings file.")


def handed_over(changes: Mapping[str, Any]) -> tuple[dict[str, Any], dict[str, Any]]:
    """Split `changes` into strategies that were passed as instances, by setting, and settings to change."""
    made: dict[str, Any] = {}
    rest = dict(changes)
    for kind in CHOSEN:
        setting = str(kind.setting)
        if setting not in changes or _by_name(given := changes[setting]):
            continue
        several = given if kind.is_plural and isinstance(given, list | tuple) else (given,)
        if instances := [each for each in several if not _by_name(each)]:
            made[setting] = instances if kind.is_plural else instances[0]
            rest.pop(setting)
        if names := [each for each in several if _by_name(each)]:
            rest[setting] = names
    return made, rest


def _classes(given: object) -> tuple[str, ...]:
    return tuple(_class_of(each) for each in (given if isinstance(given, list | tuple) else (given,)))


def _by_name(given: object) -> bool:
    return given is None or isinstance(given, str | Mapping | StrategySpec)


def named(settings: Settings, made: Mapping[str, Any]) -> Settings:
    """The settings, naming the strategies that were passed as instances, so that reports show what is used."""
    single = {setting: each for setting, each in made.items() if not isinstance(each, list)}
    return settings.model_copy(update={name: StrategySpec(name=_class_of(each)) for name, each in single.items()})


def instances(plugins: object) -> tuple[object, ...]:
    """The plugins that were passed: several, or a single one. Raises `PluginError` for names."""
    each = tuple(plugins) if isinstance(plugins, Iterable) and not isinstance(plugins, str | Mapping) else (plugins,)
    for plugin in each:
        if isinstance(plugin, str | Mapping):
            raise PluginError(
                f"plugins={plugin!r}: hand over instances. To choose installed ones by name: "
                "settings=Settings.of(plugins=[…]), or `plugins` in earwitness.toml."
            )
    return tuple(plugin for plugin in each if plugin is not None)


def name_of(plugin: object) -> str:
    """The plugin's `name`, or the name of its class."""
    return str(getattr(plugin, "name", None) or _class_of(plugin))


@dataclass(frozen=True, slots=True)
class Wiring:
    """Makes the parts of one instance. Each kind is made after the kinds that it may ask for."""

    settings: Settings
    makers: Strategies
    handed_over: Mapping[str, Any]
    """Strategies that were passed as instances, by setting."""
    resources: Resources = field(default_factory=Resources)
    """What strategies share."""

    def wired(self, plugins: Iterable[object]) -> tuple[Engine, list[LoadFailure]]:
        """The engine with every part, made or passed, and the plugins that could not be loaded.

        Raises `SettingsError`, `UnknownName`, `StrategyError`, `PluginError`.
        """
        masked = _masked(self.settings, self.makers, self.handed_over)
        found, observers = self._parts(masked)
        consultant = Consultant(self.settings.end.plugin_timeout, self.settings.strict, observers)
        hooks = Plugins(consultant)
        failures = installed.load(hooks, self.settings, self.resources)
        for plugin in plugins:
            hooks.register(plugin, name_of(plugin), secrets=self.settings.table_secrets)
        engine = Engine(
            settings=masked,
            ledger=found["ledger"][0].made,
            store=found["store"][0].made,
            detector=_only(found["detector"]),
            world_agent=_only(found["world_agent"]),
            sharing_rules=found["sharing_rule"],
            guards=found["guard"],
            read_providers=found["read_provider"],
            jobs=found["job"],
            plugins=hooks,
            consultant=consultant,
            lifecycle=Lifecycle(self._in_order(found, hooks)),
            resources=self.resources,
        )
        return engine, failures

    def _parts(self, masked: Settings) -> tuple[dict[str, PartsOfKind], Observers]:
        """Every strategy by kind, and the observers."""
        settings = self.settings
        context: dict[str, object] = {
            "path": settings.path or DEFAULT_FILE,
            "resources": self.resources,
            "strategies": self.makers,
            "embedder": None,
            "end": settings.end,
            "settings": settings,
            "handed_over": {setting: _classes(given) for setting, given in self.handed_over.items()},
        }
        found: dict[str, PartsOfKind] = {}
        observers = Observers()
        for kind in CHOSEN:
            found[kind.name] = parts = self._parts_of(kind, masked, context)
            if quotable := settings.table_secrets:
                parts = tuple(replace(each, secrets=(*each.secrets, *quotable)) for each in parts)
                found[kind.name] = parts
            if kind.name == "observer":
                observers = Observers(parts, limit=settings.end.plugin_timeout)
            if kind.name in WRAPPED:
                found[kind.name] = parts = tuple(replace(each, made=observed(each, observers)) for each in parts)
            if kind.name in BACKENDS:
                found[kind.name] = parts = tuple(replace(each, made=naming_failures(each)) for each in parts)
            if kind.name == "embedder" and parts:
                context["embedder"] = parts[0].made
        return found, observers

    def _in_order(self, found: Mapping[str, PartsOfKind], hooks: Plugins) -> PartsOfKind:
        """Everything, in the order in which it is opened: what others may use comes first."""
        first = ("observer", "embedder", "ledger", "store")
        rest = [each for kind, parts in found.items() if kind not in first for each in parts]
        return (*(each for kind in first for each in found[kind]), *self.makers.inner, *rest, *hooks.registered)

    def _parts_of(self, kind: StrategyKind, masked: Settings, context: Mapping[str, object]) -> PartsOfKind:
        """The strategies of one kind: first those chosen by name, then those passed as instances."""
        given = self.handed_over.get(str(kind.setting), ())
        instances = given if kind.is_plural else (given,) if given != () else ()
        specs: Iterable[tuple[StrategySpec, StrategySpec]] = ()
        if kind.is_plural or not instances:
            specs = zip(self.settings.chosen(kind), masked.chosen(kind), strict=True)
        by_name = [self._made(kind, number, *both, context) for number, both in enumerate(specs)]
        return (*by_name, *(_handed_over(kind, each) for each in instances))

    def _made(
        self, kind: StrategyKind, number: int, spec: StrategySpec, shown: StrategySpec, context: Mapping[str, object]
    ) -> Strategy[Any]:
        """A strategy that is chosen by name. Its errors name the place in the settings file."""
        at_its_place = partial(_place, self.settings, kind, number)
        with at_its_place():
            made = self.makers.make(kind.name, spec, **context)
        return Strategy(kind.name, spec.name, made, shown.settings, shown.secrets(), at_its_place)


def _handed_over(kind: StrategyKind, instance: object) -> Strategy[Any]:
    name = _class_of(instance)
    made = check_protocol(kind, name, instance)
    return Strategy(kind.name, name, made, secrets=secrets_held(made))


def _only(found: PartsOfKind) -> Strategy[Any] | None:
    return found[0] if found else None


def _place(settings: Settings, kind: StrategyKind, number: int) -> AbstractContextManager[None]:
    """Errors of this block name the place of the strategy of this kind and number in the settings file."""
    setting = str(kind.setting)
    return settings.at(setting, number) if kind.is_plural else settings.at(setting)


def _masked(settings: Settings, makers: Strategies, made: Mapping[str, Any]) -> Settings:
    """The settings with everything masked that factories annotate as secret, because plans record their settings."""
    changes: dict[str, Any] = {}
    for kind in CHOSEN:
        specs = []
        for number, spec in enumerate([] if kind.setting in made and not kind.is_plural else settings.chosen(kind)):
            with _place(settings, kind, number):
                specs.append(makers.masked(kind.name, spec))
        if specs:
            changes[str(kind.setting)] = tuple(specs) if kind.is_plural else specs[0]
    return settings.model_copy(update=changes)


def _class_of(made: object) -> str:
    kind = made if isinstance(made, type) else type(made)
    return kind.__name__.lower()
