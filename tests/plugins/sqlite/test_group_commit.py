"""Writes that wait together are committed together, and fail alone."""

import asyncio
import os
from pathlib import Path
from threading import Event
from typing import Any

import apsw
import pytest

from earwitness.errors import ContainerCollision, StorageError
from earwitness_plugins.sqlite import checkpoints, writer


class Gate:
    """Holds the writing thread, so that what is written meanwhile is one batch."""

    def __init__(self, words: Any) -> None:
        self._entered, self._open = Event(), Event()
        self._words = words

    async def __aenter__(self) -> None:
        self._held = asyncio.ensure_future(self._words.database.write(self._hold))
        await asyncio.to_thread(self._entered.wait, 10)

    async def __aexit__(self, *_: object) -> None:
        self._open.set()
        await self._held

    def _hold(self, connection: apsw.Connection) -> None:
        self._entered.set()
        self._open.wait(10)


async def together(words: Any, *operations: Any) -> list[Any]:
    """Run operations in one batch; what each came to."""
    async with Gate(words):
        running = [asyncio.ensure_future(words.database.write(operation)) for operation in operations]
        await asyncio.sleep(0)
    return await asyncio.gather(*running, return_exceptions=True)


async def test_many_writers_at_once_lose_nothing_and_keep_their_order(words: Any) -> None:
    wanted = [str(number) for number in range(1000)]
    assert await words.add_all(*wanted) == wanted
    assert await words.all() == wanted


async def test_what_waits_is_committed_once(words: Any) -> None:
    commits: list[int] = []
    await words.database.write(lambda c: c.set_commit_hook(lambda: commits.append(1) or False))
    before = len(commits)
    await together(words, *(lambda c, n=n: words.insert(c, str(n)) for n in range(100)))
    assert len(commits) - before <= 2


async def test_an_operation_that_fails_fails_alone(words: Any) -> None:
    def half_done(connection: apsw.Connection) -> None:
        words.insert(connection, "half")
        raise ContainerCollision("taken")

    found = await together(
        words,
        lambda c: words.insert(c, "one"),
        half_done,
        lambda c: words.insert(c, "one"),
        lambda c: words.insert(c, "two"),
    )
    assert (found[0], found[3]) == ("one", "two")
    assert isinstance(found[1], ContainerCollision)
    assert isinstance(found[2], StorageError)
    assert await words.all() == ["one", "two"]


async def test_an_operation_that_fails_alone_in_its_batch_is_undone(words: Any) -> None:
    def half_done(connection: apsw.Connection) -> None:
        words.insert(connection, "half")
        raise KeyError("ours")

    with pytest.raises(KeyError, match="ours"):
        await words.database.write(half_done)
    assert await words.all() == []


async def test_when_sqlite_gives_up_the_transaction_the_others_run_again(words: Any) -> None:
    def giving_up(connection: apsw.Connection) -> None:
        connection.execute("ROLLBACK")
        raise apsw.IOError("as SQLite does when it cannot write a page")

    found = await together(words, lambda c: words.insert(c, "one"), giving_up, lambda c: words.insert(c, "two"))
    assert (found[0], found[2]) == ("one", "two")
    assert isinstance(found[1], StorageError)
    assert await words.all() == ["one", "two"]


async def test_when_the_commit_fails_nobody_is_told_it_was_written(words: Any) -> None:
    refusing: list[bool] = []
    await words.database.write(lambda c: c.set_commit_hook(lambda: bool(refusing)))
    found = await together(words, lambda c: words.insert(c, "one"), lambda c: refusing.append(True))
    assert [type(error) for error in found] == [StorageError, StorageError]
    refusing.clear()
    assert await words.all() == []
    assert await words.add("one") == "one"


async def test_a_caller_who_was_cancelled_harms_nobody(words: Any) -> None:
    async with Gate(words):
        cancelled = asyncio.ensure_future(words.add("cancelled"))
        other = asyncio.ensure_future(words.add("other"))
        await asyncio.sleep(0)
        cancelled.cancel()
    assert await other == "other"
    with pytest.raises(asyncio.CancelledError):
        await cancelled
    assert "other" in await words.all()


async def test_no_exception_of_an_operation_stops_the_writer(words: Any) -> None:
    def leaving(connection: apsw.Connection) -> None:
        raise GeneratorExit

    found = await together(words, leaving, lambda c: words.insert(c, "one"))
    assert isinstance(found[0], GeneratorExit)
    assert await words.all() == ["one"]


async def test_only_durable_writes_wait_for_the_disk(words: Any) -> None:
    asked = {durable: await words.database.write(_synchronous, durable=durable) for durable in (True, False)}
    assert asked == {True: 2, False: 1}  # FULL, NORMAL


async def test_one_durable_write_makes_its_batch_durable(words: Any) -> None:
    async with Gate(words):
        running = [
            asyncio.ensure_future(words.database.write(_synchronous, durable=durable)) for durable in (False, True)
        ]
        await asyncio.sleep(0)
    assert await asyncio.gather(*running) == [2, 2]


async def test_sync_writes_something_only_when_there_is_something_to_bring_to_the_disk(words: Any) -> None:
    async def touched() -> int:
        before = await words.database.read(_touches)
        await words.database.sync()
        return await words.database.read(_touches) - before

    assert await touched() == 0
    await words.add("not durable", durable=False)
    assert await touched() == 1
    assert await touched() == 0


async def test_the_log_is_moved_into_the_file_and_does_not_grow_for_ever(words: Any) -> None:
    for number in range(200):
        await words.add(f"{number:03}" * 50_000)
    log = await words.database.read(lambda c: c.wal_checkpoint(mode=apsw.SQLITE_CHECKPOINT_NOOP))
    assert log[0] < 2 * writer.LONGEST_LOG


async def test_the_log_is_moved_into_the_file_while_the_writing_thread_goes_on(
    words: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    begun, over = Event(), Event()

    def lingering(connect: Any) -> Any:
        begun.set()
        over.wait(60)
        return connect()

    monkeypatch.setattr(checkpoints.Checkpoints, "_connected", lambda self: lingering(self._connect))
    number = 0
    while not begun.is_set():
        await words.add(f"{(number := number + 1):03}" * 50_000)
    for more in range(20):
        await words.add(f"{more}")
    over.set()


@pytest.mark.skipif(not Path("/proc/locks").exists(), reason="locks are listed in /proc/locks on Linux only")
async def test_moving_the_log_takes_no_lock_from_this_process(words: Any) -> None:
    """Whoever closes the file otherwise than through SQLite loses every lock that the process has on it."""
    file = Path(words.database.path)

    def locks() -> list[str]:
        mine = (f" {os.getpid()} ", f":{file.stat().st_ino} ")
        return [line for line in Path("/proc/locks").read_text().splitlines() if all(each in line for each in mine)]

    await words.add("first")
    before, moved, number = len(locks()), False, 0
    while not moved:
        await words.add(f"{(number := number + 1):03}" * 50_000)
        moved = words.database._writer._checkpoints._connection is not None
    assert len(locks()) == before > 0


def _synchronous(connection: apsw.Connection) -> int:
    return int(connection.pragma("synchronous"))


def _touches(connection: apsw.Connection) -> int:
    return int(connection.pragma("user_version"))
