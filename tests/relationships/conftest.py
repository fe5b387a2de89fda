"""Stories on the reference ledger and store, with the parts of relationships that a test names."""

from __future__ import annotations

from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import AsyncExitStack
from pathlib import Path
from typing import Any

import pytest

from earwitness import Earwitness
from earwitness.testing.reference import MemoryLedger, MemoryStore
from earwitness.testing.scripted import ByScript

ALONE = {"embedder": "none", "world_agent": "none", "strict": True}


@pytest.fixture
async def open_app(tmp_path: Path) -> AsyncIterator[Callable[..., Awaitable[Earwitness]]]:
    """Opens an instance. Everything given is a setting, or a strategy. No graph is kept where the tests are run."""
    graph = {"name": "networkx", "path": str(tmp_path / "graph.db")}
    async with AsyncExitStack() as opened:

        async def open_app(**given: Any) -> Earwitness:
            if isinstance(given.get("relationships"), dict):
                given["relationships"] = {"graph": graph, **given["relationships"]}
            made = {"store": MemoryStore(), "ledger": MemoryLedger(), "detector": ByScript(), **ALONE, **given}
            return await opened.enter_async_context(Earwitness.open(**made))

        yield open_app
