"""The store `sqlite`: what a host sees of it."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import cached_property, partial
from typing import TypeVar

import apsw

from earwitness.errors import StorageError, unknown
from earwitness.filters import EVERYTHING, Filter
from earwitness.loading.resources import Resources
from earwitness.protocols import Embedder, Health
from earwitness.records.memory import Hit, Memory
from earwitness.words import plain
from earwitness_plugins.embedders.none import NoEmbedder
from earwitness_plugins.ranking import FUSIONS, Fusion, RankingMethod, Reranker
from earwitness_plugins.ranking.vectors import embedded, packed
from earwitness_plugins.sqlite import Database

from . import facts, reading, reembedding, writing
from .health import examined
from .schema import COMPONENT, MIGRATIONS
from .searching import Question, View, search
from .segments import indexed_words
from .snapshots import Snapshots
from .writing import Prepared

T = TypeVar("T")
Found = list[T]  # the class below has a method named `list`
_MEGABYTE = 2**20
_SHORT = 600
"""Characters of a question that is soon looked up, …"""
_SHORT_LIST = 100
"""… and hits that are soon fetched."""
_JSON = json.JSONEncoder(ensure_ascii=False, separators=(",", ":"))


class SqliteStore:
    """Memories in one SQLite file, searched by words and meaning inside one container.

    One `put` is one durable transaction over all its containers. Several processes may use one file: each sees at once
    what the others have written. Nothing a container holds moves the ranking of another, for all counts are its own.

    Scores are fused from BM25 and cosine and, if the embedder has `maxsim`, the best 50 are ranked again; a message is
    lifted towards a better one just before or after it. `Hit.parts` has `words`, `meaning`, `rerank` and, where it
    lifted, `context`, each from 0 to 1. Every hit shares a word or some meaning with the query; an empty query finds
    the newest memories, with score 0.

    Args:
        path: the file, made when it is missing; `:memory:` for one that ends with the store.
        embedder: makes the vectors; its identity is kept in the file. One that takes long should answer an awaitable.
            `None` ranks by words only.
        resources: of one Earwitness instance: a ledger on the same path shares the connection.
        fusion: `score`, or `rrf` (reciprocal ranks), which needs no comparable scores.
        rerank: whether to rank the best hits again.
        cache_mb: how many megabytes of containers to keep in memory.
    """

    def __init__(
        self,
        *,
        path: str,
        embedder: Embedder | None,
        resources: Resources,
        fusion: Fusion = "score",
        rerank: bool = True,
        cache_mb: int = 256,
    ) -> None:
        if fusion not in FUSIONS:
            raise unknown("fusion", fusion, FUSIONS)
        self._database = Database.at(path, resources)
        self._embedder: Embedder = embedder or NoEmbedder()
        self._method = RankingMethod(fusion, embedder if rerank and isinstance(embedder, Reranker) else None)
        self._cache_bytes = cache_mb * _MEGABYTE
        self._snapshots: Snapshots | None = None

    async def open(self) -> None:
        """Open or create the file. Raises `StorageError`, such as `EmbedderMismatch` for vectors of another one."""
        if self._snapshots is not None:
            return
        await self._database.open(COMPONENT, MIGRATIONS)
        try:
            if await self._database.read(facts.made_with) != self._making:
                await self._database.write(
                    lambda connection: facts.claim(connection, self._database.path, self._making)
                )
        except BaseException:
            await self._database.close()
            raise
        self._snapshots = Snapshots(self._embedder.identity.dimension, self._cache_bytes, self._check)

    async def close(self) -> None:
        """Release everything; again is fine."""
        if self._snapshots is not None:
            self._snapshots = None
            await self._database.close()

    async def put(self, memories: Sequence[Memory]) -> None:
        """Write or replace by (container, id): durable on return, all or nothing. Of one id twice the last counts."""
        if not memories:
            return
        prepared = await self._prepared({(memory.container, memory.id): memory for memory in memories}.values())

        def operation(connection: apsw.Connection) -> None:
            self._check(connection)
            writing.put(connection, prepared)

        await self._database.write(operation)

    async def remove(self, ids: Mapping[str, Sequence[str]]) -> None:
        """Remove by container name → ids; unknown ids are fine."""
        if any(ids.values()):
            await self._database.write(lambda connection: writing.remove(connection, ids))

    async def get(self, container: str, ids: Sequence[str]) -> Sequence[Memory]:
        """Those of the ids that exist in this container, in the order asked."""
        return await self._database.read(lambda connection: reading.get(connection, container, ids))

    async def list(
        self, container: str, *, filter: Filter = EVERYTHING, limit: int | None = None, offset: int = 0
    ) -> Sequence[Memory]:
        """Memories in the order they were first written."""
        if filter == EVERYTHING:
            return await self._database.read(lambda connection: reading.page(connection, container, limit, offset))
        return await self._looking_at(container, lambda view: _page(view, filter, limit, offset))

    async def search(
        self, container: str, query: str, *, filter: Filter = EVERYTHING, limit: int = 10
    ) -> Sequence[Hit]:
        """The best hits, best first; ties by id."""
        text = plain(query)
        question = Question(text, (await embedded(self._embedder, [text]))[0])
        method = self._method
        short = len(text) <= _SHORT and limit <= _SHORT_LIST
        return await self._looking_at(
            container, lambda view: search(view, question, filter, limit, method), short=short
        )

    async def count(self, container: str) -> int:
        """How many memories the container holds."""
        return await self._database.read(lambda connection: reading.count(connection, container))

    async def drop(self, container: str) -> None:
        """Remove the container and everything in it."""
        await self._database.write(lambda connection: writing.drop(connection, container))

    async def health(self) -> Health:
        """Versions, sizes, counts and integrity; not `ok` when the file is damaged."""
        try:
            return await self._database.read(examined)
        except StorageError as error:
            return Health(ok=False, details={"problem": str(error)})

    async def reembed(self) -> int:
        """Make all vectors of the file anew with this store's embedder; returns how many memories there are.

        For a file that `open` refuses with `EmbedderMismatch`; afterwards `open` it. Nothing changes until every vector
        is made; what was interrupted is taken up where it stopped. Raises what `open` raises, but for the mismatch.
        """
        await self._database.open(COMPONENT, MIGRATIONS)
        try:
            return await reembedding.reembed(self._database, self._embedder)
        finally:
            await self._database.close()

    @cached_property
    def _making(self) -> facts.Making:
        return facts.making(self._embedder.identity)

    def _check(self, connection: apsw.Connection) -> None:
        facts.check(connection, self._database.path, self._making)

    async def _prepared(self, memories: Iterable[Memory]) -> Found[Prepared]:
        """Everything that needs no transaction. What says the same in several containers is worked out once."""
        memories = list(memories)
        texts = {content: plain(content) for content in dict.fromkeys(memory.content for memory in memories)}
        different = list(dict.fromkeys(texts.values()))
        vectors = await embedded(self._embedder, different)
        made = {text: (indexed_words(text), packed(vector)) for text, vector in zip(different, vectors, strict=True)}
        return [
            Prepared(each.container, each.id, each.content, _JSON.encode(each.metadata), *made[texts[each.content]])
            for each in memories
        ]

    async def _looking_at(self, container: str, look: Callable[[View], Found[T]], *, short: bool = False) -> Found[T]:
        """`short` when looking at a small container is so soon done that it needs no thread."""
        snapshots = self._snapshots
        if snapshots is None:
            raise StorageError(f"the store {self._database.path!r} is not open. Call `open` first.")

        def operation(connection: apsw.Connection, *, at_hand: bool = False) -> Found[T]:
            with snapshots.using(connection, container, at_hand=at_hand) as snapshot:
                return look(View(container, connection, snapshot)) if snapshot else []

        if short and snapshots.at_hand(container):
            return await self._database.glance(partial(operation, at_hand=True), operation)
        return await self._database.read(operation)


def _page(view: View, filter: Filter, limit: int | None, offset: int) -> list[Memory]:
    positions = view.snapshot.positions[view.rows(filter)]
    end = None if limit is None else max(offset, 0) + max(limit, 0)
    chosen: list[int] = positions[max(offset, 0) : end].tolist()
    return reading.memories_at(view.connection, view.name, view.snapshot.number, chosen)
