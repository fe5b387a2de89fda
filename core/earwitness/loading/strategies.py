"""Strategies by name: found in entry points or registered in code, and made by factories from typed settings."""

from __future__ import annotations

import sys
from collections.abc import Iterable, Iterator, Mapping
from functools import cached_property
from importlib import import_module
from importlib.metadata import EntryPoint
from importlib.util import find_spec
from pathlib import Path
from types import ModuleType
from typing import Any

from pydantic import ValidationError

from ..backend_failures import BACKENDS, naming_failures
from ..errors import EarwitnessError, SettingsError, StrategyError, did_you_mean, unknown
from ..records.base import Record
from ..redaction import Keys, cause_of, scrub, without
from ..strategy import Strategy
from ..time_limit import contained, reason
from .factories import NOT_A_PART, Factory, Recipe
from .installed_packages import entry_points
from .kinds import CORE_BY_NAME, NONE_BY_NAME, StrategyKind, check_protocol
from .settings import Settings
from .strategy_spec import StrategySpec


class LoadFailure(Record):
    """An entry point that could not be loaded, kept for `doctor`."""

    group: str
    """Entry point group."""
    name: str
    """Entry point name."""
    failure: str
    """Description of the failure."""


class Strategies:
    """The strategies that one Earwitness instance can make, by kind and name."""

    def __init__(self) -> None:
        self._factories: dict[tuple[str, str], Factory] = {}
        self._installed: dict[str, list[EntryPoint]] = {}
        self.failures: list[LoadFailure] = []
        self.inner: list[Strategy[Any]] = []
        """What was made as a setting of another strategy, such as the detectors of `vote`."""

    @cached_property
    def kinds(self) -> Mapping[str, StrategyKind]:
        """All kinds by name: those of core, then those that installed packages declare."""
        found = dict(CORE_BY_NAME)
        for point in self._points("kind"):
            if (protocol := self._loaded("kind", point)) is not None:
                found.setdefault(point.name, StrategyKind(point.name, protocol))
        return found

    def register(self, kind: str, name: str, factory: Factory) -> None:
        """Register a factory, which overrides an entry point of the same name. Raises `UnknownName` for the kind."""
        self._factories[self._kind(kind).name, name] = factory

    def names(self, kind: str) -> tuple[str, ...]:
        """The names of all strategies of this kind, sorted."""
        found = {point.name for point in self._points(kind)}
        return tuple(sorted(found | {name for known, name in self._factories if known == kind}))

    def factory(self, kind: str, name: str) -> Factory:
        """The factory with a name or import path (`mine.LastTwo`, `mine:LastTwo`).

        Raises `UnknownName`, `StrategyError` for an entry point that fails, `SettingsError` for a path that fails.
        """
        if (kind, name) in self._factories:
            return self._factories[kind, name]
        point = next((point for point in self._points(kind) if point.name == name), None)
        if point is None and not ("." in name or ":" in name):
            self._kind(kind)
            known = {*self.names(kind), *(["none"] if kind in NONE_BY_NAME and name != "none" else [])}
            raise unknown(kind.replace("_", " "), name, known)
        loaded: Factory = _load_point(kind, point) if point else _load_path(kind, name)
        self._factories[kind, name] = loaded
        return loaded

    def make(self, kind: str, spec: StrategySpec | str, **context: object) -> Any:
        """Make a strategy. `context` has the values for factory parameters of these names (`path`, `embedder`, …).

        Raises as `factory` for the name. Raises `SettingsError` for an invalid setting, quoting it and listing the
        valid ones, and for a result that lacks what the kind requires. Raises `StrategyError` for whatever else the
        factory raises.
        """
        spec = StrategySpec(name=spec) if isinstance(spec, str) else spec
        recipe = self._recipe(kind, spec.name)

        def part(name: str, value: Any) -> Any:
            inner, specs = self._specs(recipe, name, value)
            if inner is None:
                return NOT_A_PART
            try:
                made = [self._inner(inner, each, context) for each in specs]
            except SettingsError as error:  # both may be of the same name
                raise SettingsError(f"{name} of {recipe.what}: {error}") from error.__cause__
            return made if isinstance(value, list | tuple) else made[0]

        try:
            made = recipe.make(spec.revealed, context, part)
        except EarwitnessError as error:
            scrub(error, self._quotable(kind, spec, context))
            raise
        except BaseException as error:  # noqa: BLE001 - whatever a stranger's code raises
            secrets = self._quotable(kind, spec, context)
            why = without(reason(contained(error)), secrets)
            raise StrategyError(f"{recipe.what} could not be made: {why}.") from cause_of(error, secrets)
        return check_protocol(self._kind(kind), spec.name, made)

    def _inner(self, kind: str, spec: StrategySpec, context: Mapping[str, object]) -> Any:
        """A strategy that is a setting of another one. A store within a store is opened and closed by that."""
        shown = self.masked(kind, spec)
        made = Strategy(kind, spec.name, self.make(kind, spec, **context), shown.settings, shown.secrets())
        if kind in BACKENDS:
            return naming_failures(made, within=True)
        self.inner.append(made)
        return made.made

    def _quotable(self, kind: str, spec: StrategySpec, context: Mapping[str, object]) -> tuple[str, ...]:
        """The secrets that a factory was given, in its own settings or in the tables of packages."""
        given = context.get("settings")
        return (*self.masked(kind, spec).secrets(), *(given.table_secrets if isinstance(given, Settings) else ()))

    def masked(self, kind: str, spec: StrategySpec) -> StrategySpec:
        """The spec with all settings masked that its factory annotates as `SecretStr`, or that misspell one. Raises as
        `factory`."""
        return spec.masking(self.secrets(kind, spec))

    def secrets(self, kind: str, spec: StrategySpec) -> Iterator[Keys]:
        """The paths of settings that factories annotate as `SecretStr`. Raises as `factory`."""
        recipe = self._recipe(kind, spec.name)
        yield from recipe.secrets(spec.revealed)
        for name, value in spec.revealed.items():
            inner, specs = self._specs(recipe, name, value)
            for each in specs:
                yield from ((name, *keys) for keys in self.secrets(inner or kind, each))

    def load_all(self, kinds: Iterable[str] | None = None) -> None:
        """Load all entry points of these kinds, or of all kinds. Failures are kept in `failures`."""
        for kind in self.kinds if kinds is None else kinds:
            for point in self._points(kind):
                if (loaded := self._loaded(kind, point)) is not None:
                    self._factories.setdefault((kind, point.name), loaded)

    def _points(self, kind: str) -> list[EntryPoint]:
        """The entry points of this kind. What is installed is searched for them once, as that takes milliseconds."""
        if kind not in self._installed:
            self._installed[kind] = _points(kind)
        return self._installed[kind]

    def _specs(self, recipe: Recipe, name: str, value: Any) -> tuple[str | None, list[StrategySpec]]:
        """The strategies that a setting such as `detector` or `detectors` denotes, and their kind: by its name, or by
        the protocol that its factory annotates it with."""
        if recipe.is_text(name):
            return None, []
        if name in self.kinds:
            return name, [_as_spec(name, value)]
        if (protocol := recipe.hint(name)) is not None:
            for declared in self.kinds.values():
                if declared.protocol is protocol:
                    return declared.name, [_as_spec(declared.name, value)]
        if (kind := name.removesuffix("s")) in self.kinds and isinstance(value, list | tuple):
            return kind, [_as_spec(kind, each) for each in value]
        return None, []

    def _recipe(self, kind: str, name: str) -> Recipe:
        return Recipe(f"{kind} {name!r}", self.factory(kind, name))

    def _kind(self, name: str) -> StrategyKind:
        found = CORE_BY_NAME.get(name) or self.kinds.get(name)  # core's need no search of what is installed
        if found is None:
            raise unknown("kind of strategy", name, self.kinds)
        return found

    def _loaded(self, group: str, point: EntryPoint) -> Any:
        """The object of an entry point; `None` if it fails, because one broken distribution must not affect others."""
        try:
            return point.load()
        except BaseException as error:  # noqa: BLE001 - whatever a stranger's module raises
            why = reason(contained(error))
            self.failures.append(LoadFailure(group=point.group, name=point.name, failure=why))
            return None


def _as_spec(kind: str, value: Any) -> StrategySpec:
    try:
        return value if isinstance(value, StrategySpec) else StrategySpec.model_validate(value)
    except ValidationError as error:
        given = f"a table of {', '.join(value)}" if isinstance(value, Mapping) else repr(value)  # it may hold secrets
        raise SettingsError(f"{kind}: {given} is neither a name nor a table with a name in it.") from error


def _points(kind: str) -> list[EntryPoint]:
    return sorted(entry_points(group=f"earwitness.{kind}"), key=lambda point: point.name)


def _load_point(kind: str, point: EntryPoint) -> Factory:
    try:
        loaded: Factory = point.load()
    except BaseException as error:
        failure = reason(contained(error))
        raise StrategyError(f"{kind} {point.name!r} ({point.value}) cannot be loaded: {failure}.") from error
    return loaded


def _load_path(kind: str, path: str) -> Factory:
    module, _, name = path.rpartition(":" if ":" in path else ".")
    try:
        factory: Factory = getattr(_module(module), name)
    except BaseException as error:
        why = f"{kind} {path!r} cannot be imported: {contained(error)}."
        if _is_inside(error, module, name):
            raise SettingsError(f"{why} That failed in the module {module!r}: mend it there.") from error
        meant = did_you_mean(name, vars(sys.modules.get(module, error)))
        raise SettingsError(f"{why} Write module.Class, importable here.{meant}") from error
    return factory


def _is_inside(error: BaseException, module: str, name: str) -> bool:
    """Whether the module is there, and running it failed."""
    if isinstance(error, AttributeError) and error.name == name and isinstance(error.obj, ModuleType):
        return False
    if isinstance(error, ModuleNotFoundError) and error.name and f"{module}.".startswith(f"{error.name}."):
        return False
    return bool(module) and isinstance(error, Exception)


def _module(name: str) -> ModuleType:
    """The module with this name; the running script itself if that is its file, so that it does not run twice."""
    main = sys.modules["__main__"]
    script = getattr(main, "__file__", None)
    if script is not None and name not in sys.modules:
        spec = find_spec(name)
        if spec is not None and spec.origin is not None and Path(spec.origin).resolve() == Path(script).resolve():
            return main
    return import_module(name)
