"""`earwitness doctor`: versions, plugins and what is wrong with them, and how the files are."""

from __future__ import annotations

import platform
from importlib.metadata import version
from pathlib import Path
from typing import TYPE_CHECKING, Any

from earwitness.cli import Desk, story_command

if TYPE_CHECKING:
    from earwitness.loading.settings import Settings
    from earwitness.loading.strategies import LoadFailure, Strategies

PACKAGES = ("anyio", "apsw", "click", "numpy", "pluggy", "pydantic", "rich")


@story_command("doctor")
async def command(desk: Desk) -> None:
    """Look at versions, plugins and their failures, the store's health, and the embedder.

    Exits with 1 when something is broken. Nothing is written.
    """
    from .terminal.checkup import checkup

    settings = desk.settings()
    report = {**_versions(), **_extensions(settings), "store": await _store(settings)}
    report["ok"] = not report["failures"] and report["store"]["ok"]
    desk.answer(report, checkup(report))
    desk.finish(ok=report["ok"])


def _versions() -> dict[str, Any]:
    packages = {name: version(name) for name in PACKAGES}
    return {"earwitness": version("earwitness"), "python": platform.python_version(), "packages": packages}


def _extensions(settings: Settings) -> dict[str, Any]:
    """What is installed, by kind, whatever of it could not be loaded, and the embedder in use."""
    from earwitness.dispatch import Plugins
    from earwitness.loading import plugins as installed
    from earwitness.loading.strategies import Strategies
    from earwitness.protocols import KINDS

    plugins, strategies = Plugins(), Strategies()
    failures = installed.load(plugins, allow=settings.plugins, block=settings.block, settings=settings.plugin_settings)
    strategies.load_all()
    embedder, broken = _embedder(settings, strategies)
    return {
        "plugins": {name: list(plugins.hooks_of(name)) for name in plugins.names},
        "blocked": list(settings.block),
        "strategies": {kind: list(names) for kind in KINDS if (names := strategies.names(kind))},
        "embedder": embedder,
        "failures": [failure.model_dump() for failure in (*failures, *strategies.failures, *broken)],
    }


def _embedder(settings: Settings, strategies: Strategies) -> tuple[dict[str, Any] | None, list[LoadFailure]]:
    """Which vectors are in use, or why there are none."""
    from earwitness.loading.strategies import LoadFailure

    if settings.embedder is None:
        return None, []
    try:
        return strategies.make("embedder", settings.embedder).identity.model_dump(), []
    except Exception as error:  # noqa: BLE001 - a doctor names what is broken
        failure = f"{type(error).__name__}: {error}"
        return None, [LoadFailure(group="earwitness.embedder", name=settings.embedder.name, failure=failure)]


async def _store(settings: Settings) -> dict[str, Any]:
    """How the ledger and the store are; a file that is not there yet is no trouble."""
    from earwitness.app import Earwitness

    if not _is_there(settings):
        return {"path": settings.path, "ok": True, "note": "no story has been played into it yet"}
    try:
        async with Earwitness.open(settings=settings) as ew:
            ledger, store = await ew.engine.ledger.health(), await ew.engine.store.health()
    except Exception as error:  # noqa: BLE001 - a doctor names what is broken
        return {"path": settings.path, "ok": False, "note": f"{type(error).__name__}: {error}"}
    return {"path": settings.path, "ok": ledger.ok and store.ok, "ledger": ledger.details, "store": store.details}


def _is_there(settings: Settings) -> bool:
    return settings.path is None or settings.ledger.name != "sqlite" or Path(settings.path).exists()
