"""All vectors of a place made again, with another embedder, in a collection of its own."""

from __future__ import annotations

from collections.abc import AsyncIterator, Sequence
from typing import Any

from earwitness.protocols import Embedder
from earwitness.words import plain
from earwitness_plugins.qdrant.connection import QdrantConnection, models
from earwitness_plugins.ranking.vectors import embedded

from . import collections
from .collections import EXTRA, IDENTITY

_AT_ONCE = 256


async def reembed(connection: QdrantConnection, prefix: str, target: str, embedder: Embedder) -> int:
    """Fill the collection `target` with the memories of all others of this prefix, then delete those.

    What an interrupted run has copied, and nobody has changed since, is not copied again. Returns how many memories
    there are.
    """
    there = await collections.complete(connection, prefix)
    sources = [name for name in there if name != target]
    await collections.create(connection, target, embedder.identity)
    written = {
        str(each.id): each.payload.get("written", 0) async for page in _pages(connection, target) for each in page
    }
    seen: set[str] = set()
    for source in sources:
        async for page in _pages(connection, source):
            memories = [each for each in page if str(each.id) != IDENTITY]
            seen |= {str(each.id) for each in memories}
            newer = [each for each in memories if each.payload["written"] > written.get(str(each.id), -1)]
            await _copy(connection, target, newer, embedder)
    if target not in there:
        await _delete(connection, target, [*written.keys() - seen])
        await collections.claim(connection, target, embedder.identity)
    for source in sources:
        await connection.ask("delete_collection", collection_name=source)
    return await collections.memories(connection, target)


async def _copy(connection: QdrantConnection, target: str, records: Sequence[Any], embedder: Embedder) -> None:
    if not records:
        return
    vectors = await embedded(embedder, [plain(each.payload["content"]) for each in records])
    struct = models(EXTRA).PointStruct
    points = [
        struct(id=each.id, vector=vector, payload=each.payload)
        for each, vector in zip(records, vectors.tolist(), strict=True)
    ]
    await connection.ask("upsert", collection_name=target, points=points, wait=True)


async def _delete(connection: QdrantConnection, target: str, points: Sequence[str]) -> None:
    if points:
        selector = models(EXTRA).PointIdsList(points=[*points])
        await connection.ask("delete", collection_name=target, points_selector=selector, wait=True)


async def _pages(connection: QdrantConnection, name: str) -> AsyncIterator[Sequence[Any]]:
    offset = None
    while True:
        records, offset = await connection.ask(
            "scroll", collection_name=name, limit=_AT_ONCE, offset=offset, with_payload=True
        )
        yield records
        if offset is None:
            return
