"""From settings, and from what a host hands over, to the parts of one instance, each made once and fit for its kind."""

from __future__ import annotations

import os
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any

from .consultation import Strategy
from .dispatch import Plugins
from .engine import Engine
from .errors import PluginError, SettingsError
from .loading.kinds import CHOSEN, StrategyKind, check_protocol
from .loading.resources import Resources
from .loading.settings import Settings
from .loading.strategies import Strategies
from .loading.strategy_spec import StrategySpec

DEFAULT_FILE = "earwitness.db"


def settings_of(
    path: str | Path | None, given: Settings | Mapping[str, Any] | str | Path | None, changes: Mapping[str, Any]
) -> Settings:
    """What was chosen, from a file or from code, with single settings replaced. Raises `SettingsError`."""
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
    """Strategies that were handed over as instances, by the setting they are given in; and the settings to change."""
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


def _by_name(given: object) -> bool:
    return given is None or isinstance(given, str | Mapping | StrategySpec)


def named(settings: Settings, made: Mapping[str, Any]) -> Settings:
    """The settings with the strategies that were handed over in place of those they name, so that reports say so."""
    single = {setting: each for setting, each in made.items() if not isinstance(each, list)}
    return settings.model_copy(update={name: StrategySpec(name=_class_of(each)) for name, each in single.items()})


def instances(plugins: object) -> tuple[object, ...]:
    """Plugins as they were handed over; one alone will do. Raises `PluginError` for names."""
    each = tuple(plugins) if isinstance(plugins, Iterable) and not isinstance(plugins, str | Mapping) else (plugins,)
    for plugin in each:
        if isinstance(plugin, str | Mapping):
            raise PluginError(
                f"plugins={plugin!r}: hand over instances. To choose installed ones by name: "
                "settings=Settings.of(plugins=[…]), or `plugins` in earwitness.toml."
            )
    return tuple(plugin for plugin in each if plugin is not None)


def name_of(plugin: object) -> str:
    """What a plugin calls itself, else its class."""
    return str(getattr(plugin, "name", None) or _class_of(plugin))


def wired(settings: Settings, makers: Strategies, hooks: Plugins, made: Mapping[str, Any]) -> Engine:
    """Every part, made or handed over. Raises `SettingsError`, `UnknownName`, `StrategyError`."""
    context: dict[str, object] = {
        "path": settings.path or DEFAULT_FILE,
        "resources": Resources(),
        "embedder": None,
        "end": settings.end,
        "settings": settings,
    }
    masked = _masked(settings, makers, made)

    def parts(kind: StrategyKind) -> tuple[Strategy[Any], ...]:
        given = made.get(str(kind.setting), ())
        instances = given if kind.is_plural else (given,) if given != () else ()
        specs = () if instances and not kind.is_plural else zip(settings.chosen(kind), masked.chosen(kind), strict=True)
        by_name = (
            Strategy(kind.name, spec.name, makers.make(kind.name, spec, **context), shown.settings, shown.secrets())
            for spec, shown in specs
        )
        return (*by_name, *(_handed_over(kind, each) for each in instances))

    found: dict[str, tuple[Strategy[Any], ...]] = {}
    for kind in CHOSEN:
        found[kind.name] = parts(kind)
        if kind.name in context:  # the embedder, for those that are made after it
            context[kind.name] = _instance(found[kind.name])
    return Engine(
        settings=masked,
        ledger=_instance(found["ledger"]),
        store=_instance(found["store"]),
        detector=_only(found["detector"]),
        world_agent=_only(found["world_agent"]),
        sharing_rules=found["sharing_rule"],
        guards=found["guard"],
        read_providers=found["read_provider"],
        plugins=hooks,
    )


def _handed_over(kind: StrategyKind, instance: object) -> Strategy[Any]:
    name = _class_of(instance)
    return Strategy(kind.name, name, check_protocol(kind, name, instance))


def _only(found: Sequence[Strategy[Any]]) -> Strategy[Any] | None:
    return found[0] if found else None


def _instance(found: Sequence[Strategy[Any]]) -> Any:
    return found[0].made if found else None


def _masked(settings: Settings, makers: Strategies, made: Mapping[str, Any]) -> Settings:
    """The settings without what factories annotate as secret, since plans record the settings that they rest on."""
    changes: dict[str, Any] = {}
    for kind in CHOSEN:
        handed_over = kind.setting in made and not kind.is_plural
        if specs := [] if handed_over else [makers.masked(kind.name, spec) for spec in settings.chosen(kind)]:
            changes[str(kind.setting)] = tuple(specs) if kind.is_plural else specs[0]
    return settings.model_copy(update=changes)


def _class_of(made: object) -> str:
    kind = made if isinstance(made, type) else type(made)
    return kind.__name__.lower()
