"""The store `sqlite`: what a host sees of it."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from functools import cached_property, partial
from typing import TypeVar

import apsw

from earwitness.copies.long_lists import LatestText, ListTexts
from earwitness.errors import StorageError, unknown
from earwitness.filters import EVERYTHING, Filter
from earwitness.loading.resources import Resources
from earwitness.long_texts import aside
from earwitness.protocols import Embedder
from earwitness.records.backends import Health, TermHolders
from earwitness.records.memory import Hit, Memory
from earwitness.records.memory_types import Metadata
from earwitness.words import plain
from earwitness_plugins.embedders.fingerprint import Fingerprint, fingerprint_of
from earwitness_plugins.embedders.none import NoEmbedder
from earwitness_plugins.ranking import FUSIONS, Fusion, RankingMethod, Reranker
from earwitness_plugins.ranking.vectors import embedded, packed, work_on
from earwitness_plugins.sqlite import Database, Transaction, WouldBlock

from . import branches, embedder_change, fingerprint, memories, writes
from .health import examined
from .index_cache import IndexCache
from .page import Page
from .schema import COMPONENT, MIGRATIONS
from .search import NO_CONNECTION, SearchQuery, View, holders, search
from .segments import indexed_words
from .shared import Text, Words
from .writes import PreparedMemory

T = TypeVar("T")
Found = list[T]  # the class below has a method named `list`
_MEGABYTE = 2**20
_SHORT = 600
"""A query of up to this many characters is quickly answered, …"""
_SHORT_LIST = 100
"""… and this many hits are quickly fetched."""
_JSON = json.JSONEncoder(ensure_ascii=False, separators=(",", ":"))


class SqliteStore:
    """Memories in one SQLite file, searched by words and meaning inside one container.

    One `put` is one durable transaction over all its containers. Several processes may use one file, and each sees at
    once what the others have written. No container moves the ranking of another: all counts are its own.

    `earwitness_plugins.ranking` ranks: BM25 and cosines are fused, messages are lifted towards better ones beside them
    and, if the embedder has `maxsim`, the best 50 are re-ranked. `Hit.parts` has `words`, `meaning`, `rerank` and,
    where a neighbour lifted the hit, `context`, each from 0 to 1. Every hit shares a word or some meaning with the
    query; an empty query finds the newest memories, with score 0.

    Args:
        path: the file, made when it is missing; `:memory:` for one that is gone after `close`.
        embedder: makes the vectors; its identity is kept in the file. A slow one should answer an awaitable. `None`
            ranks by words only.
        resources: of one Earwitness instance, so that a ledger on the same path shares the database.
        fusion: `score`, or `rrf` (reciprocal ranks), which needs no comparable scores.
        rerank: whether to re-rank the best hits.
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
        self._cache: IndexCache | None = None
        self._latest_lists = LatestText()

    @property
    def database(self) -> Database:
        """The file; a ledger and a store with the same one share their transactions' order."""
        return self._database

    @property
    def prepares_here(self) -> bool:
        """False with an embedder that says it is `remote`: a service may be slow or away."""
        return not getattr(self._embedder, "remote", False)

    async def open(self) -> None:
        """Open or create the file. Raises `StorageError`, or `EmbedderMismatch` for vectors of another embedder."""
        if self._cache is not None:
            return
        await self._database.open(COMPONENT, MIGRATIONS)
        try:
            if await self._database.read(fingerprint.stored) != self._fingerprint:
                await self._database.write(
                    lambda connection: fingerprint.claim(connection, self._database.path, self._fingerprint)
                )
        except BaseException:
            await self._database.close()
            raise
        self._cache = IndexCache(self._embedder.identity.dimension, self._cache_bytes, self._check)

    async def close(self) -> None:
        """Release everything. May be called again."""
        if self._cache is not None:
            self._cache = None
            await self._database.close()

    async def put(self, memories: Sequence[Memory]) -> None:
        """Write or replace by (container, id): durable on return, all or nothing. Of one id twice, the last counts."""
        if memories:
            await self._database.write(await self.prepared(memories))

    async def prepared(self, memories: Sequence[Memory]) -> Transaction[None]:
        """What `put` would write, as work for a transaction of this database."""
        prepared = await self._prepared({(memory.container, memory.id): memory for memory in memories}.values())

        def operation(connection: apsw.Connection) -> None:
            self._check(connection)
            writes.put(connection, prepared)

        return operation

    async def remove(self, ids: Mapping[str, Sequence[str]]) -> None:
        """Remove by container name → ids. Unknown ids are ignored."""
        if any(ids.values()):
            await self._database.write(lambda connection: writes.remove(connection, ids))

    async def get(self, container: str, ids: Sequence[str]) -> Sequence[Memory]:
        """Those of the ids that exist in this container, in the order asked."""
        return await self._database.read(lambda connection: memories.get(connection, container, ids))

    async def list(
        self, container: str, *, filter: Filter = EVERYTHING, limit: int | None = None, offset: int = 0
    ) -> Sequence[Memory]:
        """Memories in the order they were first written."""
        if filter == EVERYTHING:
            return await self._database.read(lambda connection: memories.page(connection, container, limit, offset))
        cache, page = self._opened(), Page(container, filter, limit, offset)
        read, few = partial(page.read, cache), partial(page.read_few, cache)
        if cache.is_quick(container):
            return await self._database.read_inline(few, read)
        return await self._database.read(read)

    async def search(
        self, container: str, query: str, *, filter: Filter = EVERYTHING, limit: int = 10
    ) -> Sequence[Hit]:
        """The best hits, best first; ties by id."""
        text = plain(query)
        asked = SearchQuery(text, (await embedded(self._embedder, [text]))[0])
        method = self._method
        short = len(text) <= _SHORT and limit <= _SHORT_LIST
        return await self._looking_at(
            container, lambda view: search(view, asked, filter, limit, method), [], short=short
        )

    async def holders(self, container: str, terms: Sequence[str]) -> TermHolders:
        """Who holds each of these terms; see `earwitness.extras.TermIndex`."""
        nobody = TermHolders(count=0, ids=dict.fromkeys(terms, ()))
        return await self._looking_at(container, lambda view: holders(view, terms), nobody)

    async def count(self, container: str) -> int:
        """How many memories the container holds."""
        return await self._database.read(lambda connection: memories.count(connection, container))

    async def drop(self, container: str) -> None:
        """Remove the container and everything in it."""
        await self._database.write(lambda connection: writes.drop(connection, container))

    async def branch(self, containers: Mapping[str, str], without: Mapping[str, Sequence[str]]) -> None:
        """Make new containers that hold what others hold, without some memories: see `BranchingStore`."""

        def operation(connection: apsw.Connection) -> None:
            self._check(connection)
            for name, new_name in containers.items():
                branches.branch(connection, name, new_name, without.get(name, ()))

        await self._database.write(operation)

    async def placed(self, container: str, ids: Sequence[str]) -> Sequence[str]:
        """Those of the ids whose place in the container is known; see `earwitness.extras.PlacedStore`."""
        return await self._database.read(lambda connection: writes.placed(connection, container, ids))

    async def put_back(self, memories: Sequence[Memory]) -> None:
        """As `put`; but what was removed before takes the place it had."""
        prepared = await self._prepared(memories)

        def operation(connection: apsw.Connection) -> None:
            self._check(connection)
            writes.put_back(connection, prepared)

        await self._database.write(operation)

    async def health(self) -> Health:
        """Versions, sizes, counts and integrity. Not `ok` when the file is damaged."""
        try:
            return await self._database.read(examined)
        except StorageError as error:
            return Health(ok=False, details={"problem": str(error)})

    async def reembed(self) -> int:
        """Make all vectors of the file again with this store's embedder; returns how many memories there are.

        For a file that `open` refuses with `EmbedderMismatch`; `open` it afterwards. Nothing changes until every vector
        is made, and an interrupted run goes on where it stopped. Raises what `open` raises, except the mismatch.
        """
        await self._database.open(COMPONENT, MIGRATIONS)
        try:
            return await embedder_change.reembed(self._database, self._embedder)
        finally:
            await self._database.close()

    @cached_property
    def _fingerprint(self) -> Fingerprint:
        return fingerprint_of(self._embedder.identity)

    def _check(self, connection: apsw.Connection) -> None:
        fingerprint.check(connection, self._database.path, self._fingerprint)

    async def _prepared(self, memories: Iterable[Memory]) -> Found[PreparedMemory]:
        """All work that needs no transaction. Copies of one text share it."""
        memories, lists = list(memories), ListTexts(self._latest_lists)
        plains = {content: plain(content) for content in dict.fromkeys(memory.content for memory in memories)}
        different = list(dict.fromkeys(plains.values()))
        vectors = await embedded(self._embedder, different)
        indexed = await aside(work_on(different), lambda: [indexed_words(text) for text in different])
        words = {
            text: Words(its_words, packed(vector))
            for text, its_words, vector in zip(different, indexed, vectors, strict=True)
        }
        return [
            PreparedMemory(each.container, each.id, text, words[plains[each.content]])
            for each, text in zip(memories, _texts(memories, lists), strict=True)
        ]

    async def _looking_at(self, container: str, look: Callable[[View], T], nothing: T, *, short: bool = False) -> T:
        """What `look` finds in a container, or `nothing` where there is none.

        `short` if it takes so little time in a small container that it needs no thread.
        """
        cache = self._opened()

        def operation(connection: apsw.Connection, *, inline: bool = False) -> T:
            with cache.using(connection, container, inline=inline) as index:
                return look(View(container, connection, index)) if index else nothing

        def peek(connection: apsw.Connection) -> T:
            return cache.peek(connection, container, lambda index: look(View(container, NO_CONNECTION, index)))

        if short and cache.is_quick(container):
            with suppress(WouldBlock):
                return await self._database.peek(peek)
            return await self._database.read_inline(partial(operation, inline=True), operation)
        return await self._database.read(operation)

    def _opened(self) -> IndexCache:
        if self._cache is None:
            raise StorageError(f"the store {self._database.path!r} is not open. Call `open` first.")
        return self._cache


def _texts(memories: Iterable[Memory], lists: ListTexts) -> Iterator[Text]:
    """Their texts. Most copies of a message say what the one before says."""
    before: Memory | None = None
    text = Text("", "", None)
    for each in memories:
        if before is None or each.content != before.content or not _is_same(each.metadata, before.metadata):
            text = _text(each, lists)
        yield text
        before = each


def _is_same(one: Metadata, other: Metadata) -> bool:
    """Whether they are stored as the same text: 1 is not `True` there, and the keys have an order."""
    if one is other:
        return True
    types = ([type(value) for value in each.values()] for each in (one, other))
    return one == other and list(one) == list(other) and next(types) == next(types)


def _text(memory: Memory, lists: ListTexts) -> Text:
    metadata, its_lists = lists.taken(memory.metadata)
    return Text(memory.content, _JSON.encode(metadata), its_lists)


def _positions(view: View, filter: Filter, limit: int | None, offset: int) -> list[int]:
    """Positions of the memories that match, in the order they were first written."""
    positions = view.index.positions[view.rows(filter)]
    end = None if limit is None else max(offset, 0) + max(limit, 0)
    chosen: list[int] = positions[max(offset, 0) : end].tolist()
    return chosen
