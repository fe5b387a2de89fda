"""Settings tables that installed packages declare, such as `[relationships]`. They are checked like those of core.

A package names a pydantic model in the entry point group `earwitness.settings`. The entry point has the table's name.
Code that needs the table asks for it by that model: `settings.table(RelationshipsSettings)`.
"""

from __future__ import annotations

from collections.abc import Mapping
from contextlib import nullcontext
from functools import cache
from importlib.metadata import EntryPoint
from typing import Any, TypeVar

from pydantic import BaseModel, ValidationError, create_model

from ..errors import SettingsError
from ..time_limit import contained, reason
from .factories import resolved
from .installed_packages import entry_points
from .located import Located
from .problems import Problem

GROUP = "earwitness.settings"
HINT = " A plugin's table is known only where its package is installed."

Model = TypeVar("Model", bound=BaseModel)


def extended(settings: type[Model], values: Mapping[str, Any]) -> type[Model]:
    """The settings with a field for each declared table. If `values` has no unknown key, they are returned unchanged.

    Raises `SettingsError` for a table in `values` whose model cannot be loaded.
    """
    if all(name in settings.model_fields for name in values):
        return settings
    points = [point for point in entry_points(group=GROUP) if point.name not in settings.model_fields]
    loaded = {point.name: _loaded(point, needed=point.name in values) for point in sorted(points)}
    return _with_tables(settings, tuple((name, model) for name, model in loaded.items() if model))


def resolved_tables(
    settings: type[BaseModel], core: type[BaseModel], values: Mapping[str, Any], file: Located | None = None
) -> dict[str, Any]:
    """The values, with the secrets in declared tables read from the environment. Raises `SettingsError`, which names
    the place in the `file` that they are from."""
    declared = settings.model_fields.keys() - core.model_fields.keys()
    found = dict(values)
    for name in declared & values.keys():
        if isinstance(value := values[name], Mapping):
            with file.at((name,)) if file else nullcontext():
                found[name] = resolved(value, name)
    return found


def defaults(model: type[Model]) -> Model:
    """A table with its defaults. Raises `SettingsError` if a field has no default."""
    try:
        return model.model_validate({})
    except ValidationError as invalid:
        needed = ", ".join(".".join(map(str, problem["loc"])) for problem in invalid.errors())
        raise SettingsError(f"settings: {model.__name__} must be set, at least {needed}.") from None


def with_hint(problem: Problem, settings: type[BaseModel], values: Mapping[str, Any]) -> Problem:
    """Add a hint to an unknown table: it may belong to a plugin that is not installed."""
    is_unknown_table = len(problem.loc) == 1 and problem.loc[0] not in settings.model_fields
    if is_unknown_table and isinstance(values.get(str(problem.loc[0])), Mapping):
        return problem._replace(message=problem.message + HINT)
    return problem


@cache
def _with_tables(settings: type[Model], tables: tuple[tuple[str, type[BaseModel]], ...]) -> type[Model]:
    fields: dict[str, Any] = {name: (model | None, None) for name, model in tables}
    return create_model(settings.__name__, __base__=settings, __module__=settings.__module__, **fields)


def _loaded(point: EntryPoint, *, needed: bool) -> type[BaseModel] | None:
    """The model; `None` if it is broken and not needed, because it must not affect the other tables."""
    model: Any = None
    try:
        model = point.load()
        failure = "" if isinstance(model, type) and issubclass(model, BaseModel) else "it is not a pydantic model"
    except BaseException as error:  # noqa: BLE001 - whatever a stranger's module raises
        failure = reason(contained(error))
    if not failure:
        found: type[BaseModel] = model
        return found
    if needed:
        raise SettingsError(f"the settings table {point.name!r} ({point.value}) cannot be loaded: {failure}.")
    return None
