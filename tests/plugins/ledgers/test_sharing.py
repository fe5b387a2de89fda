"""What the deliveries of a plan have in common is stored once."""

from pathlib import Path
from typing import Any

import apsw

from earwitness.records.memory import Support
from earwitness.records.plan import Delivery
from earwitness.records.snapshot import Snapshot
from earwitness_plugins.sqlite.blobs import inflated

FIRST = Snapshot(id="s1")
CROWD = [f"listener-{number:04}" for number in range(2_000)]


def heard(delivery: Any, owner: str, who: list[str] = CROWD) -> Delivery:
    made: Delivery = delivery(owner, metadata={"type": "message", "participants": who, "isSpeaker": owner == "alice"})
    return made


async def test_a_list_of_thousands_is_stored_once_a_plan_and_shown_whole_in_every_delivery(
    ledger: Any, path: Path, delivery: Any, plan: Any
) -> None:
    await ledger.create(FIRST, [])
    whole = plan(1, *(heard(delivery, owner) for owner in ("alice", *CROWD[:300])))
    await ledger.record(whole, FIRST.after(whole))
    assert await ledger.plan("s1", 1) == whole
    assert list(await ledger.deliveries("s1")) == list(whole.deliveries)
    assert list(await ledger.deliveries("s1", memory_ids=["alice-1"])) == [whole.deliveries[0]]
    assert (await ledger.health()).details["bytes"] < 700_000
    connection = apsw.Connection(str(path))
    assert connection.execute("SELECT count(*) FROM ledger_shared").get == 4  # a body, two kinds of fields, the list
    connection.close()


async def test_deliveries_that_are_read_together_share_their_lists(ledger: Any, delivery: Any, plan: Any) -> None:
    await ledger.create(FIRST, [])
    whole = plan(1, *(heard(delivery, owner) for owner in ("alice", "bob", "carol")))
    await ledger.record(whole, FIRST.after(whole))
    alice, bob, carol = (each.metadata["participants"] for each in await ledger.deliveries("s1"))
    assert alice is bob is carol


async def test_equal_lists_of_different_deliveries_are_equal_again(ledger: Any, delivery: Any, plan: Any) -> None:
    await ledger.create(FIRST, [])
    whole = plan(
        1,
        heard(delivery, "alice", list(CROWD)),
        heard(delivery, "bob", list(CROWD)),
        heard(delivery, "carol", CROWD[1:]),
        delivery("dora", metadata={"participants": CROWD, "audience": CROWD[:20], "words": CROWD[:16]}),
        delivery("eve", metadata={}, support=Support(how="shared", shared_from="bob", learned_day=2), due=2),
    )
    await ledger.record(whole, FIRST.after(whole))
    again = await ledger.plan("s1", 1)
    assert again == whole
    assert list(again.deliveries[3].metadata) == ["participants", "audience", "words"]


def witnessed(delivery: Any, owner: str, why: str | None, **more: Any) -> Delivery:
    who = {} if owner == "world" else {"isSpeaker": owner == "alice"}
    metadata = {"type": "message", "loud": 1, **who, **more}
    made: Delivery = delivery(owner, metadata=metadata, support=Support(learned_day=1, rule=why))
    return made


async def test_the_copies_of_a_message_store_only_what_is_different_in_them(
    ledger: Any, path: Path, delivery: Any, plan: Any
) -> None:
    await ledger.create(FIRST, [])
    copies = [witnessed(delivery, owner, f"here since message {place}") for place, owner in enumerate(CROWD[:6])]
    whole = plan(1, witnessed(delivery, "world", None), *copies, witnessed(delivery, "alice", "said it"))
    await ledger.record(whole, FIRST.after(whole))
    assert await ledger.plan("s1", 1) == whole
    assert list(await ledger.deliveries("s1", memory_ids=["alice-1"])) == [whole.deliveries[-1]]
    assert [each.metadata for each in (await ledger.plan("s1", 1)).deliveries] == [e.metadata for e in whole.deliveries]
    connection = apsw.Connection(str(path))
    assert connection.execute("SELECT count(*) FROM ledger_shared").get == 2  # a body, and the fields of the world's
    connection.close()


async def test_a_copy_that_is_different_in_more_than_its_evidence_is_shown_as_it_is(
    ledger: Any, delivery: Any, plan: Any
) -> None:
    await ledger.create(FIRST, [])
    whole = plan(
        1,
        witnessed(delivery, "world", None),
        witnessed(delivery, "alice", "said “it” 😀"),
        witnessed(delivery, "bob", None, loud=True, words=CROWD[:20]),
        witnessed(delivery, "carol", "told", mood="glad"),
        delivery("dora", metadata={"loud": 1, "type": "message"}),
        delivery("eve", metadata={"type": "message", "loud": 1}, due=3),
    )
    await ledger.record(whole, FIRST.after(whole))
    again = await ledger.plan("s1", 1)
    assert again == whole
    assert again.deliveries[2].metadata["loud"] is True
    assert list(again.deliveries[4].metadata) == ["loud", "type"]


async def test_copies_stay_whole_when_one_of_their_owners_is_forgotten(ledger: Any, delivery: Any, plan: Any) -> None:
    await ledger.create(FIRST, [])
    whole = plan(1, *(witnessed(delivery, owner, owner) for owner in ("world", "alice", "bob")))
    await ledger.record(whole, FIRST.after(whole))
    await ledger.acknowledge("s1", [1], [each.id for each in whole.deliveries])
    await ledger.forget_owner("s1", "alice")
    assert (await ledger.plan("s1", 1)).deliveries == (whole.deliveries[0], whole.deliveries[2])


async def test_no_evidence_of_a_forgotten_owner_is_left_in_the_file(
    ledger: Any, path: Path, delivery: Any, plan: Any
) -> None:
    await ledger.create(FIRST, [])
    whole = plan(1, *(witnessed(delivery, owner, f"evidence of {owner}") for owner in ("alice", "bob")))
    await ledger.record(whole, FIRST.after(whole))
    await ledger.acknowledge("s1", [1], [each.id for each in whole.deliveries])
    await ledger.forget_owner("s1", "alice")
    assert (await ledger.plan("s1", 1)).deliveries == (whole.deliveries[1],)
    connection = apsw.Connection(str(path))
    texts = [inflated(bytes(data)) for (data,) in connection.execute("SELECT data FROM ledger_shared")]
    connection.close()
    assert not any("evidence of alice" in text for text in texts)
