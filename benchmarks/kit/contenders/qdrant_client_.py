"""qdrant-client used directly, in a folder: vectors only, filtered by container and day."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from uuid import NAMESPACE_OID, uuid5

from qdrant_client import QdrantClient, models

from ..made import Question, Row
from .qdrant_local import unsynced

_COLLECTION = "memories"


class QdrantDirect:
    """One collection."""

    async def open(self, folder: Path) -> None:
        """Open it, or create it."""
        self._client = QdrantClient(path=str(folder / "qdrant"))
        if not self._client.collection_exists(_COLLECTION):
            vectors = models.VectorParams(size=256, distance=models.Distance.COSINE)
            self._client.create_collection(_COLLECTION, vectors_config=vectors)

    async def fill(self, rows: Sequence[Row]) -> None:
        """As in `turn`, more at once."""
        with unsynced():
            await self.turn(rows)

    async def ready(self) -> None:
        """There is nothing to build."""

    async def turn(self, rows: Sequence[Row]) -> None:
        """One upsert."""
        points = [
            models.PointStruct(
                id=str(uuid5(NAMESPACE_OID, f"{row.container} {row.id}")),
                vector=row.vector.tolist(),
                payload={"container": row.container, "id": row.id, "text": row.text, "day": row.day, **row.metadata},
            )
            for row in rows
        ]
        self._client.upsert(_COLLECTION, points, wait=True)

    async def search(self, container: str, question: Question, limit: int) -> int:
        """By meaning."""
        wanted = models.Filter(
            must=[
                models.FieldCondition(key="container", match=models.MatchValue(value=container)),
                models.FieldCondition(key="day", range=models.Range(gte=0)),
            ]
        )
        found = self._client.query_points(
            _COLLECTION, query=question.vector.tolist(), query_filter=wanted, limit=limit, with_payload=True
        )
        return len(found.points)

    async def close(self) -> None:
        """Close the files."""
        self._client.close()
