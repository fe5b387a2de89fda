"""Ledger and store alone, as settings name them: nobody decides anything, and no plugin is loaded."""

from __future__ import annotations

import inspect
from collections.abc import AsyncIterator, Callable
from contextlib import AsyncExitStack, asynccontextmanager
from pathlib import Path
from typing import Any

from earwitness.loading.resources import Resources
from earwitness.loading.settings import Settings
from earwitness.loading.strategies import Strategies
from earwitness_plugins.applications.migration import Backends

from .context import DEFAULT_STORE


def settings_of(named: str) -> Settings:
    """The settings that a text names: a settings file (`….toml`), or the file of an embedded store.

    Raises `SettingsError`.
    """
    if Path(named).suffix.casefold() != ".toml":
        return Settings(path=named)
    settings = Settings.load(named)
    return settings if settings.path else settings.model_copy(update={"path": DEFAULT_STORE})


@asynccontextmanager
async def opened_backends(settings: Settings) -> AsyncIterator[Backends]:
    """Ledger and store, open. Raises `SettingsError`, `StorageError`."""
    makers = Strategies()
    context: dict[str, Any] = {
        "path": settings.path,
        "resources": Resources(),
        "strategies": makers,
        "settings": settings,
        "end": settings.end,
        "embedder": None,
    }
    if settings.embedder is not None:
        context["embedder"] = makers.make("embedder", settings.embedder, **context)
    ledger = makers.make("ledger", settings.ledger, **context)
    store = makers.make("store", settings.store, **context)
    async with AsyncExitStack() as opened:
        for each in (context["embedder"], ledger, store, *(inner.made for inner in makers.inner)):
            await _open(each, opened)
        yield Backends(ledger, store)


async def _open(made: object, opened: AsyncExitStack) -> None:
    """Open what can be opened, and close it at the end."""
    if hasattr(made, "open"):
        await _called(made.open)
    if hasattr(made, "close"):
        opened.push_async_callback(_called, made.close)


async def _called(method: Callable[[], object]) -> None:
    answer = method()
    if inspect.isawaitable(answer):
        await answer
