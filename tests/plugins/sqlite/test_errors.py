"""What can go wrong with a file: one clear error each, and nothing that was acknowledged is lost."""

# ruff: noqa: ASYNC240 - looking at a file may block a test

import asyncio
import sqlite3
from contextlib import closing
from pathlib import Path
from typing import Any

import apsw
import pytest

from earwitness.errors import StorageCorrupt, StorageError, StorageFull, StorageLocked
from earwitness_plugins.sqlite.connections import _refuse_foreign

LONG = "x" * 20_000


async def test_a_full_disk_is_an_error_and_what_was_written_stays(words: Any) -> None:
    await words.add("before")
    await _limit(words, spare_pages=10)
    with pytest.raises(StorageFull, match=r"no space left for .*story\.db.*Free some and try again"):
        await _fill(words)
    kept = await words.all()
    assert kept[0] == "before"
    await _limit(words, spare_pages=1000)
    await words.add(f"again{LONG}")
    assert await words.all() == [*kept, f"again{LONG}"]


async def test_on_a_full_disk_exactly_what_was_acknowledged_is_there(words: Any) -> None:
    await _limit(words, spare_pages=40)
    wanted = [f"{number}{LONG if number % 3 else ''}" for number in range(60)]
    found = await words.add_all(*wanted)
    acknowledged = [word for word, answer in zip(wanted, found, strict=True) if answer == word]
    assert await words.all() == acknowledged
    assert 0 < len(acknowledged) < len(wanted)
    assert all(isinstance(answer, StorageFull) for answer in found if not isinstance(answer, str))


async def test_a_file_that_another_program_holds_is_an_error_after_the_wait(words: Any, path: Path) -> None:
    with closing(apsw.Connection(str(path))) as other:
        other.execute("BEGIN IMMEDIATE")
        with pytest.raises(StorageLocked, match=r"locked by another process for more than 0\.3 seconds"):
            await words.add("sword")
        assert await words.all() == []
        other.execute("COMMIT")
    assert await words.add("sword") == "sword"


async def test_a_short_wait_for_another_program_is_not_noticed(words: Any, path: Path) -> None:
    with closing(apsw.Connection(str(path))) as other:
        other.execute("BEGIN IMMEDIATE")
        writing = asyncio.ensure_future(words.add("sword"))
        await asyncio.sleep(0.1)
        other.execute("COMMIT")
        assert await writing == "sword"


@pytest.mark.parametrize("content", [b"Once upon a time\n" * 100, b"\0" * 5000, b"SQLite format 4\0" * 50, b"x"])
async def test_a_file_that_is_no_database_is_refused_and_left_untouched(
    content: bytes, words_at: Any, path: Path
) -> None:
    path.write_bytes(content)
    words = words_at(path)
    with pytest.raises(StorageCorrupt, match=r"story\.db' is not an Earwitness store"):
        await words.open()
    _untouched(path, content)


@pytest.mark.parametrize("journal", ["delete", "wal"])
async def test_a_database_of_another_program_is_refused_and_left_untouched(
    journal: str, words_at: Any, path: Path
) -> None:
    with closing(sqlite3.connect(path)) as foreign:
        foreign.execute(f"PRAGMA journal_mode = {journal}")
        foreign.execute("CREATE TABLE words (word TEXT)")
        foreign.commit()
    content = path.read_bytes()
    with pytest.raises(StorageCorrupt, match="is not an Earwitness store"):
        await words_at(path).open()
    _untouched(path, content)


async def test_an_empty_file_becomes_ours(words_at: Any, path: Path) -> None:
    path.touch()
    words = await words_at(path).open()
    await words.add("sword")
    await words.close()
    assert path.read_bytes()[68:72] == b"EARW"


async def test_a_damaged_file_is_an_error_and_is_left_as_it_is(words: Any, words_at: Any, path: Path) -> None:
    await words.add_all(*(f"{number}{LONG}" for number in range(20)))
    await words.close()
    content = path.read_bytes()
    damaged = content[:4096] + b"\xff" * (len(content) - 4096)
    path.write_bytes(damaged)
    other = words_at(path)
    with pytest.raises(StorageCorrupt, match="damaged"):
        await other.open()
    _untouched(path, damaged)
    path.write_bytes(content)
    await words.open()
    assert len(await words.all()) == 20


@pytest.mark.parametrize("name", ["", "nowhere/story.db"])
async def test_a_path_that_cannot_be_opened_is_named(name: str, words_at: Any, tmp_path: Path) -> None:
    with pytest.raises(StorageError, match="cannot be opened"):
        await words_at(tmp_path / name).open()
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize(
    "name", ["a'b.db", 'a"b.db', "a b?mode=ro&x=1#y.db", "100%20.db", "空.db", "file:x.db", "a;b.db"]
)
async def test_any_file_name_is_just_a_name(name: str, words_at: Any, tmp_path: Path) -> None:
    words = await words_at(tmp_path / name).open()
    await words.add("sword")
    await words.close()
    assert [file.name for file in tmp_path.iterdir()] == [name]
    await words.open()
    assert await words.all() == ["sword"]
    await words.close()


async def test_a_failed_opening_can_be_repeated(words_at: Any, path: Path) -> None:
    path.write_bytes(b"Once upon a time\n" * 100)
    words = words_at(path)
    with pytest.raises(StorageCorrupt):
        await words.open()
    path.unlink()
    await words.open()
    assert await words.add("sword") == "sword"
    await words.close()


async def _limit(words: Any, spare_pages: int) -> None:
    """Make the file as large as the disk has room for."""

    def limit(connection: apsw.Connection) -> None:
        pages = int(connection.pragma("page_count"))
        connection.execute(f"PRAGMA max_page_count = {pages + spare_pages}")

    await words.database.write(limit)


async def _fill(words: Any) -> None:
    for number in range(10):
        await words.add(f"{number}{LONG}")


def _untouched(path: Path, content: bytes) -> None:
    assert path.read_bytes() == content
    assert list(path.parent.iterdir()) == [path]


async def test_a_file_that_another_process_is_moving_its_log_into_is_not_called_damaged(
    words_at: Any, path: Path
) -> None:
    words = words_at(path)
    await words.open()
    await words.close()
    header = bytearray(path.read_bytes())
    header[28:32] = (10_000).to_bytes(4)  # as if more pages were announced than have been written yet
    header[92:96] = header[24:28]
    path.write_bytes(header)
    _refuse_foreign(str(path))
