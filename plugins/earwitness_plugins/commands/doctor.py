"""`earwitness doctor`: versions, what is in use, plugins and what is wrong with them, and how the files are."""

from __future__ import annotations

import platform
from collections.abc import Iterator
from importlib.metadata import version
from typing import TYPE_CHECKING, Any

from earwitness import errors
from earwitness_plugins.terminal import CliContext, story_command

if TYPE_CHECKING:
    from earwitness.loading.settings import Settings
    from earwitness.loading.strategies import LoadFailure, Strategies
    from earwitness.loading.strategy_spec import StrategySpec

PACKAGES = ("anyio", "apsw", "click", "numpy", "pluggy", "pydantic", "rich")


@story_command("doctor")
async def command(cli: CliContext) -> None:
    """Look at versions, the strategies in use, plugins and their failures, the store's health, and the embedder.

    Exits with 1 when something is broken. A store that does not exist yet is not broken. Nothing is written.
    """
    from earwitness_plugins.terminal.checkup import checkup

    settings = cli.settings()
    report = {**_versions(), **_extensions(settings)}
    report["store"] = await _store(settings, broken=bool(report["failures"]))
    report["ok"] = not report["failures"] and report["store"]["ok"]
    cli.answer(report, checkup(report))
    cli.finish(ok=report["ok"])


def _versions() -> dict[str, Any]:
    packages = {name: version(name) for name in PACKAGES}
    return {"earwitness": version("earwitness"), "python": platform.python_version(), "packages": packages}


def _extensions(settings: Settings) -> dict[str, Any]:
    """What is installed, by kind, what of it is in use, and whatever could not be loaded or made."""
    from earwitness.dispatch import Plugins
    from earwitness.loading import plugins as installed
    from earwitness.loading.strategies import Strategies

    plugins, strategies = Plugins(), Strategies()
    failures = installed.load(plugins, settings)
    strategies.load_all()
    embedder, broken = _made(settings, strategies)
    return {
        "plugins": {name: list(plugins.hooks_of(name)) for name in plugins.names},
        "blocked": list(settings.block),
        "strategies": {kind: list(names) for kind in strategies.kinds if (names := strategies.names(kind))},
        "in_use": _in_use(settings, strategies),
        "embedder": embedder,
        "failures": [failure.model_dump() for failure in (*failures, *strategies.failures, *broken)],
    }


def _chosen(settings: Settings) -> Iterator[tuple[str, StrategySpec]]:
    """Every strategy that the settings choose, with its kind."""
    from earwitness.loading.kinds import CHOSEN

    return ((kind.name, spec) for kind in CHOSEN for spec in settings.chosen(kind))


def _in_use(settings: Settings, strategies: Strategies) -> dict[str, list[dict[str, Any]]]:
    from earwitness.loading.kinds import CHOSEN

    used: dict[str, list[dict[str, Any]]] = {kind.name: [] for kind in CHOSEN}
    for kind, spec in _chosen(settings):
        used[kind].append(_shown(kind, spec, strategies).model_dump(mode="json"))
    return used


def _shown(kind: str, spec: StrategySpec, strategies: Strategies) -> StrategySpec:
    """The spec without secrets; where nobody can say which settings are secret, all of them are."""
    try:
        return strategies.masked(kind, spec)
    except errors.EarwitnessError:  # it is among the failures
        return spec.masking((name,) for name in spec.revealed)


def _made(settings: Settings, strategies: Strategies) -> tuple[dict[str, Any] | None, list[LoadFailure]]:
    """Make everything that the settings name: which vectors are in use, and what cannot be made."""
    from earwitness.loading.resources import Resources
    from earwitness.loading.strategies import LoadFailure
    from earwitness.redaction import without

    context: dict[str, Any] = {"path": settings.path, "end": settings.end, "settings": settings}
    context |= {"resources": Resources(), "embedder": None}
    identity, broken = None, []
    for kind, spec in _chosen(settings):
        try:
            made = strategies.make(kind, spec, **context)
            if kind == "embedder":
                context["embedder"], identity = made, made.identity.model_dump()
        except Exception as error:  # noqa: BLE001 - a doctor names what is broken
            failure = without(errors.named(error), _shown(kind, spec, strategies).secrets())
            broken.append(LoadFailure(group=f"earwitness.{kind}", name=spec.name, failure=failure))
    return identity, broken


async def _store(settings: Settings, *, broken: bool) -> dict[str, Any]:
    """How the ledger and the store are. A file that does not exist yet is no fault: the first story makes it."""
    from earwitness.app import Earwitness
    from earwitness_plugins.terminal.context import store_exists

    if not store_exists(settings):
        return {"path": settings.path, "exists": False, "ok": True}
    try:
        async with Earwitness.open(settings=settings) as ew:
            health = await ew.health()
    except Exception as error:  # noqa: BLE001 - a doctor names what is broken
        note = "not looked at: what is broken comes first" if broken else errors.named(error)
        return {"path": settings.path, "exists": True, "ok": False, "note": note}
    details = {part: found.details for part, found in health.items()}
    return {"path": settings.path, "exists": True, "ok": all(found.ok for found in health.values()), **details}
