"""A scripted model, and stories in memory that close with the test."""

from collections.abc import AsyncIterator, Awaitable, Callable, Iterator
from contextlib import AsyncExitStack, ExitStack
from typing import Any

import pytest

from earwitness import Earwitness, Settings
from earwitness.testing.reference import MemoryLedger, MemoryStore
from earwitness_plugins.testing.model import ScriptedModel


@pytest.fixture
def serve() -> Iterator[Callable[..., ScriptedModel]]:
    """Start a scripted model, which stops with the test."""
    with ExitStack() as running:
        yield lambda script, **more: running.enter_context(ScriptedModel(script, **more))


@pytest.fixture
def no_pauses(monkeypatch: pytest.MonkeyPatch) -> None:
    """A model that has failed is asked again at once."""
    monkeypatch.setattr("earwitness_relationships.graph.away.FIRST_PAUSE", 0.0)


@pytest.fixture
async def open_app() -> AsyncIterator[Callable[..., Awaitable[Earwitness]]]:
    """Opens an instance in memory with these settings."""
    async with AsyncExitStack() as running:

        async def opened(**settings: Any) -> Earwitness:
            parts: Any = {"store": MemoryStore(), "ledger": MemoryLedger()}
            return await running.enter_async_context(Earwitness.open(settings=Settings.of(**settings), **parts))

        yield opened
