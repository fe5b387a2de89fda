"""Where ledger and store share a file, a plan and its memories are written together or not at all."""

import asyncio
from collections.abc import Sequence
from pathlib import Path

import apsw
import pytest

from earwitness import Earwitness
from earwitness.containers import character_container
from earwitness.errors import StorageError
from earwitness.loading.resources import Resources
from earwitness.records.memory import Memory
from earwitness.records.plan import Plan
from earwitness.records.snapshot import Snapshot
from earwitness_plugins.ledgers.sqlite import SqliteLedger
from earwitness_plugins.sqlite import Transaction
from earwitness_plugins.stores.sqlite import SqliteStore

CAST = ["alice", "bob"]


async def test_a_decided_message_is_in_the_store_already(tmp_path: Path) -> None:
    async with Earwitness.open(tmp_path / "story.db") as ew:
        story = await ew.session("s1", cast=CAST, present=CAST)
        outcome = await story.say("alice", "Hello, Bob.")
        await outcome.decided()
        found = await ew.engine.store.list("s1-bob")
        (delivered,) = await ew.engine.ledger.deliveries("s1", container="s1-bob")
        (entry,) = await ew.engine.ledger.entries("s1", after=outcome.sequence - 1)
    assert [memory.id for memory in found] == [delivered.memory_id]
    assert delivered.status == "applied"
    assert entry.applied


async def test_the_recorded_plan_still_shows_what_was_decided(tmp_path: Path) -> None:
    async with Earwitness.open(tmp_path / "story.db") as ew:
        story = await ew.session("s1", cast=CAST, present=CAST)
        outcome = await story.say("alice", "Hello, Bob.")
        plan = (await outcome.settled()).plan
        assert await ew.engine.ledger.plan("s1", outcome.sequence) == plan
    assert {each.status for each in plan.deliveries} == {"pending"}


class Refusing(SqliteStore):
    """Refuses to prepare, or to write what it prepared, the first time."""

    def __init__(self, path: Path, when: str, resources: Resources) -> None:
        super().__init__(path=str(path), embedder=None, resources=resources)
        self.when: str | None = when
        self.prepared_for = 0

    async def prepared(self, memories: Sequence[Memory]) -> Transaction[None]:
        """As the store's own, but for the first time."""
        self.prepared_for += 1
        when, self.when = self.when, None
        if when == "preparing":
            raise RuntimeError("the model is on fire")
        work = await super().prepared(memories)
        return _disk_full if when == "writing" else work


def _disk_full(connection: apsw.Connection) -> None:
    raise StorageError("the disk is full")


@pytest.mark.parametrize("when", ["preparing", "writing"])
async def test_a_store_that_refuses_stops_no_decision(tmp_path: Path, when: str) -> None:
    path, resources = tmp_path / "story.db", Resources()
    store = Refusing(path, when, resources)
    ledger = SqliteLedger(path=str(path), resources=resources)
    async with Earwitness.open(store=store, ledger=ledger) as ew:
        story = await ew.session("s1", cast=CAST, present=CAST)
        outcome = await story.say("alice", "Hello, Bob.")
        assert "bob" in (await outcome.decided()).participants
        await story.delivered(timeout=5)
        assert len(await store.list("s1-bob")) == 1
    assert store.prepared_for > 1


async def test_of_two_plans_for_one_entry_the_second_writes_no_memory(tmp_path: Path) -> None:
    path, resources = str(tmp_path / "story.db"), Resources()
    ledger, store = (
        SqliteLedger(path=path, resources=resources),
        SqliteStore(path=path, embedder=None, resources=resources),
    )
    await ledger.open()
    await store.open()
    first, second = (Plan(session="s1", sequence=1, key="k", degraded=degraded) for degraded in (False, True))
    await ledger.create(Snapshot(id="s1"), [character_container("s1", "bob")])
    after = Snapshot(id="s1").after(first)
    assert await ledger.record(first, after) == first
    memory = Memory(id="m", container="s1-bob", content="Words.", metadata={})
    assert await ledger.record_applied(second, after, await store.prepared([memory]), []) == first
    assert await store.count("s1-bob") == 0
    await store.close()
    await ledger.close()


async def test_a_story_goes_on_while_earlier_memories_are_left(tmp_path: Path) -> None:
    path, resources = tmp_path / "story.db", Resources()
    store = Refusing(path, "preparing", resources)
    async with Earwitness.open(store=store, ledger=SqliteLedger(path=str(path), resources=resources)) as ew:
        story = await ew.session("s1", cast=CAST, present=CAST)
        outcomes = [await story.say("alice", f"Words {number}.") for number in range(20)]
        await asyncio.gather(*(outcome.decided() for outcome in outcomes))
        await story.delivered(timeout=5)
        found = await store.list("s1-bob")
    assert [f"Words {number}." in memory.content for number, memory in enumerate(found)] == [True] * 20
