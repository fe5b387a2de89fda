"""Batches in the store on a PostgreSQL server: one statement where all is new, and what others do meanwhile."""

import asyncio
from collections.abc import AsyncIterator
from typing import Any

import numpy as np
import pytest
from psycopg import AsyncConnection
from pydantic import SecretStr

from earwitness.errors import EmbedderMismatch
from earwitness.loading.resources import Resources
from earwitness.testing.samples import memory
from earwitness_plugins.postgres import Connection, PostgresWork
from earwitness_plugins.stores.postgres import PostgresStore, fingerprint, vectors, writes
from earwitness_plugins.testing.postgres import PostgresServer

pytestmark = pytest.mark.anyio


def made(dsn: str) -> PostgresStore:
    return PostgresStore(dsn=SecretStr(dsn), embedder=None, resources=Resources(), timeout=60)


@pytest.fixture
async def store(postgres_dsn: str) -> AsyncIterator[PostgresStore]:
    store = made(postgres_dsn)
    await store.open()
    yield store
    await store.close()


async def test_a_batch_of_new_memories_is_one_way_to_the_server(
    store: PostgresStore, monkeypatch: pytest.MonkeyPatch
) -> None:
    """What is there already takes more ways, and is replaced."""
    await store.put([memory("a", "m0", "The first."), memory("b", "m0", "The first.")])
    asked: list[object] = []
    execute = AsyncConnection.execute

    async def counted(self: Connection, query: Any, *given: Any, **options: Any) -> Any:
        asked.append(query)
        return await execute(self, query, *given, **options)

    monkeypatch.setattr(AsyncConnection, "execute", counted)
    await store.put([memory(name, f"m{n}", f"A sword, and number {n}.") for n in (2, 1, 3) for name in "ba"])
    assert len(asked) == 1
    await store.put([memory("a", "m4", "A shield."), memory("a", "m1", "No blade any more.")])
    assert len(asked) > 2
    monkeypatch.undo()
    assert [each.id for each in await store.list("a")] == ["m0", "m2", "m1", "m3", "m4"]
    assert {hit.memory.id for hit in await store.search("a", "swords")} >= {"m2", "m3"}
    assert (await store.holders("a", ["sword", "shield"])).ids == {"sword": ("m2", "m3"), "shield": ("m4",)}
    assert await counted_and_found(store) == [("a", 5, 5, 18, 18, 18), ("b", 4, 4, 17, 17, 17)]


async def counted_and_found(store: PostgresStore) -> list[tuple[Any, ...]]:
    """Container, memories counted and found, words counted, and found in both tables."""
    return await store.database.rows(
        """SELECT c.name, c.memories, (SELECT count(*) FROM earwitness.memory m WHERE m.container = c.number),
            c.words, (SELECT sum(m.words) FROM earwitness.memory m WHERE m.container = c.number),
            (SELECT sum(w.times) FROM earwitness.memory_word w WHERE w.container = c.number)
        FROM earwitness.memory_container c ORDER BY c.name"""
    )


async def test_writers_of_the_same_memories_at_once_write_them_once(postgres_dsn: str) -> None:
    """And one that replaces another's, whoever comes first, leaves no count or word of both."""
    stores = [made(postgres_dsn) for _ in range(4)]
    for store in stores:
        await store.open()
    await stores[0].put([memory(name, "m", "The first.") for name in "abc"])
    for n in range(8):
        batch = [memory(name, f"m{n}", f"the word {n}") for name in "abc"]
        other = [memory(name, f"m{n}", "another one") for name in "cb"]
        given = (batch, batch[::-1], other, [memory("a", f"x{n}", "its own")])
        await asyncio.gather(*(store.put(each) for store, each in zip(stores, given, strict=True)))
    for _, *counts in await counted_and_found(stores[0]):
        memories, found, *words = counts
        assert memories == found
        assert len({*words}) == 1
    assert [await stores[0].count(name) for name in "abc"] == [17, 9, 9]
    for store in stores:
        await store.close()


async def test_a_server_that_reads_only_and_repeats_reads_by_default_is_written_to(
    new_postgres_dsn: str, postgres: PostgresServer
) -> None:
    """A statement outside a transaction takes no default of the server's."""
    stores = [made(new_postgres_dsn) for _ in range(2)]
    name = stores[0].database.label.partition(" at ")[0]
    for setting in ("default_transaction_read_only = on", "default_transaction_isolation = 'serializable'"):
        postgres.execute(f"ALTER DATABASE {name} SET {setting}")
    for store in stores:
        await store.open()
    await stores[0].put([memory("c", "m", "The first.")])
    for n in range(5):
        await asyncio.gather(*(store.put([memory("c", f"m{n}", "the word")]) for store in stores))
    assert await stores[0].count("c") == 6
    for store in stores:
        await store.close()


async def test_a_container_that_is_dropped_before_a_batch_is_locked_is_made_anew(store: PostgresStore) -> None:
    await store.put([memory("c", "old")])

    async def drop(connection: Connection) -> None:
        await writes.drop(connection, "c")

    put = await put_meanwhile(store, drop)
    await put
    assert [each.id for each in await store.list("c")] == ["new"]
    assert await store.database.rows("SELECT count(*) FROM earwitness.memory") == [(1,)]


async def test_an_embedder_that_changes_before_a_batch_is_written_refuses_it(store: PostgresStore) -> None:
    await store.put([memory("c", "old")])

    async def change(connection: Connection) -> None:
        await fingerprint.lock(connection)
        await connection.execute("UPDATE earwitness.memory_fact SET value = '0' WHERE name = 'words'")

    put = await put_meanwhile(store, change)
    with pytest.raises(EmbedderMismatch):
        await put
    assert await store.count("c") == 1


async def put_meanwhile(store: PostgresStore, work: PostgresWork[None]) -> asyncio.Task[None]:
    """Write a new memory, which has to wait until a transaction that has done some work ends."""

    async def whole(connection: Connection) -> asyncio.Task[None]:
        await work(connection)
        put = asyncio.create_task(store.put([memory("c", "new")]))
        waiting = "SELECT FROM pg_locks WHERE NOT granted AND pg_backend_pid() = ANY(pg_blocking_pids(pid))"
        async with asyncio.timeout(30):
            while not await (await connection.execute(waiting)).fetchall():  # noqa: ASYNC110 - the server tells nobody
                await asyncio.sleep(0.01)
        return put

    return await store.database.write(whole)


async def test_vectors_sent_as_bytes_are_those_sent_as_text(store: PostgresStore) -> None:
    """Also the smallest and largest numbers, a vector of zeros, and none at all."""
    numbers = np.random.default_rng(0).standard_normal((3, 256)).astype(np.float32)
    numbers[0, :4], numbers[2] = (65504, -65504, 6e-8, -0.0), 0
    halves = [vectors.as_halves(each) for each in numbers]
    assert [each is None for each in halves] == [False, False, True]

    async def same(connection: Connection) -> list[Any]:
        vectors.take_binary(connection)
        ((type,),) = await (await connection.execute(vectors.TYPE)).fetchall()
        found = []
        for sent in (halves, []):
            given = (vectors.BinaryArray.of(sent, type), vectors.text_array(sent))
            found += await (await connection.execute("SELECT %s::halfvec[] = %s::halfvec[]", given)).fetchone() or ()
        return found

    assert await store.database.read(same) == [True, True]
    expected = f"[{','.join(f'{number:.5g}' for number in numbers[1].astype(np.float16).tolist())}]"
    assert vectors.as_text(numbers[1]) == expected
