"""An emulated service, and the real client of it."""

from collections.abc import AsyncIterator, Callable, Iterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import pytest
from pydantic import SecretStr
from supermemory import AsyncSupermemory

from earwitness.loading.resources import Resources
from earwitness.protocols import Store
from earwitness_plugins.ledgers.sqlite import SqliteLedger
from earwitness_plugins.stores.supermemory import supermemory
from earwitness_plugins.testing.supermemory import Emulator

KEY = "key"
Opened = Callable[..., Any]


@pytest.fixture
def service() -> Iterator[Emulator]:
    with Emulator() as running:
        yield running


@pytest.fixture
async def client(service: Emulator) -> AsyncIterator[AsyncSupermemory]:
    async with AsyncSupermemory(base_url=service.url, api_key=KEY, max_retries=0, timeout=20) as client:
        yield client


@pytest.fixture
def opened(service: Emulator, tmp_path: Path) -> Opened:
    @asynccontextmanager
    async def open_store(*, in_ledger_file: bool = False, **settings: Any) -> AsyncIterator[Store]:
        given: dict[str, Any] = {"search_timeout": 20, "timeout": 20, "path": str(tmp_path / "story.db"), **settings}
        given = {"api_key": SecretStr(KEY), "base_url": service.url, "embedder": None, **given}
        resources = Resources()
        store, ledger = supermemory(resources=resources, **given), SqliteLedger(path=given["path"], resources=resources)
        if in_ledger_file:
            await ledger.open()
        await store.open()
        try:
            yield store
        finally:
            await store.close()
            await ledger.close()

    return open_store
