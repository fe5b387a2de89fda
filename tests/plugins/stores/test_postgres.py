"""The store on a PostgreSQL server, beyond the contract of stores."""

import asyncio
import random
import signal
import subprocess
import sys
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

import pytest
from pydantic import SecretStr

from earwitness.errors import EmbedderMismatch, StorageError
from earwitness.filters import Compare, Not, equals, matches
from earwitness.loading.resources import Resources
from earwitness.records.memory import Memory
from earwitness.testing.samples import memory
from earwitness_plugins.embedders.static import StaticEmbedder
from earwitness_plugins.ledgers.postgres import PostgresLedger
from earwitness_plugins.postgres import Connection, PostgresDatabase
from earwitness_plugins.stores.postgres import PostgresStore, search, writes
from earwitness_plugins.stores.postgres.schema import COMPONENT, MIGRATIONS
from earwitness_plugins.stores.sqlite import SqliteStore
from earwitness_plugins.testing.postgres import PostgresServer

pytestmark = pytest.mark.anyio
EMBEDDER = StaticEmbedder()
TALK = "the sword cave dragon gold tavern night bread river king alice bob promised stole sleeps sings crown".split()  # noqa: SIM905


def made(dsn: str, embedder: Any = EMBEDDER, **settings: Any) -> PostgresStore:
    return PostgresStore(dsn=SecretStr(dsn), embedder=embedder, resources=Resources(), timeout=60, **settings)


def talk(container: str, count: int, seed: int = 7) -> list[Memory]:
    rng = random.Random(seed)
    return [
        memory(container, f"m{n:04}", f"Message: Alice: {' '.join(rng.choices(TALK, k=9))} GameDay: {n}", gameDay=n)
        for n in range(count)
    ]


@pytest.fixture
async def store(postgres_dsn: str) -> AsyncIterator[PostgresStore]:
    store = made(postgres_dsn)
    await store.open()
    yield store
    await store.close()


async def test_it_ranks_as_the_embedded_store_does(store: PostgresStore, tmp_path: Path) -> None:
    embedded = SqliteStore(path=str(tmp_path / "story.db"), embedder=EMBEDDER, resources=Resources())
    await embedded.open()
    for each in (embedded, store):
        await each.put(talk("c", 260))
    for query in ("the dragon stole the crown", "where is the gold", "who sings at night", "bread"):
        for asked in (Compare("gameDay", "<=", 200), Not(equals("gameDay", 3))):
            expected = await embedded.search("c", query, filter=asked, limit=20)
            found = await store.search("c", query, filter=asked, limit=20)
            assert [hit.score for hit in found] == pytest.approx([hit.score for hit in expected], abs=0.01)
            assert len({hit.memory.id for hit in found} & {hit.memory.id for hit in expected}) >= 18
    await embedded.close()


async def test_a_large_container_is_searched_through_the_index(
    store: PostgresStore, postgres_dsn: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """What comes beyond its first memories is found as well, also where a filter leaves little of it."""
    monkeypatch.setattr(writes, "EXACT", 40)
    for name in ("other", "c", "another"):
        await store.put(talk(name, 300))
    await store.put([memory("c", "needle", "Message: Bob: a violet unicorn GameDay: 7", gameDay=7, rare="yes")])
    found = [[hit.memory.id for hit in await store.search("c", "violet unicorn", limit=3)] for _ in range(2)]
    assert [each[0] for each in found] == ["needle", "needle"]
    late = await store.search("c", "the dragon sleeps", filter=Compare("gameDay", ">=", 290), limit=50)
    assert {hit.memory.id for hit in late} == {f"m{n:04}" for n in range(290, 300)}
    (rare,) = await store.search("c", "an animal", filter=equals("rare", "yes"), limit=10)
    assert rare.memory.id == "needle"
    assert not any("context" in hit.parts for hit in late), "who stands beside whom is not known there"
    other = made(postgres_dsn)
    await other.open()
    await other.drop("c")
    await other.put(talk("c", 60))
    await other.close()
    assert len(await store.search("c", "the dragon sleeps", limit=60)) == 60
    plan = await store.database.rows("SELECT indexdef FROM pg_indexes WHERE indexname LIKE 'memory_0_embedding%'")
    assert "hnsw" in plan[0][0]


async def test_a_container_that_another_process_drops_is_empty_and_one_that_it_makes_anew_is_found(
    store: PostgresStore, postgres_dsn: str
) -> None:
    """The store remembers the container's number, and asks for the name as well."""
    other = made(postgres_dsn)
    await other.open()
    await store.put([memory("c", "old", "Alice found the sword.")])
    for _ in range(2):
        assert [hit.memory.id for hit in await store.search("c", "sword")] == ["old"]
    await other.drop("c")
    assert await store.search("c", "sword") == []
    await other.put([memory("c", "older", "Bob hid the sword.")])
    assert [hit.memory.id for hit in await store.search("c", "sword")] == ["older"]
    await other.drop("c")
    await other.put([memory("c", "new", "Bob sold the sword.")])
    assert [hit.memory.id for hit in await store.search("c", "sword")] == ["new"]
    await other.close()


async def test_a_large_container_without_vectors_is_searched_by_words(
    postgres_dsn: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(writes, "EXACT", 40)
    store = made(postgres_dsn, None)
    await store.open()
    await store.put([*talk("c", 300), memory("c", "needle", "a violet unicorn")])
    for _ in range(2):
        assert (await store.search("c", "unicorn", limit=3))[0].memory.id == "needle"
    assert (await store.search("c", "", limit=3))[0].memory.id == "needle"
    await store.close()


async def test_a_memory_that_another_process_removes_during_a_search_costs_no_other_hit(
    store: PostgresStore, postgres_dsn: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Scores and texts are read by two statements. Where they do not agree, both read one state of the database."""
    other = made(postgres_dsn)
    await other.open()
    await store.put(talk("c", 30))
    read, calls = search.texts, []

    async def slow(connection: Connection, container: int, numbers: Any) -> Any:
        calls.append(len(numbers))
        if len(calls) == 1:
            await other.remove({"c": [f"m{n:04}" for n in range(5, 15)]})
        return await read(connection, container, numbers)

    monkeypatch.setattr("earwitness_plugins.stores.postgres.store.texts", slow)
    hits = await store.search("c", "the dragon", limit=30)
    assert len(calls) == 2
    assert {hit.memory.id for hit in hits} == {each.id for each in await other.list("c")}
    await other.close()


async def test_the_days_of_a_recall_are_compared_as_everywhere(store: PostgresStore) -> None:
    """`learnedDay` has a column of its own; what is not a number is none there either."""
    days: dict[str, Any] = {"no": "3", "yes": True, "list": ["3"], "big": 2**60, "half": 2.5, "low": -1, "tiny": 1e-9}
    given = [memory("c", name, learnedDay=day) for name, day in days.items()] + [memory("c", "none")]
    await store.put(given)
    for value in (-1, 0, 2.5, 1e-9, 2**60, 2**60 + 1, 1e300):
        for operator in ("<", "<=", ">", ">=", "==", "!="):
            asked = Compare("learnedDay", operator, value)  # type: ignore[arg-type]
            expected = {each.id for each in given if matches(asked, each.metadata)}
            assert {each.id for each in await store.list("c", filter=asked)} == expected, asked


@pytest.mark.parametrize("version", [2, 3])
async def test_a_database_of_a_schema_before_is_migrated(new_postgres_dsn: str, version: int) -> None:
    """Its memories are found by their days, and what is edited or removed leaves no word behind."""
    database = PostgresDatabase(new_postgres_dsn)
    await database.open(COMPONENT, MIGRATIONS[:version])

    async def fill(connection: Connection) -> None:
        for statement in BEFORE:
            await connection.execute(statement)

    await database.write(fill)
    await database.close()
    store = made(new_postgres_dsn, None)
    await store.open()
    asked = Compare("learnedDay", "<=", 3)
    assert [hit.memory.id for hit in await store.search("c", "swords", filter=asked)] == ["early"]
    await store.put([memory("c", "new", "Bob has a shield.")])
    assert [hit.memory.id for hit in await store.search("c", "shields")] == ["new"]
    await store.put([memory("c", "early", "Alice found bread.", learnedDay=3)])
    await store.remove({"c": ["late", "new"]})
    words = await store.database.rows("SELECT DISTINCT term FROM earwitness.memory_word ORDER BY term")
    assert words == [("alic",), ("bread",), ("found",)]
    assert await store.count("c") == 1
    await store.close()


BEFORE = (
    b"INSERT INTO earwitness.memory_container (name, memories, words) VALUES ('c', 2, 6)",
    b"""INSERT INTO earwitness.memory (container, number, id, content, metadata, words, indexed)
    SELECT number, nextval('earwitness.memory_number'), id, id || ' swords',
        jsonb_build_object('type', 'message', 'learnedDay', day), 2, false
    FROM earwitness.memory_container, (VALUES ('early', 3), ('late', 4)) AS v (id, day)""",
    b"""INSERT INTO earwitness.memory_word SELECT container, term, number, 1, 2
    FROM earwitness.memory, (VALUES ('early', 'earli'), ('early', 'sword'), ('late', 'late'), ('late', 'sword'))
        AS v (its, term) WHERE id = its""",
)
"""Two memories, written as the version before did."""


async def test_what_postgres_cannot_hold_comes_back_as_it_was(store: PostgresStore) -> None:
    """NUL, the sign that stands for it, and numbers that jsonb writes in another way."""
    odd = memory(
        "c\x00d", "m\x00", "NUL \x00, \x1a and \x1a0", key="\x00", big=1e300, small=-1e-9, list=["\x00", "\x1a1"]
    )
    await store.put([odd, memory("c\x1a0d", "m", "another one")])
    assert await store.get("c\x00d", ["m\x00"]) == [odd]
    assert {k: type(v) for k, v in (await store.list("c\x00d"))[0].metadata.items()}["big"] is float
    assert [hit.memory for hit in await store.search("c\x00d", "NUL", filter=equals("key", "\x00"))] == [odd]
    assert await store.count("c\x1a0d") == 1


async def test_vectors_of_another_embedder_are_refused_until_they_are_made_again(postgres_dsn: str) -> None:
    words_only, meaning = made(postgres_dsn, None), made(postgres_dsn)
    await words_only.open()
    await words_only.put([memory("c", "m0", "Alice found the sword in the cave."), memory("c", "m1", "Bread at dawn.")])
    with pytest.raises(EmbedderMismatch, match="earwitness reembed"):
        await meaning.open()
    assert await meaning.reembed() == 2
    await meaning.open()
    assert (await meaning.search("c", "blade", limit=1))[0].memory.id == "m0"
    with pytest.raises(EmbedderMismatch):
        await words_only.put([memory("c", "m2", "too late")])
    assert await meaning.count("c") == 2
    await words_only.close()
    await meaning.close()


async def test_an_empty_database_takes_another_embedder(postgres_dsn: str) -> None:
    for embedder in (None, EMBEDDER):
        store = made(postgres_dsn, embedder)
        await store.open()
        await store.close()


async def test_doctor_is_told_versions_permissions_and_latency(store: PostgresStore) -> None:
    await store.put([memory("c", "m")])
    health = await store.health()
    assert health.ok
    assert {"postgresql", "pgvector", "schema", "user", "latency_ms", "memories", "embedder"} <= health.details.keys()
    assert health.details["memories"] == 1


async def test_doctor_is_told_of_a_user_who_may_not_write(store: PostgresStore, postgres: PostgresServer) -> None:
    name = f"guest_{id(store)}"
    label = store.database.label.partition(" at ")[0]
    postgres.execute(f"CREATE ROLE {name} LOGIN")
    postgres.execute(f"GRANT USAGE ON SCHEMA earwitness TO {name}", label)
    postgres.execute(f"GRANT SELECT ON ALL TABLES IN SCHEMA earwitness TO {name}", label)
    guest = made(postgres.dsn_of(label, user=name))
    await guest.open()
    health = await guest.health()
    await guest.close()
    postgres.execute(f"DROP OWNED BY {name}", label)
    postgres.execute(f"DROP ROLE {name}")
    assert not health.ok
    assert "may not write" in str(health.details["problem"])
    assert "row-level security" in str(health.details["problem"])


async def test_a_store_and_a_ledger_on_one_address_share_transactions(postgres_dsn: str) -> None:
    resources = Resources()
    store = PostgresStore(dsn=SecretStr(postgres_dsn), embedder=EMBEDDER, resources=resources)
    ledger = PostgresLedger(dsn=SecretStr(postgres_dsn), resources=resources)
    assert store.database is ledger.database
    await store.open()
    written = await store.prepared([memory("c", "m")])

    async def both(connection: Connection) -> None:
        await written(connection)
        raise RuntimeError("the plan cannot be recorded")

    with pytest.raises(RuntimeError):
        await store.database.write(both)
    assert await store.count("c") == 0
    await store.put([memory("c", "m")])
    again = await store.prepared([memory("c", "m", "Other words."), memory("c", "n")])
    for _ in range(2):
        await store.database.write(again)
    assert [each.content for each in await store.get("c", ["m"])] == ["Other words."]
    assert await store.count("c") == 2
    await store.close()


async def test_a_filter_reaches_the_server_only_as_parameters(store: PostgresStore) -> None:
    await store.put([memory("c", "m", **{"a' = 'a": "x"})])
    hostile = "x' OR '1'='1'); DROP TABLE earwitness.memory; --"
    assert list(await store.list("c", filter=equals(hostile, hostile))) == []
    assert len(await store.list("c", filter=equals("a' = 'a", "x"))) == 1


WRITER = """
import asyncio, sys
from pydantic import SecretStr
from earwitness.loading.resources import Resources
from earwitness.testing.samples import memory
from earwitness_plugins.stores.postgres import PostgresStore

async def main(dsn, name, count):
    store = PostgresStore(dsn=SecretStr(dsn), embedder=None, resources=Resources(), timeout=120)
    await store.open()
    for n in range(int(count)):
        batch = [memory(f"c{(n + k) % 3}", f"{name}-{n}", f"the word {name}{n}") for k in range(2)]
        await store.put(batch)
        print(n, flush=True)
        if n % 3 == 2:
            await store.remove({each.container: [each.id] for each in batch})
            print("removed", n, flush=True)
    await store.close()

asyncio.run(main(*sys.argv[1:]))
"""


async def test_kill_9_of_the_server_and_of_writers_loses_nothing(durable_postgres: PostgresServer) -> None:
    """Three processes write to the same containers, while the server is killed twice and one of them once."""
    with durable_postgres.database() as dsn:
        first = made(dsn, None)
        await first.open()
        await first.close()
        count = 18
        writers = [start_writer(dsn, name, count if name != "c" else 10**6) for name in "abc"]
        await asyncio.gather(*(asyncio.to_thread(wait_for_lines, writer, 1) for writer in writers))
        for crash in range(2):
            await asyncio.to_thread(wait_for_lines, writers[0], 4)
            await asyncio.to_thread(durable_postgres.crash)
            if crash:
                writers[2].send_signal(signal.SIGKILL)
            await asyncio.to_thread(durable_postgres.start)
        outputs = [(await asyncio.to_thread(each.communicate))[0].splitlines() for each in writers]
        assert [each.returncode for each in writers] == [0, 0, -signal.SIGKILL]
        store = made(dsn, None)
        await store.open()
        held = {name: [each.id for each in await store.list(name)] for name in ("c0", "c1", "c2")}
        for name, ids in held.items():
            assert len(ids) == len(set(ids)) == await store.count(name)
        for writer, lines in zip("bc", outputs[1:], strict=True):
            gone = {int(line.split()[1]) for line in lines if " " in line}
            for n in (int(line) for line in lines if " " not in line):
                for k in range(2):
                    there = f"{writer}-{n}" in held[f"c{(n + k) % 3}"]
                    assert there or n % 3 == 2, f"{writer}-{n} was acknowledged, and is lost"
                    assert not (there and n in gone), f"{writer}-{n} was removed, and is back"
        for n in range(count):
            hits = await store.search(f"c{n % 3}", f"a{n}", limit=1)
            assert n % 3 == 2 or hits[0].memory.id == f"a-{n}"
        await store.close()


def start_writer(dsn: str, name: str, count: int) -> "subprocess.Popen[str]":
    return subprocess.Popen([sys.executable, "-c", WRITER, dsn, name, str(count)], stdout=subprocess.PIPE, text=True)


def wait_for_lines(writer: "subprocess.Popen[str]", count: int) -> None:
    assert writer.stdout is not None
    for _ in range(count):
        assert writer.stdout.readline(), "the writer has ended"


async def test_a_server_that_is_away_is_an_error_in_our_words(postgres_dsn: str) -> None:
    away = PostgresStore(
        dsn=SecretStr("postgresql://alice:opensesame@127.0.0.1:1/stories"), embedder=None, resources=Resources()
    )
    with pytest.raises(StorageError, match="does not answer") as refused:
        await away.open()
    assert "opensesame" not in str(refused.value)
    assert not (await away.health()).ok
