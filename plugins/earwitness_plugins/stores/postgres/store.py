"""The store `postgres`: what a host sees of it."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from functools import cached_property, partial
from typing import Annotated

from pydantic import Field, SecretStr

from earwitness.errors import StorageError, unknown
from earwitness.filters import EVERYTHING, Filter, matches
from earwitness.loading.resources import Resources
from earwitness.long_texts import aside
from earwitness.protocols import Embedder
from earwitness.records.backends import Health, TermHolders
from earwitness.records.memory import Hit, Memory
from earwitness.words import plain
from earwitness_plugins.embedders.fingerprint import Fingerprint, fingerprint_of
from earwitness_plugins.embedders.none import NoEmbedder
from earwitness_plugins.postgres import Connection, PostgresDatabase, PostgresWork, unprepared
from earwitness_plugins.ranking import FUSIONS, Fusion, RankingMethod, Reranker
from earwitness_plugins.ranking.vectors import embedded, work_on

from . import batches, embedder_change, fingerprint, reads, writes
from .conditions import JsonbCondition
from .health import examined
from .schema import COMPONENT, MIGRATIONS
from .search import (
    LARGE,
    FoundCandidates,
    FoundMemory,
    FoundScores,
    HybridQuery,
    KnownContainer,
    MemoryGone,
    ScoredRow,
    newest,
    ranked,
    scores,
    texts,
)
from .text import given, kept, kept_metadata, kept_terms
from .tokens import TokenCache
from .vectors import TYPE, as_halves, as_text
from .writes import PreparedRow

_MOST_KNOWN = 10_000
"""Of so many containers the numbers are remembered."""


class PostgresStore:
    """Memories in a PostgreSQL database with pgvector, searched by words and meaning inside one container.

    One `put` is one durable transaction over all its containers. Any number of processes and machines may use one
    database, and each sees at once what the others have written. No container moves the ranking of another: all counts
    are its own. `earwitness_plugins.ranking` ranks, as it does for the store `sqlite`.

    Args:
        dsn: a connection string of libpq's, such as `postgresql://user@localhost/stories`. What it leaves out comes
            from `PGHOST`, `PGPASSWORD` and their like, or from `~/.pgpass`.
        embedder: makes the vectors; its identity is kept in the database. `None` ranks by words only.
        resources: of one Earwitness instance, so that a ledger on the same database shares its connections.
        pool_size: the most connections of this process.
        timeout: seconds to wait for a connection, or for a server that is away.
        statement_timeout: seconds after which the server gives up a statement.
        fusion: `score`, or `rrf` (reciprocal ranks), which needs no comparable scores.
        rerank: whether to re-rank the best hits, if the embedder can.
    """

    def __init__(
        self,
        *,
        embedder: Embedder | None,
        resources: Resources,
        dsn: SecretStr | None = None,
        pool_size: Annotated[int, Field(ge=1)] = 8,
        timeout: Annotated[float, Field(gt=0)] = 5.0,
        statement_timeout: Annotated[float, Field(gt=0)] = 30.0,
        fusion: Fusion = "score",
        rerank: bool = True,
    ) -> None:
        if fusion not in FUSIONS:
            raise unknown("fusion", fusion, FUSIONS)
        self._database = PostgresDatabase.at(
            "" if dsn is None else dsn.get_secret_value(),
            resources,
            pool_size=pool_size,
            timeout=timeout,
            statement_timeout=statement_timeout,
        )
        self._embedder: Embedder = embedder or NoEmbedder()
        self._method = RankingMethod(fusion, embedder if rerank and isinstance(embedder, Reranker) else None)
        self._tokens = TokenCache(self._method.reranker)
        self._known: dict[str, KnownContainer] = {}
        """By name: the containers that were searched last, in that order."""
        self._vector_type = 0
        """The number of pgvector's type in this database."""
        self._is_open = False

    @property
    def database(self) -> PostgresDatabase:
        """The database; a ledger and a store with the same one share transactions."""
        return self._database

    @property
    def prepares_here(self) -> bool:
        """False with an embedder that says it is `remote`: a service may be slow or away."""
        return not getattr(self._embedder, "remote", False)

    async def open(self) -> None:
        """Connect, and make or migrate the tables. Raises `StorageError`, or `EmbedderMismatch`."""
        if self._is_open:
            return
        await self._database.open(COMPONENT, MIGRATIONS)
        try:
            if await self._database.read(fingerprint.stored) != self._fingerprint:
                claim = partial(fingerprint.claim, label=self._database.label, ours=self._fingerprint)
                await self._database.write(claim, repeatable=True)
            ((self._vector_type,),) = await self._database.rows(TYPE)
        except BaseException:
            await self._database.close()
            raise
        self._is_open = True

    async def unprepared(self) -> Health | None:
        """The tables that `open` would make or migrate; see `earwitness.extras.PreparedBackend`."""
        return await unprepared(self._database, COMPONENT, MIGRATIONS, needs_vector=True)

    async def close(self) -> None:
        """Release everything. May be called again."""
        if self._is_open:
            self._is_open = False
            await self._database.close()

    async def put(self, memories: Sequence[Memory]) -> None:
        """Write or replace by (container, id): durable on return, all or nothing. Of one id twice, the last counts."""
        if memories:
            await self._put(memories, back=False)

    async def prepared(self, memories: Sequence[Memory]) -> PostgresWork[None]:
        """What `put` would write, as work for a transaction of this database."""
        prepared = await self._prepared(memories)
        operation = self._writing(prepared, back=False)

        async def whole(connection: Connection) -> None:
            if not await batches.write_new(connection, prepared, self._fingerprint, self._vector_type):
                await connection.execute(fingerprint.SHARE)
                await operation(connection)

        return whole

    async def put_back(self, memories: Sequence[Memory]) -> None:
        """As `put`; but what was removed before takes the place it had."""
        if memories:
            await self._put(memories, back=True)

    async def remove(self, ids: Mapping[str, Sequence[str]]) -> None:
        """Remove by container name → ids. Unknown ids are ignored."""
        if any(ids.values()):
            await self._database.write(partial(writes.remove, ids=ids), repeatable=True)

    async def get(self, container: str, ids: Sequence[str]) -> Sequence[Memory]:
        """Those of the ids that exist in this container, in the order asked."""
        rows = await self._database.rows(reads.GET, {"container": kept(container), "ids": [kept(id) for id in ids]})
        found = {memory.id: memory for memory in (reads.memory(container, FoundMemory(*row)) for row in rows)}
        return [found[id] for id in ids if id in found]

    async def list(
        self, container: str, *, filter: Filter = EVERYTHING, limit: int | None = None, offset: int = 0
    ) -> Sequence[Memory]:
        """Memories in the order they were first written."""
        condition = JsonbCondition(filter)
        begin, end = max(offset, 0), None if limit is None else max(offset, 0) + max(limit, 0)
        page = {"limit": None if limit is None else max(limit, 0), "offset": begin} if condition.is_whole else reads.ALL
        statement = reads.LIST.format(condition=condition.text)
        rows = await self._database.rows(statement, {"container": kept(container), **condition.parameters, **page})
        found = [reads.memory(container, FoundMemory(*row)) for row in rows]
        found = [each for each in found if matches(filter, each.metadata)]
        return found if condition.is_whole else found[begin:end]

    async def search(
        self, container: str, query: str, *, filter: Filter = EVERYTHING, limit: int = 10
    ) -> Sequence[Hit]:
        """The best hits, best first; ties by id."""
        if limit <= 0:
            return []
        text = plain(query)
        vector = as_text((await embedded(self._embedder, [text]))[0])
        asked = HybridQuery(text, vector, self._embedder.identity.dimension, limit)
        condition = await self._condition(container, filter)
        best = await (self._newest if asked.is_empty else self._ranked)(container, asked, condition)
        hits = [
            Hit.unchecked({"memory": reads.memory(container, row), "score": score, "parts": parts})
            for row, score, parts in best
        ]
        return [hit for hit in hits if matches(filter, hit.memory.metadata)]

    async def holders(self, container: str, terms: Sequence[str]) -> TermHolders:
        """Who holds each of these terms; see `earwitness.extras.TermIndex`."""
        given_terms = {"container": kept(container), "terms": [kept(term) for term in dict.fromkeys(terms)]}
        rows = await self._database.rows(reads.HOLDERS, given_terms)
        count = rows[0][0] if rows else 0
        ids = {given(term): tuple(map(given, its)) for _, term, its in rows if term is not None}
        return TermHolders(count=count, ids={term: ids.get(term, ()) for term in terms})

    async def count(self, container: str) -> int:
        """How many memories the container holds."""
        rows = await self._database.rows(reads.COUNT, {"container": kept(container)})
        return int(rows[0][0]) if rows else 0

    async def drop(self, container: str) -> None:
        """Remove the container and everything in it."""
        await self._database.write(partial(writes.drop, name=container), repeatable=True)

    async def branch(self, containers: Mapping[str, str], without: Mapping[str, Sequence[str]]) -> None:
        """Make new containers that hold what others hold, without some memories: see `BranchingStore`."""

        async def operation(connection: Connection) -> None:
            await self._check(connection)
            for name, new_name in containers.items():
                await writes.branch(connection, name, new_name, without.get(name, ()))

        await self._database.write(operation, repeatable=True)

    async def placed(self, container: str, ids: Sequence[str]) -> Sequence[str]:
        """Those of the ids whose place in the container is known; see `earwitness.extras.PlacedStore`."""
        rows = await self._database.rows(reads.PLACED, {"container": kept(container), "ids": [kept(id) for id in ids]})
        known = {given(id) for (id,) in rows}
        return [id for id in ids if id in known]

    async def health(self) -> Health:
        """Versions, permissions, counts, sizes and latency. Not `ok` when the server is away, or cannot be used."""
        try:
            return await self._database.read(examined)
        except StorageError as error:
            return Health(ok=False, details={"problem": str(error)})

    async def reembed(self) -> int:
        """Make all vectors of the database again with this store's embedder; returns how many memories there are.

        For a database that `open` refuses with `EmbedderMismatch`; `open` it afterwards. Nothing changes until every
        vector is made, and an interrupted run goes on where it stopped. Raises what `open` raises, except the mismatch.
        """
        await self._database.open(COMPONENT, MIGRATIONS)
        try:
            return await embedder_change.reembed(self._database, self._embedder)
        finally:
            await self._database.close()

    @cached_property
    def _fingerprint(self) -> Fingerprint:
        return fingerprint_of(self._embedder.identity)

    async def _check(self, connection: Connection) -> None:
        await fingerprint.check(connection, self._database.label, self._fingerprint)

    async def _put(self, memories: Sequence[Memory], *, back: bool) -> None:
        prepared = await self._prepared(memories)
        new = partial(batches.write_new, memories=prepared, made_with=self._fingerprint, vector_type=self._vector_type)
        if not back and await self._database.write_at_once(new):
            return
        operation = self._writing(prepared, back=back)
        await self._database.write(operation, repeatable=True, first=fingerprint.SHARE)

    def _writing(self, prepared: Sequence[PreparedRow], *, back: bool) -> PostgresWork[None]:
        """What writes them, once `fingerprint.SHARE` has run."""

        async def operation(connection: Connection) -> None:
            containers = await writes.locked(connection, (each.container for each in prepared))
            fingerprint.require(containers.made_with, self._database.label, self._fingerprint)
            await writes.put(connection, prepared, containers, back=back)

        return operation

    async def _prepared(self, memories: Iterable[Memory]) -> Sequence[PreparedRow]:
        """All work that needs no transaction. Copies of one text share it."""
        memories = list({(each.container, each.id): each for each in memories}.values())
        plains = {content: plain(content) for content in dict.fromkeys(memory.content for memory in memories)}
        different = list(dict.fromkeys(plains.values()))
        vectors = await embedded(self._embedder, different)
        words = await aside(work_on(different), lambda: [kept_terms(text) for text in different])
        made = {text: (its, as_halves(vector)) for text, its, vector in zip(different, words, vectors, strict=True)}
        return [
            PreparedRow(
                kept(each.container),
                kept(each.id),
                kept(each.content),
                kept_metadata(each.metadata),
                *made[plains[each.content]],
            )
            for each in memories
        ]

    async def _condition(self, container: str, filter: Filter) -> JsonbCondition:
        """The filter for the server. One that is too large is answered here, and its answer is what may be found."""
        condition = JsonbCondition(filter)
        if not condition.is_whole:
            found = await self.list(container, filter=filter)
            condition.text, condition.parameters = "m.id = ANY(%(f0)s)", {"f0": [kept(each.id) for each in found]}
        return condition

    async def _newest(self, container: str, query: HybridQuery, condition: JsonbCondition) -> Sequence[ScoredRow]:
        """What a query without words and meaning finds."""
        return newest(await self._database.rows(*query.statement(kept(container), condition, None)))

    async def _ranked(self, container: str, query: HybridQuery, condition: JsonbCondition) -> Sequence[ScoredRow]:
        """The best. In a large container not all vectors are compared, which takes a transaction with settings."""
        known = self._known.get(container)
        search = partial(self._searched, container=container, query=query, condition=condition, known=known)
        is_large = known is not None and known.is_large
        found: Sequence[ScoredRow] | None = await self._database.read(search, one_state=is_large)
        if found is None:
            found = await self._database.read(search)
        return found or []

    async def _searched(
        self,
        connection: Connection,
        container: str,
        query: HybridQuery,
        condition: JsonbCondition,
        known: KnownContainer | None,
    ) -> Sequence[ScoredRow] | None:
        """The best; `None` if one of them was removed before it was read."""
        if known is not None and known.is_large:
            await connection.execute(LARGE)
        found = await scores(connection, *query.statement(kept(container), condition, known))
        if known is not None and (found is None or found.container != known.number):
            # somebody has dropped it, and perhaps made it anew
            found = await scores(connection, *query.statement(kept(container), condition, None))
        self._remember(container, found)
        if found is None:
            return []
        candidates = FoundCandidates.of(found, self._tokens)
        try:
            return await ranked(candidates, query, self._method, partial(texts, connection, found.container))
        except MemoryGone:
            return None

    def _remember(self, container: str, found: FoundScores | None) -> None:
        self._known.pop(container, None)
        if found is not None:
            self._known[container] = KnownContainer(found.container, found.held > writes.EXACT)
        if len(self._known) > _MOST_KNOWN:
            del self._known[next(iter(self._known))]
