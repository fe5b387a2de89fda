"""The store that keeps memories as points of one collection, and ranks them itself.

A container that is searched is held in memory: its own words decide, and a search asks the service only what has
changed since. In a local folder nobody else can write, so nothing is asked at all.
"""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Iterable, Mapping, Sequence
from contextlib import AbstractAsyncContextManager, asynccontextmanager, nullcontext
from typing import Any, NamedTuple

import numpy as np

from earwitness.errors import PartialWrite, StorageError
from earwitness.filters import EVERYTHING, Filter, matches
from earwitness.protocols import Embedder
from earwitness.records.backends import TermHolders
from earwitness.records.memory import Hit, Memory
from earwitness.slices import Pace
from earwitness.words import plain
from earwitness_plugins.embedders.none import NoEmbedder
from earwitness_plugins.ranking import Floats, Fusion, MemoryRanker
from earwitness_plugins.ranking.vectors import embedded

from .conditions import condition
from .connection import QdrantConnection, models
from .indexes import IndexedContainer, IndexedContainers, indexable
from .points import Payload, PointShape, StoredMemory, WriteClock, kept, point_id

PAGE = 1_000
"""Points in one answer of a server."""
SKEW = 60_000_000
"""Microseconds that the clocks of two machines may be apart."""
_MEGABYTE = 2**20


class PointRanking(NamedTuple):
    """How a store ranks."""

    embedder: Embedder | None
    """Makes the vectors; `None` ranks by words only."""
    fusion: Fusion
    """How scores by words and by meaning become one."""
    rerank: bool
    """Whether to compare the best hits once more."""
    cache_mb: int
    """How many megabytes of containers to keep in memory."""


class PointStore:
    """All of a `Store` but how it is opened, for a collection with one vector a point.

    Args:
        extra: the store's name, which is that of the extra to install.
        connection: a client.
        collection: the collection's name.
        shape: how a memory is laid out.
        ranking: how it ranks.
    """

    def __init__(
        self,
        extra: str,
        connection: QdrantConnection,
        collection: str,
        shape: PointShape,
        ranking: PointRanking,
    ) -> None:
        self._extra = extra
        self._connection = connection
        self._collection = collection
        self._shape = shape
        self._embedder: Embedder = ranking.embedder or NoEmbedder()
        self._ranker = MemoryRanker(ranking.embedder, fusion=ranking.fusion, rerank=ranking.rerank)
        self._cache_bytes = ranking.cache_mb * _MEGABYTE
        self._indexes = IndexedContainers(self._ranker, self._cache_bytes)
        self._clock = WriteClock()
        self._one_at_a_time = asyncio.Lock()

    @property
    def _models(self) -> Any:
        return models(self._extra)

    async def close(self) -> None:
        """Release everything. May be called again."""
        self._indexes = IndexedContainers(self._ranker, self._cache_bytes)
        self._one_at_a_time = asyncio.Lock()  # the next `open` may be on another event loop
        await self._connection.close()

    async def put(self, memories: Sequence[Memory]) -> None:
        """Write or replace by (container, id). Durable on return. Of one id twice, the last counts."""
        new = [kept(each) for each in {(each.container, each.id): each for each in memories}.values()]
        if not new:
            return
        texts = [plain(each.content) for each in new]
        different = list(dict.fromkeys(texts))
        by_text = dict(zip(different, await embedded(self._embedder, different), strict=True))
        async with self._writing({each.container for each in new}):
            await self._put([*zip(new, (by_text[text] for text in texts), strict=True)])

    async def remove(self, ids: Mapping[str, Sequence[str]]) -> None:
        """Remove by container name → ids. Unknown ids are ignored."""
        points = {point_id(name, id): (name, id) for name, unwanted in ids.items() for id in unwanted}
        if not points:
            return
        async with self._writing(ids):
            try:
                await self._delete(await self._payloads([*points]))
            except StorageError as error:
                left = await self._payloads([*points])
                gone = _by_container(points[point] for point in points if point not in left)
                raise (PartialWrite(str(error), gone) if gone else error) from error
            for name in ids:
                if index := self._indexes.being_made(name):
                    index.leave(points)

    async def get(self, container: str, ids: Sequence[str]) -> Sequence[Memory]:
        """Those of the ids that exist in this container, in the order asked."""
        if index := self._index_without_asking(container):
            return [_own(found) for id in ids if (found := index.memories.get(id))]
        payloads = await self._payloads([point_id(container, id) for id in dict.fromkeys(ids)])
        stored = (self._read(payloads.get(point_id(container, id)), container) for id in ids)
        return [_own(each.memory) for each, id in zip(stored, ids, strict=True) if each and each.memory.id == id]

    async def list(
        self, container: str, *, filter: Filter = EVERYTHING, limit: int | None = None, offset: int = 0
    ) -> Sequence[Memory]:
        """Memories in the order they were first written."""
        if index := self._index_without_asking(container):
            return [_own(each) for each in index.memories.list(filter, limit, offset)]
        found = [each async for each, _ in self._stored(container, filter)]
        found.sort(key=lambda each: (each.sequence, each.memory.id))
        end = None if limit is None else max(offset, 0) + max(limit, 0)
        return [_own(each.memory) for each in found[max(offset, 0) : end]]

    async def search(
        self, container: str, query: str, *, filter: Filter = EVERYTHING, limit: int = 10
    ) -> Sequence[Hit]:
        """The best hits, best first; ties by id."""
        index = await self._up_to_date(container)
        return await self._ranker.search(index.memories, query, filter=filter, limit=limit)

    async def holders(self, container: str, terms: Sequence[str]) -> TermHolders:
        """Who holds each of these terms; see `earwitness.extras.TermIndex`."""
        return (await self._up_to_date(container)).memories.holders(terms)

    async def count(self, container: str) -> int:
        """How many memories the container holds."""
        if index := self._index_without_asking(container):
            return len(index.memories)
        return await self._count(self._of(container))

    async def drop(self, container: str) -> None:
        """Remove the container and everything in it."""
        async with self._writing([container]):
            there = [each async for each in self._scroll(self._of(container), with_payload=True, with_vectors=False)]
            its_own = {str(each.id): each.payload for each in there if self._read(each.payload, container)}
            if its_own:
                await self._delete(its_own)
            self._indexes.drop(container)

    # ── what a store of this kind may do in another way ─────────────────────────────────────────────────────────────

    async def _upsert(self, new: Mapping[str, dict[str, Any]], vectors: Floats, before: Mapping[str, Payload]) -> None:
        """Write n points durably, with payloads and vectors of shape (n, dimension); some had payloads before."""
        struct = self._models.PointStruct
        await self._ask(
            "upsert",
            points=[
                struct(id=point, vector=vector, payload=payload)
                for point, vector, payload in zip(new, vectors.tolist(), new.values(), strict=True)
            ],
            wait=True,
        )

    async def _delete(self, payloads: Mapping[str, Payload]) -> None:
        """Delete points, with their payloads, durably."""
        if payloads:
            await self._ask("delete", points_selector=self._models.PointIdsList(points=[*payloads]), wait=True)

    # ── writing ─────────────────────────────────────────────────────────────────────────────────────────────────────

    @asynccontextmanager
    async def _writing(self, containers: Iterable[str]) -> AsyncIterator[None]:
        """Change containers. After a failure, nobody knows what was written: their indexes are forgotten."""
        try:
            async with self._alone():
                yield
        except BaseException:
            for name in containers:
                self._indexes.drop(name)
            raise

    def _alone(self) -> AbstractAsyncContextManager[Any]:
        """Where nobody else writes, an index is right if one change follows the other; elsewhere it asks anyway."""
        return self._one_at_a_time if self._connection.is_local else nullcontext()

    async def _put(self, new: Sequence[tuple[Memory, Floats]]) -> None:
        ids = [point_id(memory.container, memory.id) for memory, _ in new]
        before = await self._payloads(ids)
        changed: list[tuple[str, StoredMemory, Floats, dict[str, Any]]] = []
        for point, (memory, vector) in zip(ids, new, strict=True):
            payload = before.get(point)
            old = self._read(payload, memory.container)
            if old is None or old.memory != memory or _types(old.memory) != _types(memory):
                written = self._clock.now()
                stored = StoredMemory(memory, old.sequence if old else written, written)
                changed.append((point, stored, vector, self._shape.payload(stored, payload)))
        if changed:
            points, stored_memories, vectors, payloads = zip(*changed, strict=True)
            try:
                await self._upsert(dict(zip(points, payloads, strict=True)), np.stack(vectors), before)
            except StorageError as error:
                raise await self._in_part(error, points, stored_memories) from error
            await self._index(stored_memories, np.stack(vectors))

    async def _in_part(
        self, error: StorageError, points: Sequence[str], stored: Sequence[StoredMemory]
    ) -> StorageError:
        """The error, or what names those of the memories that were written all the same."""
        there = await self._payloads(points)
        found = (
            (self._read(there.get(point), each.memory.container), each)
            for point, each in zip(points, stored, strict=True)
        )
        written = _by_container(
            (new.memory.container, new.memory.id) for old, new in found if old and old.written == new.written
        )
        return PartialWrite(str(error), written) if written else error

    async def _index(self, stored: Sequence[StoredMemory], vectors: Floats) -> None:
        """Take what was written into the indexes that are kept."""
        places = [place for place, each in enumerate(stored) if self._indexes.being_made(each.memory.container)]
        for each in await indexable([stored[place] for place in places], vectors[places]):
            if index := self._indexes.being_made(each.stored.memory.container):
                index.take([each])

    # ── reading ─────────────────────────────────────────────────────────────────────────────────────────────────────

    def _index_without_asking(self, container: str) -> IndexedContainer | None:
        return self._indexes.get(container) if self._connection.is_local else None

    async def _up_to_date(self, container: str) -> IndexedContainer:
        """The index of a container, with everything that was written before this call."""
        index = self._indexes.at(container)
        if index.is_loaded and self._connection.is_local:
            return index
        async with self._alone(), index.refreshing:
            if not index.is_loaded:
                await self._load(container, index)
            elif not self._connection.is_local:
                await self._refresh(container, index)
        return index

    async def _load(self, container: str, index: IndexedContainer) -> None:
        await self._take(index, [each async for each in self._stored(container, EVERYTHING, with_vectors=True)])
        index.is_loaded = True
        self._indexes.trim()

    async def _refresh(self, container: str, index: IndexedContainer) -> None:
        """Ask what was written lately, and, if the number of memories says so, what is gone."""
        lately = self._models.FieldCondition(
            key=self._shape.written_field, range=self._models.Range(gte=index.latest - SKEW)
        )
        count, new = await asyncio.gather(self._count(self._of(container)), self._unknown(container, index, [lately]))
        await self._fetch(container, index, new)
        if count != len(index.memories):
            there = {point async for point, _ in self._records(self._of(container), False)}
            index.leave(index.points - there)
            await self._fetch(container, index, there - index.points)

    async def _unknown(self, container: str, index: IndexedContainer, conditions: Sequence[Any]) -> set[str]:
        """Ids of the points that meet the conditions and were written since the index saw them."""
        field = self._shape.written_field
        found = self._records(self._of(container, *conditions), [field])
        return {point async for point, payload in found if not index.knows(point, _at(payload, field))}

    async def _fetch(self, container: str, index: IndexedContainer, points: Iterable[str]) -> None:
        wanted = sorted(points)
        for begin in range(0, len(wanted), PAGE):
            records = await self._ask(
                "retrieve", ids=wanted[begin : begin + PAGE], with_payload=True, with_vectors=True
            )
            found = ((self._read(record.payload, container), record.vector) for record in records)
            await self._take(index, [(each, vector) for each, vector in found if each is not None])

    async def _take(self, index: IndexedContainer, found: Sequence[tuple[StoredMemory, Any]]) -> None:
        if found:
            vectors = await asyncio.to_thread(_matrix, [vector for _, vector in found])
            await index.take_in_slices(await indexable([each for each, _ in found], vectors))

    async def _stored(
        self, container: str, filter: Filter, *, with_vectors: bool = False
    ) -> AsyncIterator[tuple[StoredMemory, Any]]:
        """The memories of a container that match, in no order. Container and filter are checked again here."""
        narrowed = condition(filter, self._shape.path, self._models).condition
        conditions = self._of(container, *([] if narrowed is None else [narrowed]))
        pace = Pace()
        async for record in self._scroll(conditions, with_payload=True, with_vectors=with_vectors):
            await pace.kept()
            stored = self._read(record.payload, container)
            if stored is not None and matches(filter, stored.memory.metadata):
                yield stored, record.vector

    async def _records(self, conditions: Any, fields: Any) -> AsyncIterator[tuple[str, Payload]]:
        async for record in self._scroll(conditions, with_payload=fields, with_vectors=False):
            yield str(record.id), record.payload or {}

    async def _scroll(self, conditions: Any, **wanted: Any) -> AsyncIterator[Any]:
        offset = None
        limit = 10**9 if self._connection.is_local else PAGE
        while True:
            records, offset = await self._ask("scroll", scroll_filter=conditions, limit=limit, offset=offset, **wanted)
            for record in records:
                yield record
            if offset is None:
                return

    async def _payloads(self, points: Sequence[str]) -> dict[str, Payload]:
        """Id of a point → its payload."""
        if not points:
            return {}
        records = await self._ask("retrieve", ids=[*points], with_payload=True, with_vectors=False)
        return {str(record.id): record.payload or {} for record in records}

    async def _count(self, conditions: Any) -> int:
        return int((await self._ask("count", count_filter=conditions, exact=True)).count)

    def _of(self, container: str, *conditions: Any) -> Any:
        """The filter of a container, and of more conditions."""
        match = self._models.MatchValue(value=container)
        its_own = self._models.FieldCondition(key=self._shape.container_field, match=match)
        return self._models.Filter(must=[its_own, *conditions])

    def _read(self, payload: Payload | None, container: str) -> StoredMemory | None:
        """The memory of a payload, if it is of this container."""
        stored = self._shape.read(payload) if payload else None
        return stored if stored is not None and stored.memory.container == container else None

    async def _ask(self, method: str, **arguments: Any) -> Any:
        return await self._connection.ask(method, collection_name=self._collection, **arguments)


def _by_container(names: Iterable[tuple[str, str]]) -> dict[str, list[str]]:
    found: dict[str, list[str]] = {}
    for container, id in names:
        found.setdefault(container, []).append(id)
    return found


def _own(memory: Memory) -> Memory:
    """A copy that a caller may do with what they like."""
    metadata = {key: list(value) if isinstance(value, list) else value for key, value in memory.metadata.items()}
    return memory.model_copy(update={"metadata": metadata})


def _types(memory: Memory) -> list[type]:
    """1 equals `True` and 1.0, but is stored otherwise."""
    return [type(value) for _, value in sorted(memory.metadata.items())]


def _at(payload: Payload, path: str) -> int:
    found: Any = payload
    for name in path.split("."):
        found = found.get(name, {})
    return found if isinstance(found, int) else 0


def _matrix(vectors: Sequence[Any]) -> Floats:
    return np.array([_dense(vector) for vector in vectors], np.float32)


def _dense(vector: Any) -> Any:
    """The unnamed vector of a point, which may have others."""
    return vector.get("", ()) if isinstance(vector, dict) else vector
