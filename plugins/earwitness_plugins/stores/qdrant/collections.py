"""One collection for each embedder: its name carries a digest, and one point says in full whose vectors are in it."""

from __future__ import annotations

import hashlib
from typing import Any

from earwitness.records.backends import EmbedderIdentity
from earwitness_plugins.qdrant.connection import QdrantConnection, models
from earwitness_plugins.qdrant.points import point_id

IDENTITY = point_id("", "the embedder")
"""The id of the point with the identity."""
EXTRA = "qdrant"


def collection_name(prefix: str, identity: EmbedderIdentity) -> str:
    """`{prefix}-{digest}`: vectors of two embedders are never in one collection."""
    digest = hashlib.sha256(identity.model_dump_json().encode()).hexdigest()[:16]
    return f"{prefix}-{digest}"


async def create(connection: QdrantConnection, name: str, identity: EmbedderIdentity) -> None:
    """Create a collection, with the indexes that a server needs. It has no identity yet."""
    qdrant = models(EXTRA)
    if not await connection.ask("collection_exists", collection_name=name):
        size = qdrant.VectorParams(size=identity.dimension, distance=qdrant.Distance.COSINE)
        await connection.ask("create_collection", collection_name=name, vectors_config=size)
    if not connection.is_local:  # a local client has no indexes
        tenant = qdrant.KeywordIndexParams(type=qdrant.KeywordIndexType.KEYWORD, is_tenant=True)
        for field, schema in (("container", tenant), ("written", qdrant.PayloadSchemaType.INTEGER)):
            await connection.ask(
                "create_payload_index", collection_name=name, field_name=field, field_schema=schema, wait=True
            )


async def claim(connection: QdrantConnection, name: str, identity: EmbedderIdentity) -> None:
    """Write down whose vectors the collection holds."""
    point = models(EXTRA).PointStruct(
        id=IDENTITY, vector=[0.0] * identity.dimension, payload={"embedder": identity.model_dump()}
    )
    await connection.ask("upsert", collection_name=name, points=[point], wait=True)


async def complete(connection: QdrantConnection, prefix: str) -> dict[str, EmbedderIdentity]:
    """Collection → whose vectors it holds, of all collections of this store that were made wholly."""
    found = {}
    for each in (await connection.ask("get_collections")).collections:
        stem, _, digest = each.name.rpartition("-")
        if stem == prefix and len(digest) == 16 and (identity := await _identity(connection, each.name)):
            found[each.name] = identity
    return dict(sorted(found.items()))


async def memories(connection: QdrantConnection, name: str) -> int:
    """How many memories a collection holds; the identity is none."""
    return max(0, int((await connection.ask("count", collection_name=name, exact=True)).count) - 1)


async def _identity(connection: QdrantConnection, name: str) -> EmbedderIdentity | None:
    records: list[Any] = await connection.ask("retrieve", collection_name=name, ids=[IDENTITY], with_payload=True)
    return EmbedderIdentity.model_validate(records[0].payload["embedder"]) if records else None
