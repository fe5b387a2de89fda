"""Plans that very many hear: what differs in their owners only is written together, and read as it was recorded."""

import json
from typing import Any

import pytest

from earwitness.containers import character_container
from earwitness.records.journal import Said
from earwitness.records.snapshot import Snapshot
from earwitness.records.update import Knowledge
from earwitness_plugins.ledgers.sqlite import SqliteLedger, deliveries

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
    rows = await deliveries.DeliveryRows.of(crowd)
    written: list[int] = []

    class Connection:
        def execute(self, statement: str, bindings: tuple[Any, ...]) -> None:
            written.append(len(json.loads(bindings[2])))

    numbers = {text: number for number, text in enumerate(rows.shared)}
    runs = [(run.rows, run.columns(numbers, applied=False)) for run in rows.runs]
    deliveries._insert_all(Connection(), (1, 1), runs)  # type: ignore[arg-type]
    assert sum(written) == len(crowd)
    assert len(written) < len(crowd) / 15
