"""The primary store: within its time limits, left alone for a while when it keeps failing, opened when it answers."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Mapping, Sequence
from typing import TypeVar

from earwitness.extras import NewMemoryStore, ProfileStore, ReembeddingStore
from earwitness.filters import EVERYTHING, Filter
from earwitness.protocols import Store
from earwitness.records.backends import Health, ServiceProfile
from earwitness.records.memory import Hit, Memory
from earwitness_plugins.services.breaker import CircuitBreaker

T = TypeVar("T")


class PrimaryStore:
    """A store that may be away. Every call raises `StorageError` then, and `InputError` as the store does.

    Args:
        store: the store.
        timeout: seconds that it has for an answer.
        write_timeout: seconds that it has for a batch, for opening, and for its health.
        breaker: when it is left alone.
    """

    def __init__(self, store: Store, *, timeout: float, write_timeout: float, breaker: CircuitBreaker) -> None:
        self.store = store
        """The store itself."""
        self._breaker = breaker
        self._timeout, self._write_timeout = timeout, write_timeout
        self._is_open = False
        """Whether the store was opened; it may have been away by then."""
        self._opening = asyncio.Lock()

    @property
    def failure(self) -> str | None:
        """Why it did not answer its last call; `None` if it did."""
        return self._breaker.failure

    async def open(self) -> None:
        """Open it. One that is away is opened by a later call."""
        self._opening = asyncio.Lock()
        await self._asked(_nothing, self._write_timeout)

    async def close(self) -> None:
        """Release everything, if it was opened."""
        if self._is_open:
            self._is_open = False
            await self.store.close()

    async def put(self, memories: Sequence[Memory]) -> None:
        """Write to it."""
        await self._asked(lambda store: store.put(memories), self._write_timeout)

    async def put_new(self, memories: Sequence[Memory]) -> None:
        """Write to it what nobody has tried to write; see `NewMemoryStore`."""
        put = self.store.put_new if isinstance(self.store, NewMemoryStore) else self.store.put
        await self._asked(lambda _: put(memories), self._write_timeout)

    async def remove(self, ids: Mapping[str, Sequence[str]]) -> None:
        """Remove from it."""
        await self._asked(lambda store: store.remove(ids), self._write_timeout)

    async def drop(self, container: str) -> None:
        """Remove a container from it."""
        await self._asked(lambda store: store.drop(container), self._write_timeout)

    async def get(self, container: str, ids: Sequence[str]) -> Sequence[Memory]:
        """Its memories with these ids."""
        return await self._asked(lambda store: store.get(container, ids), self._timeout)

    async def list(
        self, container: str, *, filter: Filter = EVERYTHING, limit: int | None = None, offset: int = 0
    ) -> Sequence[Memory]:
        """The memories in the order they were first written."""
        return await self._asked(
            lambda store: store.list(container, filter=filter, limit=limit, offset=offset), self._timeout
        )

    async def search(
        self, container: str, query: str, *, filter: Filter = EVERYTHING, limit: int = 10
    ) -> Sequence[Hit]:
        """Its best hits."""
        return await self._asked(
            lambda store: store.search(container, query, filter=filter, limit=limit), self._timeout
        )

    async def count(self, container: str) -> int:
        """How many memories the container holds there."""
        return await self._asked(lambda store: store.count(container), self._timeout)

    async def profile(self, container: str) -> ServiceProfile:
        """Its profile of the subject of a container; empty if it makes none."""
        if not isinstance(self.store, ProfileStore):
            return ServiceProfile()
        store = self.store
        return await self._asked(lambda _: store.profile(container), self._timeout)

    async def health(self) -> Health:
        """Its health."""
        return await self._asked(lambda store: store.health(), self._write_timeout)

    async def reembed(self) -> int | None:
        """Make its vectors again, while it is not open; `None` if it keeps none."""
        return await self.store.reembed() if isinstance(self.store, ReembeddingStore) else None

    async def _asked(self, ask: Callable[[Store], Awaitable[T]], limit: float) -> T:
        async def work() -> T:
            async with self._opening:
                if not self._is_open:
                    await self.store.open()
                    self._is_open = True
            return await ask(self.store)

        return await self._breaker.call(work, limit)


async def _nothing(store: Store) -> None:
    """Asks nothing."""
