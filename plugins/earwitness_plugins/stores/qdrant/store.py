"""The store `qdrant`: what a host sees of it."""

from __future__ import annotations

import math
from pathlib import Path
from typing import Annotated, Any

from pydantic import Field, SecretStr

from earwitness.errors import SettingsError, StorageError
from earwitness.loading.addresses import ServerUrl
from earwitness.loading.settings import Settings
from earwitness.protocols import Embedder
from earwitness.records.backends import Health
from earwitness_plugins.embedders.fingerprint import described, mismatch
from earwitness_plugins.qdrant.connection import QdrantConnection, models, refuse_locked
from earwitness_plugins.qdrant.folders import IN_MEMORY, its_own_folder
from earwitness_plugins.qdrant.store import PointRanking, PointStore
from earwitness_plugins.ranking import Fusion
from earwitness_plugins.services.durable import refuse_file

from . import collections
from .collections import EXTRA
from .embedder_change import reembed
from .payload import MemoryPayload


class QdrantStore(PointStore):
    """Memories as points of Qdrant, searched by words and meaning inside one container.

    In a folder, one program at a time may have it open, and a batch is written memory by memory. On a server, several
    programs see each other's writes at once, as long as their clocks agree within a minute. Either way, containers
    that are searched are held in memory, and no container moves the ranking of another.

    Args:
        path: a folder; it is made when it is missing. By default that of the story, with `.qdrant` after its name.
        embedder: makes the vectors; each has a collection of its own. `None` ranks by words only.
        settings: of one Earwitness instance, for the default of `path`.
        url: a server such as `http://localhost:6333`, in place of the folder.
        api_key: the server's key.
        collection: the beginning of the collection's name.
        timeout: seconds that the server may take to answer.
        fusion: `score`, or `rrf` (reciprocal ranks), which needs no comparable scores.
        rerank: whether to re-rank the best hits.
        cache_mb: how many megabytes of containers to keep in memory.

    Raises `SettingsError` for an `api_key` without a `url`.
    """

    def __init__(
        self,
        *,
        path: str,
        embedder: Embedder | None,
        settings: Settings | None = None,
        url: ServerUrl | None = None,
        api_key: SecretStr | None = None,
        collection: Annotated[str, Field(pattern=r"^[A-Za-z0-9_-]{1,100}$")] = "earwitness",
        timeout: Annotated[float, Field(gt=0)] = 10.0,
        fusion: Fusion = "score",
        rerank: bool = True,
        cache_mb: Annotated[int, Field(ge=1)] = 256,
    ) -> None:
        if api_key is not None and url is None:
            raise SettingsError("api_key is the key of a server: set url, too.")
        if url and settings is not None and path != IN_MEMORY and its_own_folder(path, settings, ".qdrant") == path:
            raise SettingsError(f"url is a server and path = {path!r} a folder: set one of them.")
        self._prefix = collection
        connection = (
            _server(url, api_key, math.ceil(timeout)) if url else _folder(its_own_folder(path, settings, ".qdrant"))
        )
        super().__init__(EXTRA, connection, "", MemoryPayload(), PointRanking(embedder, fusion, rerank, cache_mb))
        self._collection = collections.collection_name(collection, self._embedder.identity)

    async def open(self) -> None:
        """Open or create the collection. Raises `StorageError`; `StorageLocked` for a folder that is open elsewhere;
        `EmbedderMismatch` for vectors of another embedder; `SettingsError` without the client.
        """
        if self._connection.is_open:
            return
        await self._connection.open()
        try:
            await self._prepare()
        except BaseException:
            await self.close()
            raise

    async def health(self) -> Health:
        """Reachability, versions and counts. Not `ok` if the service does not answer."""
        try:
            version = (await self._connection.ask("info")).version
            found = await self._ask("get_collection")
            memories = await collections.memories(self._connection, self._collection)
        except StorageError as error:
            return Health(ok=False, details={"problem": str(error)})
        identity = self._embedder.identity
        details: dict[str, str | int | float | bool] = {
            "place": self._connection.place,
            "qdrant": str(version),
            "mode": "local: one program at a time" if self._connection.is_local else "server",
            "collection": self._collection,
            "status": str(found.status.value),
            "memories": memories,
            "embedder": f"{identity.name} {identity.digest} ({identity.dimension})",
        }
        return Health(ok=details["status"] in {"green", "yellow", "grey"}, details=details)

    async def reembed(self) -> int:
        """Make all vectors again with this store's embedder; returns how many memories there are.

        For a place that `open` refuses with `EmbedderMismatch`; `open` it afterwards. The other collection is deleted
        when every vector is made; an interrupted run goes on where it stopped. Raises what `open` raises, except the
        mismatch.
        """
        await self._connection.open()
        try:
            return await reembed(self._connection, self._prefix, self._collection, self._embedder)
        finally:
            await self.close()

    async def _prepare(self) -> None:
        """Find or create the collection of our embedder."""
        identity = self._embedder.identity
        there = await collections.complete(self._connection, self._prefix)
        for name, other in there.items():
            if other != identity and await collections.memories(self._connection, name):
                raise mismatch(self._connection.place, described(other), described(identity))
        await collections.create(self._connection, self._collection, identity)
        if self._collection not in there:
            await collections.claim(self._connection, self._collection, identity)


def _folder(path: str) -> QdrantConnection:
    def make() -> Any:
        models(EXTRA)
        from qdrant_client import QdrantClient

        if path != IN_MEMORY:
            refuse_file(Path(path), "the store 'qdrant' needs a folder (its setting `path`)")
        refuse_locked(path)
        return QdrantClient(path=path, force_disable_check_same_thread=True)

    return QdrantConnection(path, make, is_local=True)


def _server(url: str, api_key: SecretStr | None, timeout: int) -> QdrantConnection:
    def make() -> Any:
        models(EXTRA)
        from qdrant_client import AsyncQdrantClient

        key = api_key.get_secret_value() if api_key else None
        return AsyncQdrantClient(url=url, api_key=key, timeout=timeout, check_compatibility=False)

    return QdrantConnection(url, make, is_local=False)
