"""A service that can be away or hang, and a store here beside it."""

from __future__ import annotations

from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

from earwitness import Earwitness, Session
from earwitness.loading.resources import Resources
from earwitness.records.memory import Memory
from earwitness.testing.reference import MemoryLedger, MemoryStore
from earwitness_plugins.ledgers.sqlite import SqliteLedger
from earwitness_plugins.stores.fallback import FallbackStore
from earwitness_plugins.stores.sqlite import SqliteStore

from ...unsteady_store import UnsteadyStore

CAST = ["alice", "bob", "charlie"]


class Service(UnsteadyStore):
    """A store that can be away or hang, and says what was written to it."""

    def __init__(self) -> None:
        super().__init__()
        self.opened = 0
        self.written: list[tuple[str, str]] = []

    async def open(self) -> None:
        await self.answer()
        self.opened += 1

    async def put(self, memories: Sequence[Memory]) -> None:
        await super().put(memories)
        self.written += [(each.container, each.id) for each in memories]


class Shared:
    """Where the ledger and the store here have one database, or none."""

    def __init__(self, folder: Path, *, one_file: bool) -> None:
        self.path, self.one_file = str(folder / "story.db"), one_file
        self.ledger, self.local = MemoryLedger(), MemoryStore()

    @asynccontextmanager
    async def opened(self, service: Service, *, patience: float = 0.2, **settings: Any) -> AsyncIterator[Earwitness]:
        resources = Resources()
        ledger, local = self.ledger, self.local
        if self.one_file:
            ledger = SqliteLedger(path=self.path, resources=resources)  # type: ignore[assignment]
            local = SqliteStore(path=self.path, embedder=None, resources=resources)  # type: ignore[assignment]
        store = FallbackStore(primary=service, fallback=local, timeout=0.2, write_timeout=patience, pause=0.01)
        end = {"store_timeout": patience + 1.8}
        async with Earwitness.open(store=store, ledger=ledger, detector="everyone", end=end, **settings) as ew:
            yield ew


async def held(store: Any, container: str) -> list[str]:
    return [each.message_keys[0] for each in await store.list(container)]


def local(ew: Earwitness) -> Any:
    return ew.engine.store.local  # type: ignore[attr-defined]


async def said(story: Session, *keys: str) -> None:
    for key in keys:
        await (await story.say("alice", f"The sword of {key} is in the cave.", key=key)).decided()
