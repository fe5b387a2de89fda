"""Reading on the caller's own thread, and what sends it to another one."""

import asyncio
from pathlib import Path
from threading import Thread, current_thread, get_ident
from time import monotonic
from typing import Any

import apsw
import pytest

from earwitness.errors import StorageError
from earwitness_plugins.sqlite import WouldBlock


def thread_of(connection: apsw.Connection) -> int:
    return get_ident()


async def test_an_inline_read_reads_on_the_callers_own_thread_what_was_just_written(words: Any) -> None:
    await words.add("sword")
    assert await words.database.read_inline(words.select) == ["sword"]
    assert await words.database.read_inline(thread_of) == get_ident() != await words.database.read(thread_of)


async def test_an_inline_read_can_change_nothing(words: Any) -> None:
    with pytest.raises(StorageError):
        await words.database.read_inline(lambda connection: words.insert(connection, "sneaked in"))
    assert await words.all() == []


async def test_what_would_take_long_is_read_on_another_thread(words: Any) -> None:
    def not_now(connection: apsw.Connection) -> int:
        raise WouldBlock

    assert await words.database.read_inline(not_now, thread_of) != get_ident()
    assert await words.database.read_inline(thread_of) == get_ident()


async def test_a_connection_that_is_in_use_is_not_waited_for(words: Any) -> None:
    found = []

    def meanwhile() -> None:
        found.append(asyncio.run(words.database.read_inline(lambda connection: current_thread().name)))

    def occupied(connection: apsw.Connection) -> None:
        thread = Thread(target=meanwhile)
        thread.start()
        thread.join()

    await words.database.read_inline(occupied)
    assert found[0].startswith("earwitness-reader")


async def test_a_file_that_is_held_is_waited_for_on_another_thread(words: Any, path: Path) -> None:
    await words.add("sword")
    threads = []

    def looked(connection: apsw.Connection) -> list[str]:
        threads.append(get_ident())
        if threads == [get_ident()]:
            raise apsw.BusyError("held")
        return words.select(connection)  # type: ignore[no-any-return]

    assert await words.database.read_inline(looked) == ["sword"]
    assert threads[0] == get_ident() != threads[1]
    writing = apsw.Connection(str(path))
    writing.execute("BEGIN IMMEDIATE")
    assert await words.database.read_inline(thread_of) == get_ident()  # who writes keeps nobody from reading
    writing.close()


async def test_an_error_of_the_operation_comes_through_and_the_connection_stays_usable(words: Any) -> None:
    def odd(connection: apsw.Connection) -> None:
        raise LookupError("odd")

    for _ in range(2):
        with pytest.raises(LookupError, match="odd"):
            await words.database.read_inline(odd)
    assert await words.database.read_inline(words.select) == []


async def test_other_tasks_have_their_turn_between_inline_reads(words: Any) -> None:
    turns = 0

    async def other() -> None:
        nonlocal turns
        while True:
            turns += 1
            await asyncio.sleep(0)

    task = asyncio.ensure_future(other())
    began = monotonic()
    while monotonic() < began + 0.05:
        await words.database.read_inline(words.select)
    task.cancel()
    assert turns >= 5


async def test_a_closed_database_gives_no_inline_read(words: Any) -> None:
    await words.close()
    with pytest.raises(StorageError, match="is not open"):
        await words.database.read_inline(words.select)
    await words.open()


async def test_once_it_is_closed_nothing_opens_it_again(words: Any, path: Path) -> None:
    at_hand = words.database._inline
    await words.close()
    with pytest.raises(WouldBlock):
        at_hand.read(thread_of)
    assert [file.name for file in path.parent.iterdir()] == [path.name]
    await words.open()
