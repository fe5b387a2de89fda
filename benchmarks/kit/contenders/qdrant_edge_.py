"""qdrant-edge: Qdrant inside the process. Dense and BM25 vectors, fused by reciprocal ranks, filtered by container."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from uuid import NAMESPACE_OID, uuid5

import qdrant_edge as qe

from ..made import Question, Row

_DEPTH = 100


class QdrantEdge:
    """One shard; the container is an indexed payload field."""

    async def open(self, folder: Path) -> None:
        """Load the shard, or create it."""
        self._bm25 = qe.Bm25(qe.Bm25Config(avg_len=20))
        path = folder / "shard"
        if path.exists():
            self._shard = qe.EdgeShard.load(str(path))
            return
        path.mkdir()
        config = qe.EdgeConfig(
            vectors={"meaning": qe.EdgeVectorParams(size=256, distance=qe.Distance.Cosine)},
            sparse_vectors={"words": qe.EdgeSparseVectorParams(modifier=qe.Modifier.Idf)},
        )
        self._shard = qe.EdgeShard.create(str(path), config)
        for field, kind in (("container", qe.PayloadSchemaType.Keyword), ("day", qe.PayloadSchemaType.Float)):
            self._shard.update(qe.UpdateOperation.create_field_index(field, kind))

    async def fill(self, rows: Sequence[Row]) -> None:
        """Upsert."""
        points = [
            qe.Point(
                str(uuid5(NAMESPACE_OID, f"{row.container} {row.id}")),
                {"meaning": row.vector.tolist(), "words": self._bm25.embed_document(row.words)},
                {"container": row.container, "id": row.id, "text": row.text, "day": row.day},
            )
            for row in rows
        ]
        self._shard.update(qe.UpdateOperation.upsert_points(points))

    async def ready(self) -> None:
        """As it stands after its writes: it has nothing that optimizes in the background."""
        self._shard.flush()

    async def turn(self, rows: Sequence[Row]) -> None:
        """Upsert, and flush to the disk."""
        await self.fill(rows)
        self._shard.flush()

    async def search(self, container: str, question: Question, limit: int) -> int:
        """Two prefetches, fused."""
        wanted = qe.Filter(
            must=[
                qe.FieldCondition(key="container", match=qe.MatchValue(value=container)),
                qe.FieldCondition(key="day", range=qe.RangeFloat(gte=0)),
            ]
        )
        queries = (
            qe.Query.Nearest(question.vector.tolist(), using="meaning"),
            qe.Query.Nearest(self._bm25.embed_query(question.text), using="words"),
        )
        found = self._shard.query(
            qe.QueryRequest(
                limit=limit,
                prefetches=[qe.Prefetch(limit=_DEPTH, query=query, filter=wanted) for query in queries],
                query=qe.Fusion.Rrf(k=60),
                with_payload=True,
            )
        )
        return len(found)

    async def close(self) -> None:
        """Close the shard."""
        self._shard.close()


class Optimized(QdrantEdge):
    """Asked to optimize itself once everything is in; a host would have to stop for that now and then."""

    async def ready(self) -> None:
        """Build its indexes."""
        self._shard.flush()
        self._shard.optimize()
