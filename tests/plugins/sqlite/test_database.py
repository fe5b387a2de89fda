"""Opening, sharing, migrating and closing one file."""

# ruff: noqa: ASYNC240 - looking at a file may block a test

import asyncio
from pathlib import Path
from threading import Event
from typing import Any

import pytest

from earwitness.errors import SchemaMismatch, StorageError
from earwitness.loading.resources import Resources
from earwitness_plugins.sqlite import Database

NOTES = ("CREATE TABLE notes (note TEXT)", "ALTER TABLE notes ADD COLUMN day REAL")


async def test_what_was_written_is_read_at_once(words: Any) -> None:
    assert await words.add("sword") == "sword"
    assert await words.all() == ["sword"]


async def test_one_file_is_one_database_among_those_who_share_resources(path: Path) -> None:
    resources = Resources()
    beside = path.parent / "folder" / ".." / path.name
    assert Database.at(str(path), resources) is Database.at(str(beside), resources)
    assert Database.at(str(path), resources) is not Database.at(str(path), Resources())


async def test_components_share_a_file_until_the_last_one_closes(words: Any) -> None:
    await words.database.open("notes", NOTES)
    await words.close()
    await words.add("still open")
    await words.open()


async def test_a_database_knows_the_components_that_use_it(path: Path) -> None:
    database = Database.at(str(path), Resources())
    await database.open("notes", NOTES)
    assert database.serves("notes")
    assert not database.serves("ledger")
    await database.close()
    assert not database.serves("notes")


async def test_a_closed_file_can_be_opened_again_and_has_everything(words: Any, path: Path) -> None:
    await words.add("sword")
    await words.close()
    assert [file.name for file in path.parent.iterdir()] == [path.name]
    await words.open()
    assert await words.all() == ["sword"]


async def test_closing_waits_for_what_is_under_way(words: Any, words_at: Any) -> None:
    writing = [asyncio.ensure_future(words.add(str(number))) for number in range(50)]
    await asyncio.sleep(0)
    await words.close()
    assert [await task for task in writing] == [str(number) for number in range(50)]
    await words.open()
    assert len(await words.all()) == 50


async def test_using_a_closed_database_says_so(words: Any) -> None:
    await words.close()
    for use in (words.add("late"), words.all(), words.database.sync()):
        with pytest.raises(StorageError, match="is not open"):
            await use
    await words.open()


async def test_closing_more_often_than_opening_is_harmless(words: Any) -> None:
    await words.close()
    await words.close()
    await words.open()
    await words.add("sword")


async def test_in_memory_leaves_no_file_and_no_memory(words_at: Any, tmp_path: Path, monkeypatch: Any) -> None:
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path))
    words = await words_at(":memory:").open()
    await words.add("sword")
    assert await words.all() == ["sword"]
    await words.close()
    assert list(tmp_path.iterdir()) == []
    await words.open()
    assert await words.all() == []
    await words.close()


async def test_migrations_that_a_file_lacks_run_when_it_is_opened(words: Any) -> None:
    await words.database.open("notes", NOTES[:1])
    await words.database.open("notes", NOTES)
    await words.database.open("notes", NOTES)
    columns = await words.database.read(lambda c: [row[1] for row in c.execute("PRAGMA table_info(notes)")])
    assert columns == ["note", "day"]
    for _ in range(3):
        await words.close()


async def test_a_migration_that_fails_leaves_nothing_of_itself(words: Any) -> None:
    with pytest.raises(StorageError, match="nonsense"):
        await words.database.open("notes", (*NOTES, "nonsense"))
    tables = await words.database.read(lambda c: [row[0] for row in c.execute("SELECT name FROM sqlite_schema")])
    assert "notes" not in tables
    await words.database.open("notes", NOTES)
    await words.close()


async def test_a_file_of_a_newer_version_is_refused_and_left_as_it_is(words: Any, words_at: Any, path: Path) -> None:
    await words.database.open("notes", NOTES)
    await words.close()
    await words.close()
    before = path.read_bytes()
    database = Database.at(str(path), Resources())
    with pytest.raises(SchemaMismatch, match=r"notes tables have version 2.*up to 1.*Update Earwitness"):
        await database.open("notes", NOTES[:1])
    assert path.read_bytes() == before
    await words.open()


async def test_a_reader_can_change_nothing(words: Any) -> None:
    with pytest.raises(StorageError):
        await words.database.read(lambda connection: words.insert(connection, "sword"))
    assert await words.all() == []


async def test_a_read_sees_one_state_of_the_file_throughout(words: Any, words_at: Any, path: Path) -> None:
    began, go_on = Event(), Event()

    def twice(connection: Any) -> list[list[str]]:
        first = words.select(connection)
        began.set()
        go_on.wait(10)
        return [first, words.select(connection)]

    reading = asyncio.ensure_future(words.database.read(twice))
    await asyncio.to_thread(began.wait, 10)
    await words.add("meanwhile")
    go_on.set()
    assert await reading == [[], []]
    assert await words.all() == ["meanwhile"]


async def test_two_databases_on_one_file_see_each_other_at_once(words: Any, words_at: Any, path: Path) -> None:
    other = await words_at(path).open()
    for number in range(20):
        await (words if number % 2 else other).add(str(number))
        assert len(await words.all()) == len(await other.all()) == number + 1
    await other.close()
