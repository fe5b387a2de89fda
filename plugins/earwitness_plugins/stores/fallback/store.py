"""The store `fallback`: everything is kept here and in a service; the one here answers while the service is away."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Mapping, Sequence
from contextlib import suppress
from typing import Annotated, TypeVar

from pydantic import Field

from earwitness.errors import (
    EarwitnessError,
    EmbedderMismatch,
    SchemaMismatch,
    SettingsError,
    StorageError,
    named,
    quoted,
)
from earwitness.extras import PreparedBackend, ReembeddingStore
from earwitness.filters import EVERYTHING, Filter, matches
from earwitness.loading.quantities import Positive
from earwitness.protocols import Store
from earwitness.records.backends import Health, ServiceProfile
from earwitness.records.memory import Hit, Memory
from earwitness.refusals import put_taken, refusal_of
from earwitness_plugins.services.breaker import CircuitBreaker

from .primary import PrimaryStore

T = TypeVar("T")


class FallbackStore:
    """Two stores that hold the same. The `primary` one answers; while it is away, the `fallback` does.

    What a plan brings is in the `fallback` at once, in one transaction with the plan where it only adds memories and
    ledger and fallback share a database. The applier writes it to the `primary`, in order. What that does not take
    stays a pending delivery in the ledger, until it does. No recall waits for that. What comes back from either is
    checked again: its container, and the filter.

    Args:
        primary: the store that is asked first, such as a service.
        fallback: the store here.
        timeout: seconds that the primary has for an answer in a recall.
        write_timeout: seconds that it has for a batch.
        failures: so many calls that fail one after the other, and the primary is left alone for a while.
        pause: seconds of the first pause; each is twice the one before, up to `longest_pause`.
        longest_pause: seconds of the longest one.

    Raises `SettingsError` if both are one and the same.
    """

    prepares_here = False
    """The primary may be elsewhere."""

    def __init__(
        self,
        *,
        primary: Store,
        fallback: Store,
        timeout: Positive = 0.3,
        write_timeout: Positive = 8.0,
        failures: Annotated[int, Field(ge=1)] = 3,
        pause: Positive = 0.5,
        longest_pause: Positive = 15.0,
    ) -> None:
        _check_two(primary, fallback)
        breaker = CircuitBreaker(failures=failures, pause=pause, longest=longest_pause)
        self._primary = PrimaryStore(primary, timeout=timeout, write_timeout=write_timeout, breaker=breaker)
        self._fallback = fallback
        self._emptied: set[str] = set()
        """Containers of which the primary held nothing, and the fallback something."""

    @property
    def local(self) -> Store:
        """The store here, which has everything first."""
        return self._fallback

    @property
    def elsewhere(self) -> Store:
        """The primary store, within its time limits."""
        return self._primary

    @property
    def database(self) -> object:
        """The database of the store here, if it has one."""
        return getattr(self._fallback, "database", None)

    @property
    def failures(self) -> tuple[str, ...]:
        """Why the primary did not answer its last call, or what it holds nothing of; empty if all is well."""
        if (why := self._primary.failure) is not None:
            return (f"the primary store is away ({why}); the fallback answers",)
        return tuple(
            f"the primary store lacks memories of {quoted(each)} that are here; the fallback answers "
            "(`earwitness doctor` says what to do)"
            for each in sorted(self._emptied)
        )

    async def open(self) -> None:
        """Open both. A primary that is away is opened later. Raises `StorageError` for the fallback, and what no time
        mends."""
        await self._fallback.open()
        try:
            await self._primary.open()
        except (EmbedderMismatch, SchemaMismatch):
            await self._fallback.close()
            raise
        except StorageError:
            return
        except BaseException:
            await self._fallback.close()
            raise

    async def unprepared(self) -> Health | None:
        """What `open` would make or migrate of either; see `earwitness.extras.PreparedBackend`."""
        if isinstance(self._fallback, PreparedBackend) and (found := await self._fallback.unprepared()):
            return found
        if isinstance(self._primary.store, PreparedBackend):
            with suppress(StorageError):  # one that is away is opened later
                return await self._primary.store.unprepared()
        return None

    async def close(self) -> None:
        """Release everything."""
        try:
            await self._primary.close()
        finally:
            await self._fallback.close()

    async def put(self, memories: Sequence[Memory]) -> None:
        """Write to the fallback, then to the primary. Raises `StorageError` while either does not take them, and
        `MemoriesRefused` once both have what they take."""
        refused = await put_taken(self._fallback.put, memories)
        refused |= await put_taken(self._primary.put, memories)
        if refused:
            raise refusal_of(refused, memories)

    async def remove(self, ids: Mapping[str, Sequence[str]]) -> None:
        """Remove from both; as `put`."""
        await self._fallback.remove(ids)
        await self._primary.remove(ids)

    async def drop(self, container: str) -> None:
        """Remove the container from both; as `put`."""
        self._emptied.discard(container)
        await self._fallback.drop(container)
        await self._primary.drop(container)

    async def get(self, container: str, ids: Sequence[str]) -> Sequence[Memory]:
        """The memories with these ids, of the primary if it answers."""
        found = await self._found(container, lambda store: store.get(container, ids))
        return [each for each in found if each.container == container and each.id in ids]

    async def list(
        self, container: str, *, filter: Filter = EVERYTHING, limit: int | None = None, offset: int = 0
    ) -> Sequence[Memory]:
        """The memories in the order they were first written, of the primary if it answers."""
        found = await self._found(
            container, lambda store: store.list(container, filter=filter, limit=limit, offset=offset)
        )
        return [each for each in found if _may_be(each, container, filter)]

    async def search(
        self, container: str, query: str, *, filter: Filter = EVERYTHING, limit: int = 10
    ) -> Sequence[Hit]:
        """The best hits, of the primary if it answers."""
        found = await self._found(container, lambda store: store.search(container, query, filter=filter, limit=limit))
        return [hit for hit in found if _may_be(hit.memory, container, filter)][:limit]

    async def count(self, container: str) -> int:
        """How many memories the container holds, in the primary if it answers."""
        return await self._read(lambda store: store.count(container))

    async def profile(self, container: str) -> ServiceProfile:
        """The profile that the primary makes; empty if it makes none. Raises `StorageError` while it is away."""
        return await self._primary.profile(container)

    async def reembed(self) -> int:
        """Make the vectors of both again, as far as they keep any; see `ReembeddingStore`."""
        here = await self._fallback.reembed() if isinstance(self._fallback, ReembeddingStore) else 0
        return max(here, await self._primary.reembed() or 0)

    async def health(self) -> Health:
        """The health of both; one of them is not enough."""
        here = await self._fallback.health()
        details = {f"fallback_{name}": value for name, value in here.details.items()}
        try:
            there = await self._primary.health()
        except EarwitnessError as error:
            return Health(ok=False, details={"primary": f"away: {named(error)}", **details})
        state = "usable" if there.ok else "not usable"
        found = {f"primary_{name}": value for name, value in there.details.items()}
        return Health(ok=here.ok and there.ok, details={"primary": state, **found, **details})

    async def _found(self, container: str, ask: Callable[[Store], Awaitable[Sequence[T]]]) -> Sequence[T]:
        """What the primary finds, or the fallback if that is away or its container was emptied.

        Whatever is removed leaves the fallback first, so nothing that was taken back returns.
        """
        with suppress(EarwitnessError):
            found = await ask(self._primary)
            if found and container not in self._emptied:
                return found
            here = await ask(self._fallback)
            return here if (here or found) and await self._is_emptied(container) else found
        return await ask(self._fallback)

    async def _is_emptied(self, container: str) -> bool:
        """Whether the primary holds nothing of it; once that was so, whether it still holds less than the fallback."""
        least = await self._fallback.count(container) if container in self._emptied else 1
        is_emptied = await self._primary.count(container) < least
        (self._emptied.add if is_emptied else self._emptied.discard)(container)
        return is_emptied

    async def _read(self, ask: Callable[[Store], Awaitable[T]]) -> T:
        with suppress(EarwitnessError):
            return await ask(self._primary)
        return await ask(self._fallback)


def _check_two(primary: Store, fallback: Store) -> None:
    database = getattr(primary, "database", None)
    if database is None or database is not getattr(fallback, "database", None):
        return
    raise SettingsError(
        "store 'fallback': primary and fallback are one and the same, "
        f"{quoted(getattr(database, 'path', type(database).__name__))}. Give one of them a place of its own, such as "
        'primary = { name = "sqlite", path = "elsewhere.db" }. A store "supermemory" without a key is the embedded one.'
    )


def _may_be(memory: Memory, container: str, filter: Filter) -> bool:
    return memory.container == container and matches(filter, memory.metadata)
