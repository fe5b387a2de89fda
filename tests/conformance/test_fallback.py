"""The store `fallback` keeps the contract of stores, also while its primary is away."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from typing import Any

import pytest
from pydantic import SecretStr

from earwitness.errors import StorageError
from earwitness.loading.resources import Resources
from earwitness.protocols import Store
from earwitness.records.memory import Memory
from earwitness.testing.cases.promises_lost import NothingLost
from earwitness.testing.cases.promises_twice import NothingTwice
from earwitness.testing.cases.promises_walls import PromisedWalls
from earwitness.testing.reference import MemoryStore
from earwitness.testing.store import StoreSuite
from earwitness_plugins.embedders.static import StaticEmbedder
from earwitness_plugins.ledgers.sqlite import SqliteLedger
from earwitness_plugins.stores.fallback import FallbackStore
from earwitness_plugins.stores.sqlite import SqliteStore
from earwitness_plugins.stores.supermemory import supermemory
from earwitness_plugins.testing.supermemory import Emulator

EMBEDDER = StaticEmbedder()


class TestFallbackStore(StoreSuite):
    persistent = shared = "the service of this test is in memory"
    atomic = "the fallback may have what the service refused"
    names_what_was_written = "the fallback may have what the service refused"
    ranks_by_meaning = "ranks by words only"

    def make_store(self) -> FallbackStore:
        return FallbackStore(primary=MemoryStore(), fallback=MemoryStore(), timeout=60, write_timeout=60)


class TestFallbackWhileTheServiceIsAway(TestFallbackStore):
    """Reads answer from the fallback alone."""

    def make_store(self) -> FallbackStore:
        return WritesHere(primary=Away(), fallback=MemoryStore())


class Away(MemoryStore):
    async def open(self) -> None:
        raise ConnectionError("no route to the service")


class WritesHere(FallbackStore):
    """What was not delivered is not raised, so that the suite can go on."""

    async def put(self, memories: Sequence[Memory]) -> None:
        with suppress(StorageError):
            await super().put(memories)

    async def remove(self, ids: Mapping[str, Sequence[str]]) -> None:
        with suppress(StorageError):
            await super().remove(ids)

    async def drop(self, container: str) -> None:
        with suppress(StorageError):
            await super().drop(container)

    async def health(self) -> Any:
        return await self.local.health()


@pytest.fixture(scope="module")
def late() -> Iterator[Emulator]:
    with Emulator(lag=0.2) as running:
        yield running


class TestPromisesOnSupermemoryAndSqlite(PromisedWalls, NothingLost, NothingTwice):
    """The service lags. Each test has an account of its own: its key is the name of its folder."""

    examples = 1

    @pytest.fixture(autouse=True)
    def running(self, late: Emulator) -> None:
        self.service = late

    def make_store_and_ledger(self) -> tuple[Store, SqliteLedger]:
        resources, path = Resources(), f"{self.folder}/story.db"
        there = supermemory(
            path=f"{self.folder}/there.db",
            embedder=EMBEDDER,
            resources=resources,
            api_key=SecretStr(str(self.folder)),
            base_url=self.service.url,
        )
        here = SqliteStore(path=path, embedder=EMBEDDER, resources=resources)
        return FallbackStore(primary=there, fallback=here, timeout=10), SqliteLedger(path=path, resources=resources)
