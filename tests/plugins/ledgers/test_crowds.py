"""Plans that very many hear: what differs in their owners only is written together, and read as it was recorded."""

import json
import sqlite3
from functools import cached_property
from typing import Any

import pytest

from earwitness.containers import character_container
from earwitness.end import store_work
from earwitness.loading.resources import Resources
from earwitness.records.journal import Said
from earwitness.records.plan import Withdrawal
from earwitness.records.snapshot import Snapshot
from earwitness.records.update import Knowledge
from earwitness.testing.ledger import LedgerSuite
from earwitness.testing.promises import PromisesSuite
from earwitness_plugins.embedders.static import StaticEmbedder
from earwitness_plugins.ledgers.sqlite import SqliteLedger, deliveries, delivery_rows
from earwitness_plugins.stores.sqlite import SqliteStore

NOON = "2026-11-21T12:00:00+00:00"
FIRST = Snapshot(id="s1")
NAMES = ["o'brien", 'the "grey" one', "Ødegård", "猫", "🦊", "back\\slash", *(f"c{number}" for number in range(700))]


@pytest.fixture
def crowd(delivery: Any) -> list[Any]:
    """Deliveries to hundreds, most of them alike: some hear another text, and one is told news."""
    heard = [
        delivery(name, body="whispers" if number % 50 == 7 else "the bells ring") for number, name in enumerate(NAMES)
    ]
    cited = delivery("zoe").model_copy(update={"knowledge": (Knowledge(text="It is noon.", cites=("m1",)),)})
    return [delivery("world", body="The bells ring."), *heard, cited, delivery("zoe-2", status="struck")]


async def test_a_plan_that_hundreds_hear_is_shown_as_it_was_recorded(
    ledger: SqliteLedger, crowd: list[Any], plan: Any
) -> None:
    await ledger.create(FIRST, [])
    whole = plan(1, *crowd)
    await ledger.record(whole, FIRST.after(whole))
    assert await ledger.plan("s1", 1) == whole
    assert list(await ledger.deliveries("s1")) == crowd
    assert list(await ledger.citing("s1", ["m1"])) == [crowd[-2].memory_id]


async def test_hundreds_of_deliveries_are_acknowledged_in_batches(
    ledger: SqliteLedger, crowd: list[Any], plan: Any
) -> None:
    await ledger.create(FIRST, [])
    await ledger.append("s1", Said(speaker="alice", content="The bells ring."), timestamp=NOON)
    whole = plan(1, *crowd)
    await ledger.record(whole, FIRST.after(whole))
    ids = [each.id for each in crowd]
    for count in (1, deliveries.MANY_IDS, 300):
        await ledger.acknowledge("s1", (), ids[:count])
        applied = await ledger.deliveries("s1", status="applied")
        assert [each.id for each in applied] == ids[:count]
    await ledger.acknowledge("s1", [1], ids)
    left = {each.owner: each.status for each in await ledger.deliveries("s1") if each.status != "applied"}
    assert left == {"zoe-2": "struck"}


async def test_what_hundreds_have_heard_already_is_not_written_again(
    ledger: SqliteLedger, crowd: list[Any], plan: Any, delivery: Any
) -> None:
    await ledger.create(FIRST, [])
    whole = plan(1, *crowd)
    await ledger.record(whole, FIRST.after(whole))
    more = [delivery(f"late-{number}", body="the bells ring") for number in range(400)]
    again = plan(2, *crowd[:300], *more)
    await ledger.record(again, FIRST.after(again))
    assert [each.memory_id for each in await ledger.deliveries("s1")] == [each.memory_id for each in [*crowd, *more]]
    container = character_container("s1", "late-399").name
    assert len(await ledger.deliveries("s1", container=container)) == 1


async def test_ids_of_any_length_and_containers_of_any_name_are_written_as_they_are(
    ledger: SqliteLedger, crowd: list[Any], plan: Any
) -> None:
    longer = [
        each.model_copy(update={"memory_id": "x" * (place % 40) + str(place)}) for place, each in enumerate(crowd)
    ]
    moved = [each.model_copy(update={"container": f"elsewhere-{place}"}) for place, each in enumerate(crowd)]
    for sequence, changed in enumerate((longer, [*crowd[:300], *moved[300:]]), 1):
        session = f"session-{sequence}"
        await ledger.create(Snapshot(id=session), [])
        own = [each.model_copy(update={"session": session}) for each in changed]
        whole = plan(1, *own).model_copy(update={"session": session})
        await ledger.record(whole, Snapshot(id=session).after(whole))
        assert await ledger.plan(session, 1) == whole


async def test_a_crowd_is_written_by_few_statements(crowd: list[Any]) -> None:
    rows = await delivery_rows.DeliveryRows.of(crowd)
    written: list[int] = []

    class Connection:
        def execute(self, statement: str, bindings: tuple[Any, ...]) -> None:
            written.append(len(json.loads(bindings[2])))

    numbers = {text: number for number, text in enumerate(rows.shared)}
    runs = [(run.rows, run.columns(numbers, applied=False)) for run in rows.runs]
    delivery_rows.write(Connection(), (1, 1), runs)  # type: ignore[arg-type]
    assert sum(written) == len(crowd)
    assert len(written) < len(crowd) / 15


# ── crowds that are one row ─────────────────────────────────────────────────────────────────────────────────────────


@pytest.fixture
def listeners(delivery: Any) -> list[Any]:
    """The copies of one message: the world's, and those of hundreds who heard the same."""
    return [delivery("world", body="The bells ring."), *(delivery(name) for name in NAMES)]


@pytest.fixture
async def told(ledger: SqliteLedger, listeners: list[Any], plan: Any) -> Any:
    """A plan that is recorded, and applied for nobody yet."""
    await ledger.create(FIRST, [])
    await ledger.append("s1", Said(speaker="alice", content="The bells ring."), timestamp=NOON)
    whole = plan(1, *listeners)
    await ledger.record(whole, FIRST.after(whole))
    return whole


def rows_of(path: Any, table: str = "ledger_deliveries") -> int:
    with sqlite3.connect(path) as connection:
        return int(connection.execute(f"SELECT count(*) FROM {table}").fetchone()[0])


async def test_a_crowd_is_one_row_until_its_copies_are_applied(
    ledger: SqliteLedger, path: Any, told: Any, listeners: list[Any]
) -> None:
    assert (rows_of(path), rows_of(path, "ledger_crowds")) == (1, 1)
    ids = [each.id for each in listeners]
    await ledger.acknowledge("s1", (), ids[:65])
    assert (rows_of(path), rows_of(path, "ledger_crowds")) == (65, 1)
    await ledger.acknowledge("s1", [1], ids[65:])
    assert (rows_of(path), rows_of(path, "ledger_crowds"), rows_of(path, "ledger_crowd_members")) == (len(ids), 0, 0)
    assert list(await ledger.deliveries("s1", status="applied")) == [
        each.model_copy(update={"status": "applied"}) for each in listeners
    ]


async def test_a_question_about_one_of_a_crowd_writes_one_row(ledger: SqliteLedger, path: Any, told: Any) -> None:
    (found,) = await ledger.deliveries("s1", container="s1-c7")
    assert (found.owner, found.status, rows_of(path)) == ("c7", "pending", 2)
    assert list(await ledger.deliveries("s1", container="s1-nobody")) == []
    assert list(await ledger.deliveries("s1", sources=["another"])) == []
    assert list(await ledger.deliveries("s1", status="applied")) == []
    assert [each.owner for each in await ledger.deliveries("s1", memory_ids=[found.memory_id])] == ["c7"]
    assert rows_of(path) == 2
    await ledger.acknowledge("s1", (), [found.id])
    assert [each.status for each in await ledger.deliveries("s1", container="s1-c7")] == ["applied"]


async def test_a_crowd_is_whole_to_whoever_asks_for_all_of_it(
    ledger: SqliteLedger, path: Any, told: Any, listeners: list[Any]
) -> None:
    await ledger.acknowledge("s1", (), [each.id for each in listeners[:9]])
    assert (await ledger.health()).details["pending_deliveries"] == len(listeners) - 9
    assert await ledger.plan("s1", 1) == told
    assert (rows_of(path), rows_of(path, "ledger_crowds")) == (len(listeners), 0)
    assert len(await ledger.deliveries("s1", status="pending")) == len(listeners) - 9


async def test_another_process_sees_a_crowd_that_is_half_applied(
    ledger: SqliteLedger, ledger_at: Any, path: Any, told: Any, listeners: list[Any]
) -> None:
    ids = [each.id for each in listeners]
    await ledger.acknowledge("s1", (), ids[:100])
    other = ledger_at(path)
    await other.open()
    assert [each.status for each in await other.deliveries("s1")] == ["applied"] * 100 + ["pending"] * (len(ids) - 100)
    await ledger.acknowledge("s1", [1], ids[50:])
    assert {each.status for each in await other.deliveries("s1")} == {"applied"}
    assert rows_of(path) == len(ids)
    await other.close()


async def test_what_takes_a_crowd_back_finds_it_whole(
    ledger: SqliteLedger, told: Any, listeners: list[Any], plan: Any
) -> None:
    removed = {each.id: each.memory_id for each in listeners}
    gone = plan(2).model_copy(update={"withdrawals": (Withdrawal(source="m1", removes=removed, reason="retracted"),)})
    await ledger.record(gone, FIRST.after(told).after(gone))
    assert {each.status for each in await ledger.deliveries("s1")} == {"withdrawn"}
    await ledger.acknowledge("s1", [1, 2], list(removed))
    assert {each.status for each in await ledger.deliveries("s1")} == {"withdrawn"}


async def test_forgetting_one_of_a_crowd_leaves_the_others(
    ledger: SqliteLedger, path: Any, told: Any, listeners: list[Any]
) -> None:
    await ledger.forget_owner("s1", "c7")
    left = await ledger.deliveries("s1", status="pending")
    assert [each.owner for each in left] == [each.owner for each in listeners if each.owner != "c7"]
    await ledger.forget("s1")
    assert {table: rows_of(path, table) for table in ("ledger_deliveries", "ledger_crowds", "ledger_shared")} == {
        "ledger_deliveries": 0,
        "ledger_crowds": 0,
        "ledger_shared": 0,
    }


class TestCrowdsOfOne(LedgerSuite):
    """The whole contract, where each copy of a message is kept as a crowd."""

    @pytest.fixture(autouse=True)
    def small(self, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setattr(delivery_rows, "CROWD", 0)

    def make_ledger(self) -> SqliteLedger:
        return SqliteLedger(path=str(self.folder / "story.db"), resources=Resources())


class TestPromisesOnCrowdsOfOne(PromisesSuite):
    """All promises, where each copy of a message is kept as a crowd; nothing is applied as it is recorded."""

    examples = 10

    @pytest.fixture(autouse=True)
    def small(self, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setattr(delivery_rows, "CROWD", 0)
        monkeypatch.setattr(store_work, "BATCH", 1)

    @cached_property
    def _embedder(self) -> StaticEmbedder:
        return StaticEmbedder()

    def make_store_and_ledger(self) -> tuple[SqliteStore, SqliteLedger]:
        path, resources = str(self.folder / "story.db"), Resources()
        store = SqliteStore(path=path, embedder=self._embedder, resources=resources)
        return store, SqliteLedger(path=path, resources=resources)
