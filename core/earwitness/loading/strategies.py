"""Strategies by name: found among entry points or registered in code, made by their factory from typed settings."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Iterable, Mapping
from importlib import import_module
from importlib.metadata import EntryPoint, entry_points
from typing import Any, get_type_hints

from pydantic import TypeAdapter, ValidationError

from ..errors import SettingsError, StrategyError, named, unknown
from ..protocols import KINDS
from ..records.base import Record
from .contracts import keeping
from .settings import StrategySpec

Factory = Callable[..., Any]


class LoadFailure(Record):
    """An entry point that could not be loaded; kept for `doctor`."""

    group: str
    """Entry point group."""
    name: str
    """Entry point name."""
    failure: str
    """What went wrong."""


class Strategies:
    """The strategies one Earwitness instance can make, by kind and name."""

    def __init__(self) -> None:
        self._factories: dict[tuple[str, str], Factory] = {}
        self.failures: list[LoadFailure] = []

    def register(self, kind: str, name: str, factory: Factory) -> None:
        """Make a factory known in code; it wins over an entry point of its name. Raises `UnknownName` for the kind."""
        if kind not in KINDS:
            raise unknown("kind of strategy", kind, KINDS)
        self._factories[kind, name] = factory

    def names(self, kind: str) -> tuple[str, ...]:
        """Everything that can be made of this kind, sorted."""
        found = {point.name for point in _points(kind)}
        return tuple(sorted(found | {name for known, name in self._factories if known == kind}))

    def factory(self, kind: str, name: str) -> Factory:
        """The factory under a name, or at a path (`mine.LastTwo`, `mine:LastTwo`).

        Raises `UnknownName`, `StrategyError` for an entry point that breaks, `SettingsError` for a path that does.
        """
        if (kind, name) in self._factories:
            return self._factories[kind, name]
        point = next((point for point in _points(kind) if point.name == name), None)
        if point is None and not ("." in name or ":" in name):
            raise unknown(kind.replace("_", " "), name, self.names(kind))
        loaded = _load_point(kind, point) if point else _load_path(kind, name)
        self._factories[kind, name] = loaded
        return loaded

    def make(self, kind: str, spec: StrategySpec | str, **context: object) -> Any:
        """Make a strategy. `context` is what core hands to factories that ask for it by name (`path`, `embedder`, …).

        Raises as `factory` for the name, and `SettingsError` for a setting, quoting it and listing the ones there are,
        and for what comes out and is not what the kind asks for.
        """
        spec = StrategySpec(name=spec) if isinstance(spec, str) else spec
        factory = self.factory(kind, spec.name)
        parameters = _parameters(factory)
        given = {name: value for name, value in context.items() if name in parameters and name not in spec.settings}
        made = factory(**given, **self._settings(kind, spec, factory, parameters, given, context))
        return keeping(kind, spec.name, made)

    def _settings(
        self,
        kind: str,
        spec: StrategySpec,
        factory: Factory,
        parameters: Mapping[str, inspect.Parameter],
        given: Mapping[str, object],
        context: Mapping[str, object],
    ) -> dict[str, Any]:
        hints = _hints(factory)
        known = ", ".join(sorted(set(parameters) - set(given))) or "none"
        settings: dict[str, Any] = {}
        for name, value in spec.settings.items():
            if name not in parameters:
                raise SettingsError(f"{kind} {spec.name!r} has no setting {name!r}. Its settings: {known}.")
            settings[name] = self._value(kind, spec.name, name, value, hints.get(name, Any), context)
        asked = {name for name, each in parameters.items() if each.default is each.empty}
        if missing := sorted(asked - {*settings, *given}):
            raise SettingsError(f"{kind} {spec.name!r} needs {', '.join(missing)}. Its settings: {known}.")
        return settings

    def _value(self, kind: str, owner: str, name: str, value: Any, hint: Any, context: Mapping[str, object]) -> Any:
        if name in KINDS:
            return self.make(name, _as_spec(name, value), **context)
        if name.removesuffix("s") in KINDS and isinstance(value, list | tuple):
            kind = name.removesuffix("s")
            return [self.make(kind, _as_spec(kind, each), **context) for each in value]
        try:
            return TypeAdapter(hint).validate_python(value)
        except ValidationError as error:
            what = "; ".join(problem["msg"] for problem in error.errors())
            raise SettingsError(f"{kind} {owner!r}: setting {name} = {value!r} cannot be used: {what}.") from error

    def load_all(self, kinds: Iterable[str] = KINDS) -> None:
        """Load every entry point, keeping what fails in `failures`."""
        for kind in kinds:
            for point in _points(kind):
                try:
                    self.factory(kind, point.name)
                except Exception as error:  # noqa: BLE001 - one broken distribution must not take the others along
                    cause = error.__cause__ or error
                    failure = f"{type(cause).__name__}: {cause}"
                    self.failures.append(LoadFailure(group=point.group, name=point.name, failure=failure))


def _as_spec(kind: str, value: Any) -> StrategySpec:
    try:
        return value if isinstance(value, StrategySpec) else StrategySpec.model_validate(value)
    except ValidationError as error:
        raise SettingsError(f"{kind} {value!r} must be a name, or a table with a name in it.") from error


def _points(kind: str) -> list[EntryPoint]:
    return sorted(entry_points(group=f"earwitness.{kind}"), key=lambda point: point.name)


def _load_point(kind: str, point: EntryPoint) -> Factory:
    try:
        loaded: Factory = point.load()
    except Exception as error:
        failure = named(error)
        raise StrategyError(f"{kind} {point.name!r} ({point.value}) cannot be loaded: {failure}.") from error
    return loaded


def _load_path(kind: str, path: str) -> Factory:
    module, _, name = path.rpartition(":" if ":" in path else ".")
    try:
        factory: Factory = getattr(import_module(module), name)
    except Exception as error:
        raise SettingsError(
            f"{kind} {path!r} cannot be imported: {error}. Write module.Class, importable here."
        ) from error
    return factory


def _parameters(factory: Factory) -> Mapping[str, inspect.Parameter]:
    named = (inspect.Parameter.KEYWORD_ONLY, inspect.Parameter.POSITIONAL_OR_KEYWORD)
    return {name: p for name, p in inspect.signature(factory).parameters.items() if p.kind in named}


def _hints(factory: Factory) -> dict[str, Any]:
    target = factory.__init__ if inspect.isclass(factory) else factory
    try:
        return get_type_hints(target)
    except (NameError, TypeError):
        return {}
