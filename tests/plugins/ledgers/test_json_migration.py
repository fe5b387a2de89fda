"""Opening a file of an earlier version rewrites its JSON: all of it or nothing, once, and in batches."""

import asyncio
import json
import sqlite3
from pathlib import Path
from typing import Any

import pytest

from earwitness import Earwitness
from earwitness.errors import StorageError
from earwitness.loading.resources import Resources
from earwitness.upgrades.upgrade import Upgrade
from earwitness_plugins.ledgers.sqlite import json_migration as module
from earwitness_plugins.ledgers.sqlite.json_migration import json_migration
from earwitness_plugins.sqlite import Database
from earwitness_plugins.sqlite.blobs import inflated


def marked(record: dict[str, Any]) -> dict[str, Any]:
    return {**record, "metadata": {"marked": True}} if record["kind"] == "said" else record


MARKED: Upgrade = {"body": marked}


@pytest.fixture
async def path(tmp_path: Path) -> Path:
    """A store with a story of seven messages."""
    path = tmp_path / "story.db"
    async with Earwitness.open(path, embedder="none", detector="everyone") as ew:
        story = await ew.session("s1", cast=["alice", "bob"], present=["alice", "bob"])
        for number in range(7):
            await story.say("alice", f"Line {number}.")
    return path


async def migrate(path: Path, *migrations: Any) -> None:
    """Open and close the file as a component whose migrations these are."""
    database = Database.at(str(path), Resources(), busy_timeout=0.2)
    await database.open("later", migrations)
    await database.close()


def bodies(path: Path) -> list[dict[str, Any]]:
    connection = sqlite3.connect(path)
    found = [
        json.loads(inflated(blob)) for (blob,) in connection.execute("SELECT body FROM ledger_entries ORDER BY place")
    ]
    connection.close()
    return [each for each in found if each["kind"] == "said"]


async def test_every_row_is_rewritten_however_many_there_are(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "BATCH", 3)
    await migrate(path, json_migration(MARKED))
    assert [each["metadata"] for each in bodies(path)] == [{"marked": True}] * 7


async def test_a_rewritten_story_goes_on(path: Path) -> None:
    await migrate(path, json_migration(MARKED))
    async with Earwitness.open(path, embedder="none", detector="everyone") as ew:
        story = await ew.open_session("s1")
        await (await story.say("bob", "Line 7.")).settled()
        assert "bob: said it" in str(await story.backstage().who_knows("Line 7"))


async def test_an_upgrade_that_fails_half_way_leaves_the_file_as_it_is(
    path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(module, "BATCH", 2)
    left = iter(range(5))

    def failing(record: dict[str, Any]) -> dict[str, Any]:
        if next(left, None) is None:
            raise StorageError("the machine stops")
        return marked(record)

    with pytest.raises(StorageError, match="the machine stops"):
        await migrate(path, json_migration({"body": failing}))
    assert [each["metadata"] for each in bodies(path)] == [{}] * 7
    await migrate(path, json_migration(MARKED))
    assert [each["metadata"] for each in bodies(path)] == [{"marked": True}] * 7


async def test_two_who_open_a_file_at_once_rewrite_it_once(path: Path) -> None:
    seen: list[int] = []

    def counted(record: dict[str, Any]) -> dict[str, Any]:
        seen.append(1)
        return marked(record)

    migration = json_migration({"body": counted})
    await asyncio.gather(*(migrate(path, migration) for _ in range(2)))
    assert len(seen) == 8  # with the beginning


async def test_somebody_who_reads_meanwhile_keeps_no_one_from_opening(path: Path) -> None:
    reader = sqlite3.connect(path, isolation_level=None)
    reader.execute("BEGIN")
    reader.execute("SELECT count(*) FROM ledger_entries").fetchone()
    await migrate(path, json_migration(MARKED))
    assert bodies(path)[0]["metadata"] == {"marked": True}
    reader.close()


async def test_a_file_in_which_nothing_changes_is_not_compacted(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    compacted: list[object] = []
    monkeypatch.setattr("earwitness_plugins.sqlite.database.compact", lambda *given: compacted.append(given))
    await migrate(path, json_migration({"body": dict}))
    assert not compacted
    await migrate(path, json_migration({"body": dict}), json_migration(MARKED))
    assert len(compacted) == 1
