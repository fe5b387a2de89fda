"""The file or its log is deleted or replaced while it is open: nothing is acknowledged that is not there."""

# ruff: noqa: ASYNC220, ASYNC240 - looking at a file may block a test

import asyncio
import shutil
import sqlite3
import subprocess
import sys
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest

from earwitness.errors import InputError, StorageReplaced

PEEKING = """
import asyncio, os, sqlite3, sys
from earwitness import Earwitness

async def main(path):
    async with Earwitness.open(path, detector="everyone", world_agent="none", plugins=[]) as ew:
        story = await ew.session("s1", cast=["alice", "bob"])
        for number in range(60):
            await story.say("alice", f"message {number}", key=f"m{number}")
            print(number, flush=True)
            if number in (20, 35):
                if number == 35:
                    await story.delivered()
                connection = sqlite3.connect(path)
                connection.execute("SELECT count(*) FROM ledger_entries").fetchall()
                connection.close()
            await story.turn("bob") if number % 10 == 5 else None
        os._exit(9)

asyncio.run(main(sys.argv[1]))
"""


OTHER = """
import apsw, sys
connection = apsw.Connection(sys.argv[1])
connection.execute("INSERT INTO words VALUES ('theirs')")
print("in", flush=True)
input()
"""


def peek(path: Path) -> None:
    """Read the file with another SQLite library, as a host might."""
    with closing(sqlite3.connect(path)) as connection:
        connection.execute("SELECT count(*) FROM words").fetchall()


@pytest.mark.anyio
async def test_a_host_that_reads_the_file_with_another_sqlite_loses_nothing_in_a_crash(tmp_path: Path) -> None:
    from earwitness import Earwitness

    path = tmp_path / "story.db"
    program = await asyncio.to_thread(
        subprocess.run, [sys.executable, "-c", PEEKING, str(path)], capture_output=True, text=True, timeout=60
    )
    acknowledged = program.stdout.split()
    assert len(acknowledged) == 60, program.stderr
    async with Earwitness.open(path) as ew:
        story = await ew.open_session("s1")
        told = {each.key for each in await story.backstage().journal()}
        assert told >= {f"m{number}" for number in acknowledged}


async def test_a_log_that_was_deleted_is_begun_anew_and_all_is_in_the_file(words: Any, path: Path) -> None:
    await words.add("before")
    assert await words.all() == ["before"]
    for number in range(5):
        peek(path)
        assert not Path(f"{path}-wal").exists()
        await words.add(f"sword {number}")
        assert Path(f"{path}-wal").exists()
        assert len(await words.all()) == number + 2
    copy = path.with_name("copy.db")
    for end in ("", "-wal"):
        shutil.copy(f"{path}{end}", f"{copy}{end}")
    with closing(sqlite3.connect(copy)) as connection:
        assert connection.execute("SELECT count(*) FROM words").fetchone() == (6,)


async def test_a_log_deleted_while_a_write_was_under_way_is_noticed_soon_after(words: Any, path: Path) -> None:
    await words.add("sword")
    peek(path)
    await words.add("shield")
    Path(f"{path}-wal").unlink()  # as by a process that began to close before the write, and ended after it
    for _ in range(100):
        await asyncio.sleep(0.02)
        if Path(f"{path}-wal").exists():
            break
    assert Path(f"{path}-wal").exists()
    assert await words.all() == ["sword", "shield"]


@pytest.mark.parametrize("durable", [True, False])
async def test_a_file_deleted_while_it_is_open_acknowledges_nothing_more(words: Any, path: Path, durable: bool) -> None:
    await words.add("sword")
    path.unlink()
    for _ in range(2):
        with pytest.raises(StorageReplaced, match=r"deleted or replaced while it was open.*earwitness backup"):
            await words.add("shield", durable=durable)
        with pytest.raises(StorageReplaced):
            await words.all()
    assert await words.add_all("a", "b") != ["a", "b"]
    await words.close()
    assert list(path.parent.iterdir()) == []
    await words.open()
    assert await words.all() == []


async def test_no_old_log_is_applied_to_a_file_put_in_its_place(words: Any, path: Path) -> None:
    await words.add("sword")
    backup = path.with_name("backup.db")
    await words.database.snapshot(str(backup))
    for number in range(30):
        await words.add(f"later {number}")
    backup.replace(path)
    with pytest.raises(StorageReplaced):
        await words.add("shield")
    await words.close()
    await words.open()
    assert await words.all() == ["sword"]
    await words.add("shield")
    assert await words.all() == ["sword", "shield"]


async def test_nor_when_it_was_replaced_and_nothing_was_written_since(words: Any, path: Path) -> None:
    await words.add("sword")
    backup = path.with_name("backup.db")
    await words.database.snapshot(str(backup))
    await words.add("later")
    backup.replace(path)
    await words.close()
    await words.open()
    assert await words.all() == ["sword"]


async def test_another_program_that_has_begun_a_log_of_its_own_is_left_alone(words: Any, path: Path) -> None:
    await words.add("sword")
    for _ in range(50):  # until the one who reads takes the log for a forgotten one, and deletes it
        peek(path)
        if not path.with_name("story.db-wal").exists():
            break
        await asyncio.sleep(0.02)
    process = subprocess.Popen(
        [sys.executable, "-c", OTHER, str(path)], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    )
    assert process.stdout is not None
    assert await asyncio.to_thread(process.stdout.readline) == "in\n"
    with pytest.raises(StorageReplaced, match="another program has opened the file since"):
        await words.add("ours")
    await words.close()
    process.communicate("\n")
    await words.open()
    assert await words.all() == ["sword", "theirs"]


async def test_a_snapshot_is_whole_consistent_and_a_store_by_itself(words: Any, words_at: Any, path: Path) -> None:
    await words.add("sword")
    copy = path.with_name("copy.db")
    writing = asyncio.ensure_future(words.add_all(*(f"word {number}" for number in range(200))))
    await words.database.snapshot(str(copy))
    await writing
    assert sorted(each.name for each in path.parent.iterdir() if "copy" in each.name) == ["copy.db"]
    with pytest.raises(InputError, match="already exists"):
        await words.database.snapshot(str(copy))
    other = await words_at(copy).open()
    assert "sword" in await other.all()
    await other.close()
