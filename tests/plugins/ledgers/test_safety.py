"""A full disk, a locked or foreign file, several processes, and a kill: what was acknowledged is there."""

# ruff: noqa: ASYNC240 - looking at a file may block a test
import asyncio
import subprocess
import sys
from contextlib import closing
from hashlib import sha256
from pathlib import Path
from typing import Any

import apsw
import pytest

from earwitness.errors import SchemaMismatch, StorageCorrupt, StorageFull, StorageLocked
from earwitness.loading.resources import Resources
from earwitness.records.journal import Said
from earwitness.records.snapshot import Snapshot
from earwitness_plugins.ledgers.sqlite import SqliteLedger
from earwitness_plugins.sqlite import Database

NOON = "2026-11-21T12:00:00+00:00"
NOISE = "".join(sha256(str(number).encode()).hexdigest() for number in range(600))
LONG = Said(speaker="alice", content=NOISE)  # about 20 KB however well it is deflated

STORYTELLER = """
import asyncio, sys
from earwitness.loading.resources import Resources
from earwitness.records.journal import Said
from earwitness.records.memory import Support
from earwitness.records.plan import Delivery, Plan
from earwitness.records.snapshot import Snapshot
from earwitness_plugins.ledgers.sqlite import SqliteLedger

async def tell(path, name, number):
    ledger = SqliteLedger(path=path, resources=Resources())
    await ledger.open()
    snapshot = await ledger.create(Snapshot(id="s1"), [])
    for each in range(number):
        said = Said(speaker="alice", content=f"{name} {each}")
        appended = await ledger.append("s1", said, key=f"{name}-{each}", timestamp="2026-11-21T12:00:00+00:00")
        print("said", appended.entry.sequence, appended.entry.key, flush=True)
        if name == "settling":
            await settle(ledger, snapshot, appended.entry.sequence)
            print("settled", appended.entry.sequence, "", flush=True)
    await ledger.close()

async def settle(ledger, snapshot, sequence):
    made = [
        Delivery(session="s1", sequence=sequence, memory_id=f"{owner}-{sequence}", container=f"s1-{owner}",
                 owner=owner, source=f"#{sequence}", body="words", support=Support(learned_day=1), due=1)
        for owner in ("alice", "bob", "world")
    ]
    plan = Plan(session="s1", sequence=sequence, key=f"#{sequence}", deliveries=made, news_seen={"alice": sequence})
    await ledger.record(plan, snapshot.after(plan))
    await ledger.acknowledge("s1", [sequence], [each.id for each in made])
    await ledger.sync()

asyncio.run(tell(sys.argv[1], sys.argv[2], int(sys.argv[3])))
"""


def storyteller(path: Path, name: str, number: int) -> "subprocess.Popen[str]":
    command = [sys.executable, "-c", STORYTELLER, str(path), name, str(number)]
    return subprocess.Popen(command, stdout=subprocess.PIPE, text=True)


def heard(output: str) -> list[tuple[str, int, str]]:
    """What a storyteller acknowledged: word, sequence number, key. A line cut by a kill is none."""
    lines = [line.split(" ") for line in output.splitlines(keepends=True) if line.endswith("\n")]
    return [(word, int(sequence), key.strip()) for word, sequence, key in lines]


async def test_processes_that_tell_one_session_count_without_a_gap(ledger_at: Any, path: Path) -> None:
    running = [storyteller(path, name, 80) for name in ("a", "b")]
    told = [each for process in running for each in heard(process.communicate(timeout=60)[0])]
    assert [process.returncode for process in running] == [0, 0]
    assert sorted(sequence for _, sequence, _ in told) == list(range(1, 161))
    ledger = ledger_at(path)
    await ledger.open()
    assert {(entry.sequence, entry.key) for entry in await ledger.entries("s1")} == {(s, k) for _, s, k in told}
    await ledger.close()


async def test_everything_acknowledged_survives_a_kill(ledger_at: Any, path: Path) -> None:
    told: list[tuple[str, int, str]] = []
    for round in range(3):
        with storyteller(path, "settling" if round else "appending", 1_000_000) as process:
            assert process.stdout is not None
            first = process.stdout.readline()
            await asyncio.sleep(0.05 * (round + 1))
            process.kill()
            told += heard(first + process.stdout.read())
    ledger = ledger_at(path)
    await ledger.open()
    entries = {entry.sequence: entry for entry in await ledger.entries("s1")}
    assert list(entries) == list(range(1, len(entries) + 1))
    assert {(s, k) for word, s, k in told if word == "said"} <= {(e.sequence, e.key) for e in entries.values()}
    settled = {sequence for word, sequence, _ in told if word == "settled"}
    assert settled
    assert settled <= {sequence for sequence, entry in entries.items() if entry.applied}
    for plan in await ledger.plans("s1"):
        assert len(plan.deliveries) == 3
    applied = [found.sequence for found in await ledger.deliveries("s1", status="applied")]
    assert all(applied.count(sequence) == 3 for sequence in settled)
    assert (await ledger.load("s1")).decided >= max(settled)
    assert (await ledger.health()).details["integrity"] == "ok"
    await ledger.close()


async def test_a_full_disk_refuses_a_message_and_keeps_the_others(ledger: Any, path: Path) -> None:
    await ledger.create(Snapshot(id="s1"), [])
    await ledger.append("s1", LONG, timestamp=NOON)
    await _limit(ledger, spare_pages=12)
    with pytest.raises(StorageFull, match="no space left"):
        await _fill(ledger)
    kept = len(await ledger.entries("s1"))
    await _limit(ledger, spare_pages=1000)
    assert (await ledger.append("s1", LONG, timestamp=NOON)).entry.sequence == kept + 1


async def test_a_plan_that_finds_no_room_leaves_nothing_of_itself(ledger: Any, delivery: Any, plan: Any) -> None:
    first = await ledger.create(Snapshot(id="s1"), [])
    await _limit(ledger, spare_pages=10)
    large = plan(1, *(delivery(f"c{number}", body=f"{number} {LONG.content}") for number in range(12)))
    with pytest.raises(StorageFull):
        await ledger.record(large, first.after(large))
    assert await ledger.plan("s1", 1) is None
    assert list(await ledger.deliveries("s1")) == []
    assert await ledger.load("s1") == first


async def test_a_locked_file_is_one_clear_error(path: Path, ledger_at: Any, said: Said) -> None:
    resources = Resources()
    Database.at(str(path), resources, busy_timeout=0.1)
    ledger = SqliteLedger(path=str(path), resources=resources)
    await ledger.open()
    await ledger.create(Snapshot(id="s1"), [])
    with closing(apsw.Connection(str(path))) as other:
        other.execute("BEGIN IMMEDIATE")
        with pytest.raises(StorageLocked, match="locked by another process"):
            await ledger.append("s1", said, timestamp=NOON)
        assert await ledger.load("s1") == Snapshot(id="s1")
    assert (await ledger.append("s1", said, timestamp=NOON)).entry.sequence == 1
    await ledger.close()


async def test_a_file_that_is_not_ours_is_refused_and_left_untouched(ledger_at: Any, path: Path) -> None:
    path.write_bytes(b"Once upon a time\n" * 1000)
    with pytest.raises(StorageCorrupt, match=r"story\.db' is not an Earwitness store"):
        await ledger_at(path).open()
    assert path.read_bytes() == b"Once upon a time\n" * 1000
    assert list(path.parent.iterdir()) == [path]


async def test_a_file_of_a_newer_earwitness_is_refused_and_left_as_it_is(ledger_at: Any, path: Path) -> None:
    ledger = ledger_at(path)
    await ledger.open()
    await ledger.close()
    with closing(apsw.Connection(str(path))) as newer:
        newer.execute("UPDATE schema SET version = 99 WHERE component = 'ledger'")
        newer.wal_checkpoint(mode=apsw.SQLITE_CHECKPOINT_TRUNCATE)
    before = path.read_bytes()
    with pytest.raises(SchemaMismatch, match="newer Earwitness: its ledger tables have version 99"):
        await ledger.open()
    assert path.read_bytes() == before


async def _limit(ledger: Any, spare_pages: int) -> None:
    def limit(connection: apsw.Connection) -> None:
        pages = int(connection.pragma("page_count"))
        connection.execute(f"PRAGMA max_page_count = {pages + spare_pages}")

    await ledger._database.write(limit)


async def _fill(ledger: Any) -> None:
    for _ in range(10):
        await ledger.append("s1", LONG, timestamp=NOON)
