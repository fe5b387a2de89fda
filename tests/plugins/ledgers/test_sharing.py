"""What the deliveries of a plan have in common is stored once."""

from pathlib import Path
from typing import Any

import apsw

from earwitness.records.memory import Support
from earwitness.records.plan import Delivery, Snapshot

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
