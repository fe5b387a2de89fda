"""Loads plugins from entry points: all installed ones or the allowed ones, without the blocked ones."""

from __future__ import annotations

from ..dispatch import Plugins
from ..errors import unknown
from ..redaction import without
from ..time_limit import contained, reason
from ..unmatched import differ_little
from .factories import NOT_A_PART, Recipe
from .installed_packages import entry_points
from .resources import Resources
from .settings import Settings
from .strategies import LoadFailure
from .strategy_spec import StrategySpec

GROUP = "earwitness.plugins"


def load(plugins: Plugins, settings: Settings, resources: Resources | None = None) -> list[LoadFailure]:
    """Register installed plugins by name. A plugin that fails is returned as a failure; the others are still loaded.

    A plugin's factory receives the settings in `[plugin_settings.NAME]`, and the instance's `settings` and `resources`
    if it has such parameters. One with an attribute `table` is loaded only if the settings contain that table. Raises
    `UnknownName` for an allowed name that is not installed, and `SettingsError` for settings of one. A blocked
    name may be missing, but not be an installed one with a letter off.
    """
    points = sorted(entry_points(group=GROUP), key=lambda point: point.name)
    _check_names(settings, tuple(point.name for point in points))
    failures = []
    context = {"settings": settings, "resources": resources or Resources()}
    for point in points:
        if point.name in settings.block or (settings.plugins is not None and point.name not in settings.plugins):
            continue
        own = settings.plugin_settings.get(point.name) or StrategySpec(name=point.name)
        try:
            factory = point.load()
            if isinstance(table := getattr(factory, "table", None), str) and getattr(settings, table, None) is None:
                continue
            recipe = Recipe(f"plugin {point.name!r}", factory)
            own = own.masking(recipe.secrets(own.revealed))
            made = recipe.make(own.revealed, context, lambda name, value: NOT_A_PART)
            plugins.register(made, point.name, own, settings.table_secrets)
        except BaseException as error:  # noqa: BLE001 - one broken distribution must not take the others along
            failure = without(reason(contained(error)), (*own.secrets(), *settings.table_secrets))
            failures.append(LoadFailure(group=GROUP, name=point.name, failure=failure))
    return failures


def _check_names(settings: Settings, found: tuple[str, ...]) -> None:
    for number, name in enumerate(settings.plugins or ()):
        if name not in found:
            with settings.at("plugins", number):
                raise unknown("plugin", name, found)
    for number, name in enumerate(settings.block):
        if name not in found and any(differ_little(name.casefold(), each.casefold()) for each in found):
            with settings.at("block", number):
                raise unknown("plugin", name, found)
    for name in sorted(settings.plugin_settings.keys() - {*found, *settings.block}):
        raise settings.error(("plugin_settings", name), str(unknown("plugin", name, found)))
