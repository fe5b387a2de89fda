"""A full disk, a locked file, a damaged one: said in words, nothing acknowledged is lost, and it goes on afterwards."""

# ruff: noqa: ASYNC240 - looking at a file may block a test

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager, closing
from hashlib import sha256
from pathlib import Path
from typing import Any

import apsw
import pytest

from earwitness import Earwitness, Session, Settings
from earwitness.errors import StorageCorrupt, StorageFull, StorageLocked
from earwitness.loading.resources import Resources
from earwitness.testing.scripted import ByScript, Crier
from earwitness_plugins.embedders.static import StaticEmbedder
from earwitness_plugins.ledgers.sqlite import SqliteLedger
from earwitness_plugins.sqlite.database import Database
from earwitness_plugins.stores.sqlite import SqliteStore

pytestmark = pytest.mark.anyio

BARE = Settings.of(plugins=[], detector="none", world_agent="none", strict=True)
LONG = " ".join(sha256(str(number).encode()).hexdigest() for number in range(250))  # does not deflate to nothing


@asynccontextmanager
async def opened(path: Path) -> AsyncIterator[tuple[Session, Database]]:
    """A story with Alice and Bob, and the database it is kept in, which waits for others no longer than 0.2 s."""
    resources = Resources()
    database = Database.at(str(path), resources, busy_timeout=0.2)
    strategies: dict[str, Any] = {
        "ledger": SqliteLedger(path=str(path), resources=resources),
        "store": SqliteStore(path=str(path), embedder=StaticEmbedder(), resources=resources),
        "detector": ByScript(),
        "world_agent": Crier(),
    }
    async with Earwitness.open(settings=BARE, **strategies) as ew:
        yield await ew.session("s1", cast=["alice", "bob"], present=["alice", "bob"]), database


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "story.db"


async def test_on_a_full_disk_what_was_acknowledged_is_remembered_once_there_is_room(path: Path) -> None:
    async with opened(path) as (story, database):
        await leave_room(database, pages=60)
        acknowledged, refused = await say_many(story, 40)
        assert acknowledged
        assert refused
        with pytest.raises(StorageFull, match=r"no space left for .*story\.db.*Free some and try again"):
            await story.say("alice", LONG * 200)
        await leave_room(database, pages=100_000)
        await story.settled()
        assert await remembered(story) == acknowledged
        for number in refused:
            outcome = await story.say("alice", f"message {number} {LONG}", key=f"k{number}")
            assert outcome.created, "what was refused had left a trace"
        await story.settled()
        assert sorted(await remembered(story)) == sorted(acknowledged + refused)


async def test_a_program_that_ends_on_a_full_disk_loses_nothing(path: Path) -> None:
    async with opened(path) as (story, database):
        await leave_room(database, pages=30)
        acknowledged, _ = await say_many(story, 30)
    async with opened(path) as (story, database):
        await leave_room(database, pages=0)
        assert [each.key for each in await journal(story)] == [f"k{number}" for number in acknowledged]
    async with opened(path) as (story, _):
        await story.settled()
        assert await remembered(story) == acknowledged


async def test_while_another_program_holds_the_file_nothing_is_acknowledged_and_reading_goes_on(path: Path) -> None:
    async with opened(path) as (story, _):
        await (await story.say("alice", "message 0", key="k0")).settled()
        with closing(apsw.Connection(str(path))) as other:
            other.execute("BEGIN IMMEDIATE")
            with pytest.raises(StorageLocked, match=r"locked by another process for more than 0\.2 seconds"):
                await story.say("alice", "message 1", key="k1")
            turn = await story.turn("bob", query="message", in_prompt=())
            assert len(turn.memories) == 1
            other.execute("COMMIT")
        assert (await story.say("alice", "message 1", key="k1")).created
        await story.settled()
        assert await remembered(story) == [0, 1]


async def test_a_story_that_is_held_while_it_settles_is_settled_afterwards(path: Path) -> None:
    async with opened(path) as (story, _):
        outcome = await story.say("alice", "message 0", key="k0")
        with closing(apsw.Connection(str(path))) as other:
            other.execute("BEGIN IMMEDIATE")
            with pytest.raises(StorageLocked):
                await outcome.settled()
            other.execute("COMMIT")
        await outcome.settled()
        assert await remembered(story) == [0]


@pytest.mark.parametrize("content", [b"Once upon a time\n" * 400, b"\0" * 9000, b"SQLite format 3\0" + b"\xff" * 9000])
async def test_a_file_that_is_not_ours_is_refused_and_left_untouched(path: Path, content: bytes) -> None:
    path.write_bytes(content)
    with pytest.raises(StorageCorrupt, match=r"story\.db"):
        async with opened(path):
            pass
    assert path.read_bytes() == content
    assert list(path.parent.iterdir()) == [path]


async def test_a_damaged_file_is_named_and_its_copy_still_works(path: Path) -> None:
    async with opened(path) as (story, _):
        for number in range(20):
            await story.say("alice", f"message {number} {LONG}", key=f"k{number}")
    good = path.read_bytes()
    path.write_bytes(good[:4096] + b"\xff" * (len(good) - 4096))
    with pytest.raises(StorageCorrupt, match=r"story\.db.* is damaged"):
        async with opened(path) as (story, _):
            await story.settled()
    path.write_bytes(good)
    async with opened(path) as (story, _):
        assert await remembered(story) == list(range(20))


async def say_many(story: Session, messages: int) -> tuple[list[int], list[int]]:
    """Say them; the numbers of those acknowledged, and of those refused for want of room."""
    acknowledged, refused = [], []
    for number in range(messages):
        try:
            await story.say("alice", f"message {number} {LONG}", key=f"k{number}")
            acknowledged.append(number)
        except StorageFull:
            refused.append(number)
    return acknowledged, refused


async def remembered(story: Session) -> list[int]:
    """Numbers of the messages in Bob's container, which Alice's and the world's must equal."""
    shelves = [(await story.backstage().inspect(owner)).memories for owner in ("bob", "alice", "world")]
    numbers = [[int(each.content.split("message ")[1].split()[0]) for each in memories] for memories in shelves]
    assert numbers[0] == numbers[1] == numbers[2]
    return numbers[0]


async def journal(story: Session) -> list[object]:
    """What was told."""
    entries = await story._engine.ledger.entries(story.id)
    return [entry for entry in entries if entry.key.startswith("k")]


async def leave_room(database: Database, *, pages: int) -> None:
    """Make the file as large as the disk has room for, but for so many pages."""

    def limit(connection: apsw.Connection) -> None:
        here = int(connection.pragma("page_count"))
        connection.execute(f"PRAGMA max_page_count = {here + pages}")

    await database.write(limit)
