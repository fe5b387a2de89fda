"""The store `supermemory`: what a host sees of it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from importlib.metadata import version
from time import perf_counter, time

from earwitness.errors import StorageError
from earwitness.filters import EVERYTHING, Filter
from earwitness.loading.resources import Resources
from earwitness.protocols import Embedder
from earwitness.records.backends import Health, ServiceProfile
from earwitness.records.memory import Hit, Memory
from earwitness_plugins.ranking.memory_ranker import MemoryRanker
from earwitness_plugins.services.breaker import CircuitBreaker

from .conditions import of_container
from .names import namespace_of
from .reader import ContainerReader
from .together import together
from .wire import AT_ONCE, SearchManner, ServiceAddress, Wire
from .write_buffer import MICROSECONDS, WriteBuffer, WrittenMemory
from .writer import ContainerWriter

LOOKED_AT = 40
"""Containers that `health` looks into, at most."""


class SupermemoryStore:
    """Memories in Supermemory: a namespace for each container, a document for each memory.

    What was written can be read at once, although the service finds it only later: until it does, reads look into a
    buffer beside it, which survives a restart. Everything that comes back is checked here once more. A `put` of several
    memories is not one transaction; `PartialWrite` names what was written of it.

    Args:
        connection: how to reach the service.
        manner: how it works on texts.
        path: the file of the buffer, made when it is missing.
        resources: of one Earwitness instance.
        embedder: ranks what was found; `None`, or one that asks a service itself, ranks by words only.
        candidates: how many rows each search asks the service for at least.
        largest_text: bytes of a document; a longer text is kept in several.
        breaker: when the service is left alone.
    """

    def __init__(
        self,
        *,
        connection: ServiceAddress,
        manner: SearchManner,
        path: str,
        resources: Resources,
        embedder: Embedder | None,
        candidates: int,
        largest_text: int,
        breaker: CircuitBreaker,
    ) -> None:
        self._where = connection.shown
        self._wire = Wire(connection, manner, breaker)
        self._buffer = WriteBuffer(path, resources)
        local = None if getattr(embedder, "remote", False) else embedder
        self._reader = ContainerReader(self._wire, self._buffer, MemoryRanker(local), candidates, manner.is_verbatim)
        self._writer = ContainerWriter(self._wire, self._buffer, self._reader, largest_text)
        self._is_open = False

    async def open(self) -> None:
        """Open the buffer and make the client; the service is not asked. Raises `StorageError`, `SettingsError`."""
        if self._is_open:
            return
        await self._wire.open()
        await self._buffer.open()
        self._is_open = True

    async def close(self) -> None:
        """Release everything. May be called again."""
        if self._is_open:
            self._is_open = False
            await self._wire.close()
            await self._buffer.close()

    async def put(self, memories: Sequence[Memory]) -> None:
        """Write or replace by (container, id). Raises `StorageError`, or `PartialWrite` with what was written."""
        await self._writer.put(memories)

    async def put_new(self, memories: Sequence[Memory]) -> None:
        """As `put`, for what nobody has tried to write. It is not looked up, unless an id was sent before, or the
        container may hold documents that the buffer's file does not know of."""
        await self._writer.put(memories, are_new=True)

    async def remove(self, ids: Mapping[str, Sequence[str]]) -> None:
        """Remove by container name → ids. Unknown ids are ignored. Raises as `put`."""
        await self._writer.remove(ids)

    async def get(self, container: str, ids: Sequence[str]) -> Sequence[Memory]:
        """Those of the ids that exist in this container, in the order asked."""
        return await self._reader.get(container, ids) if ids else []

    async def list(
        self, container: str, *, filter: Filter = EVERYTHING, limit: int | None = None, offset: int = 0
    ) -> Sequence[Memory]:
        """Memories in the order they were first written."""
        return await self._reader.listed(container, filter, limit, offset)

    async def search(
        self, container: str, query: str, *, filter: Filter = EVERYTHING, limit: int = 10
    ) -> Sequence[Hit]:
        """The best hits, best first; ties by id."""
        return await self._reader.search(container, query, filter, limit)

    async def count(self, container: str) -> int:
        """How many memories the container holds."""
        return await self._reader.count(container)

    async def drop(self, container: str) -> None:
        """Remove the container and everything of ours in it."""
        await self._writer.drop(container)

    async def profile(self, container: str) -> ServiceProfile:
        """What the service has made out of the subject of a container; nothing of it can be checked."""
        return await self._wire.profile(namespace_of(container), of_container(container))

    async def health(self) -> Health:
        """Whether the service answers, how fast, what its searches do not find yet, and what is withheld.

        What was written to more containers than `LOOKED_AT` is looked up in those that wait longest.
        """
        details: dict[str, str | int | float | bool] = {
            "service": self._where,
            "client": version("supermemory"),
            "withheld": sum(map(len, self._reader.withheld.values())),
        }
        began = perf_counter()
        try:
            details["namespaces"] = await self._wire.namespaces()
            details["answers_in_ms"] = round((perf_counter() - began) * 1000, 1)
            return Health(ok=True, details={**details, **await self._lag()})
        except StorageError as error:
            return Health(ok=False, details={**details, "problem": str(error)})

    async def _lag(self) -> dict[str, int | float]:
        """What the service does not find yet of what was written here, and for how many seconds it has not."""
        looked_at = self._buffer.waiting()[:LOOKED_AT]
        late: list[WrittenMemory] = []
        for begin in range(0, len(looked_at), AT_ONCE):
            found = await together(self._reader.not_shown(name) for name in looked_at[begin : begin + AT_ONCE])
            late += [each for several in found for each in several]
        oldest = time() - min(each.stamp.version for each in late) / MICROSECONDS if late else 0.0
        return {"not_searchable_yet": len(late), "oldest_not_searchable_seconds": round(oldest, 1)}
