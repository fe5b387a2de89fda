"""From settings, and from what a host hands over, to the parts of one instance, each made once and fit for its kind."""

from __future__ import annotations

import os
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

from .consultation import Strategy
from .dispatch import Plugins
from .engine import Engine
from .errors import PluginError, SettingsError, unknown
from .loading.contracts import keeping
from .loading.resources import Resources
from .loading.settings import Settings, StrategySpec
from .loading.strategies import Strategies

DEFAULT_FILE = "earwitness.db"
ONE = ("ledger", "store", "embedder", "detector", "world_agent")
SEVERAL = ("sharing_rules", "guards")


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


def handed_over(changes: Mapping[str, Any], strategies: Mapping[str, Any]) -> tuple[dict[str, Any], dict[str, Any]]:
    """Strategies that are instances, by kind, and the settings to change; each may stand among the other's."""
    made: dict[str, Any] = {kind: each for kind, each in strategies.items() if kind not in ONE or not _by_name(each)}
    rest = {kind: each for kind, each in strategies.items() if kind not in made} | dict(changes)
    made |= {kind: rest.pop(kind) for kind in ONE if not _by_name(rest.get(kind))}
    for kind in SEVERAL:
        given = rest.get(kind, ())
        several = given if isinstance(given, list | tuple) else () if _by_name(given) else (given,)
        if instances := [each for each in several if not _by_name(each)]:
            made[kind] = [*made.get(kind, ()), *instances]
            rest[kind] = [each for each in several if _by_name(each)]
    return made, rest


def _by_name(given: object) -> bool:
    return given is None or isinstance(given, str | Mapping | StrategySpec)


def named(settings: Settings, made: Mapping[str, Any]) -> Settings:
    """The settings with the strategies that were handed over in place of those they name, so that reports say so."""
    for kind in made:
        if kind not in {*ONE, *SEVERAL}:
            raise unknown("kind of strategy", kind, (*ONE, *SEVERAL))
    given = {kind: StrategySpec(name=_class_of(made[kind])) for kind in ONE if kind in made}
    return settings.model_copy(update=given)


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
    context: dict[str, object] = {"path": settings.path or DEFAULT_FILE, "resources": Resources(), "embedder": None}
    context["end"] = settings.end

    def one(kind: str, spec: StrategySpec | None) -> Any:
        if kind in made:
            return keeping(kind, _class_of(made[kind]), made[kind])
        return None if spec is None else makers.make(kind, spec, **context)

    def asked(kind: str, spec: StrategySpec | None) -> Any:
        instance = one(kind, spec)
        return None if instance is None or spec is None else Strategy(kind, spec.name, instance, spec.settings)

    def several(kind: str, specs: Iterable[StrategySpec]) -> Any:
        named = [Strategy(kind, spec.name, makers.make(kind, spec, **context), spec.settings) for spec in specs]
        given = made.get(f"{kind}s", ())
        return (*named, *(Strategy(kind, _class_of(each), keeping(kind, _class_of(each), each)) for each in given))

    context["embedder"] = one("embedder", settings.embedder)
    return Engine(
        settings=settings,
        ledger=one("ledger", settings.ledger),
        store=one("store", settings.store),
        detector=asked("detector", settings.detector),
        world_agent=asked("world_agent", settings.world_agent),
        sharing_rules=several("sharing_rule", settings.sharing_rules),
        guards=several("guard", settings.guards),
        plugins=hooks,
    )


def _class_of(made: object) -> str:
    kind = made if isinstance(made, type) else type(made)
    return kind.__name__.lower()
