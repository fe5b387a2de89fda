"""The store `mem0`: what a host sees of it."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import UTC, datetime
from importlib.metadata import version
from pathlib import Path
from typing import Annotated, Any

from pydantic import Field

from earwitness.errors import EmbedderMismatch, StorageError
from earwitness.loading.settings import Settings
from earwitness.protocols import Embedder
from earwitness.records.backends import EmbedderIdentity, Health
from earwitness_plugins.qdrant.connection import QdrantConnection
from earwitness_plugins.qdrant.folders import IN_MEMORY, its_own_folder
from earwitness_plugins.qdrant.points import Payload, point_id
from earwitness_plugins.qdrant.store import PointRanking, PointStore
from earwitness_plugins.ranking import Floats, Fusion

from .client import EXTRA, Mem0Client
from .payload import OURS, Mem0Record

IDENTITY = point_id("", "the embedder of mem0")
"""The id of the point with the embedder's identity."""
_ELSEWHERE = (
    "name another `collection` or `path`, and move the memories there with `earwitness migrate`. mem0's other users "
    "have their vectors in the same collection, so that `earwitness reembed` cannot help."
)


class Mem0Store(PointStore):
    """Memories as mem0 keeps them, on the store that it comes with: Qdrant in a folder, and a history beside it.

    They are written directly, without a language model and with our own vectors. A container is one `user_id` (and
    `agent_id`) of mem0's. One program at a time may have the folder open, and a batch is written memory by memory.

    Args:
        path: a folder; it is made when it is missing. By default that of the story, with `.mem0` after its name.
        embedder: makes the vectors. `None` ranks by words only.
        settings: of one Earwitness instance, for the default of `path`.
        collection: its name; mem0's own default.
        history_path: the file of mem0's history; by default `history.db` in the folder.
        fusion: `score`, or `rrf` (reciprocal ranks), which needs no comparable scores.
        rerank: whether to re-rank the best hits.
        cache_mb: how many megabytes of containers to keep in memory.
    """

    def __init__(
        self,
        *,
        path: str,
        embedder: Embedder | None,
        settings: Settings | None = None,
        collection: Annotated[str, Field(pattern=r"^[A-Za-z0-9_-]{1,100}$")] = "mem0",
        history_path: str | None = None,
        fusion: Fusion = "score",
        rerank: bool = True,
        cache_mb: Annotated[int, Field(ge=1)] = 256,
    ) -> None:
        folder = its_own_folder(path, settings, ".mem0")
        history = history_path or (folder if folder == IN_MEMORY else str(Path(folder) / "history.db"))

        def make() -> Mem0Client:
            return Mem0Client(folder, history, collection, self._embedder.identity.dimension)

        connection = QdrantConnection(folder, make, is_local=True)
        super().__init__(EXTRA, connection, collection, Mem0Record(), PointRanking(embedder, fusion, rerank, cache_mb))

    async def open(self) -> None:
        """Open or create the folder. Raises `StorageError`; `StorageLocked` if it is open elsewhere;
        `EmbedderMismatch` for vectors of another embedder; `SettingsError` without mem0.
        """
        if self._connection.is_open:
            return
        await self._connection.open()
        try:
            await self._claim()
        except BaseException:
            await self.close()
            raise

    async def health(self) -> Health:
        """Versions and counts. Not `ok` if the folder cannot be read."""
        try:
            records = int((await self._ask("count", exact=True)).count)
        except StorageError as error:
            return Health(ok=False, details={"problem": str(error)})
        identity = self._embedder.identity
        details: dict[str, str | int | float | bool] = {
            "place": self._connection.place,
            "mem0": version("mem0ai"),
            "qdrant": version("qdrant-client"),
            "mode": "local: one program at a time",
            "collection": self._collection,
            "records": records - 1,
            "embedder": f"{identity.name} {identity.digest} ({identity.dimension})",
        }
        return Health(ok=True, details=details)

    async def reembed(self) -> int:
        """Raises `StorageError`: the vectors of mem0's other users are in the same collection, and stay as they are."""
        raise StorageError(f"`earwitness reembed` cannot make the vectors of the store 'mem0' again: {_ELSEWHERE}")

    async def _claim(self) -> None:
        """Write down whose vectors these are, in a new collection or in one of mem0's users."""
        ours = self._embedder.identity
        size = (await self._ask("get_collection")).config.params.vectors.size
        found = (await self._payloads([IDENTITY])).get(IDENTITY)
        if found is not None and EmbedderIdentity.model_validate(found["embedder"]) != ours:
            raise self._mismatch(f"the embedder {found['embedder']['name']!r}")
        if size != ours.dimension:
            raise self._mismatch(f"an embedder with {size} dimensions")
        if found is None:
            await self._insert({IDENTITY: {"embedder": ours.model_dump()}}, [[0.0] * size], [])

    def _mismatch(self, found: str) -> EmbedderMismatch:
        ours = self._embedder.identity
        return EmbedderMismatch(
            f"the vectors of the collection {self._collection!r} in {self._connection.place!r} were made by {found}, "
            f"but this store was opened with the embedder {ours.name!r} ({ours.dimension} dimensions). Open it with "
            f"the first; or {_ELSEWHERE}"
        )

    async def _upsert(self, new: Mapping[str, dict[str, Any]], vectors: Floats, before: Mapping[str, Payload]) -> None:
        history = []
        for point, payload in new.items():
            old = before.get(point, {}).get("data")
            event = {"event": "ADD" if old is None else "UPDATE", "old_memory": old, "new_memory": payload["data"]}
            times = {"created_at": payload["created_at"], "updated_at": payload["updated_at"]}
            history.append({"memory_id": point, **event, **times})
        await self._insert(new, vectors.tolist(), history)

    async def _insert(self, new: Mapping[str, Any], vectors: list[list[float]], history: list[Any]) -> None:
        await self._connection.ask("insert", points=[*new], vectors=vectors, payloads=[*new.values()], history=history)

    async def _delete(self, payloads: Mapping[str, Payload]) -> None:
        now = datetime.now(UTC).isoformat()
        history = [
            {
                "memory_id": point,
                "old_memory": payload.get("data"),
                "event": "DELETE",
                "created_at": payload.get("created_at"),
                "updated_at": now,
                "is_deleted": 1,
            }
            for point, payload in payloads.items()
            if OURS in payload
        ]
        await self._connection.ask("forget", points=[*payloads], history=history)
