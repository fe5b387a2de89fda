"""Promises 4 and 6, for a ledger: a retraction removes a memory everywhere, with all that rests on it, for good."""

# ruff: noqa: S101
from __future__ import annotations

from collections.abc import Sequence
from itertools import count
from typing import TYPE_CHECKING

from ...end.withdrawals import of_memory, of_source
from ...protocols import Ledger
from ...records.plan import Plan, Restoration, Withdrawal
from ..reference import MemoryLedger
from ..samples import delivery, plan
from ..suite import case
from .ledger_base import LedgerCases

if TYPE_CHECKING:
    from ..stories import Step


BY = "retracted by author"


async def retraction(ledger: Ledger, sequence: int, *, source: str | None = None, memory_id: str | None = None) -> Plan:
    """A plan that only removes: the deliveries that core finds in the ledger for this retraction."""
    if source is not None:
        return plan(sequence, withdrawals=(await of_source(ledger, "s1", source, BY),))
    return plan(sequence, withdrawals=(await of_memory(ledger, "s1", memory_id or "", BY),))


class Withdrawals(LedgerCases):
    """`Plan.withdrawals`."""

    @case
    async def test_retracting_a_source_takes_it_from_everybody(self, ledger: Ledger) -> None:
        """Deliveries first hand or told, active or due later, are removed; other sources stay. The reason is kept."""
        await self.delivered(ledger, delivery("a"), delivery("b", owner="bob"), delivery("w", owner="world"))
        await self.recorded(ledger, plan(2, delivery("c", sequence=2, owner="bob", via="a", due=9)), applied=False)
        await self.recorded(
            ledger, plan(3, delivery("d", sequence=3, source="#3"), delivery("e", sequence=3, source="#11"))
        )
        await self.recorded(ledger, await retraction(ledger, 4, source="#1"))
        assert await self.standing(ledger) == ["d", "e"]
        gone = await ledger.deliveries("s1", status="withdrawn")
        assert sorted(found.memory_id for found in gone) == ["a", "b", "c", "w"]
        assert {found.reason for found in gone} == {"retracted by author"}
        assert list(await ledger.deliveries("s1", status="pending")) == []

    @case
    async def test_a_revision_keeps_what_its_own_plan_brings(self, ledger: Ledger) -> None:
        """The old words go and the new ones stay, though both have the same source."""
        await self.delivered(ledger, delivery("old-a"), delivery("old-b", owner="bob"))
        old = await of_source(ledger, "s1", "#1", "edited")
        await self.recorded(ledger, plan(2, delivery("new-a", sequence=2), withdrawals=(old,)))
        assert await self.standing(ledger) == ["new-a"]
        old = await of_source(ledger, "s1", "#1", "edited")
        await self.recorded(ledger, plan(3, delivery("newer", sequence=3), withdrawals=(old,)))
        assert await self.standing(ledger) == ["newer"]

    @case
    async def test_a_withdrawal_stays_in_its_session(self, ledger: Ledger) -> None:
        """It leaves sources and memory ids of the same name in another session alone."""
        await self.delivered(ledger, delivery("a"))
        await self.story(ledger, "s2")
        await self.recorded(
            ledger, plan(1, delivery("a", session="s2"), delivery("b", session="s2", via="a"), session="s2")
        )
        await self.recorded(ledger, await retraction(ledger, 2, source="#1"))
        await self.recorded(ledger, await retraction(ledger, 3, memory_id="a"))
        assert await self.standing(ledger) == []
        assert await self.standing(ledger, "s2") == ["a", "b"]

    @case
    async def test_retracting_a_memory_takes_every_way_to_it(self, ledger: Ledger) -> None:
        """Other memories of the same source stay unless they were told on from it."""
        await self.delivered(ledger, delivery("a"), delivery("a", how="witnessed"), delivery("b", owner="bob"))
        await self.recorded(ledger, await retraction(ledger, 2, memory_id="a"))
        assert await self.standing(ledger) == ["b"]

    @case
    async def test_what_was_told_on_falls_hop_by_hop(self, ledger: Ledger) -> None:
        """This includes tellings that are still on their way."""
        await self.delivered(ledger, delivery("a"), delivery("b", owner="bob", via="a"))
        await self.recorded(ledger, plan(2, delivery("c", sequence=2, owner="charlie", via="b")))
        await self.recorded(ledger, plan(3, delivery("d", sequence=3, owner="dora", via="c", due=20)), applied=False)
        await self.recorded(ledger, await retraction(ledger, 4, memory_id="a"))
        assert await self.standing(ledger) == []

    @case
    async def test_who_knows_it_another_way_keeps_it_and_so_do_their_listeners(self, ledger: Ledger) -> None:
        """One support is removed; the memory lives while another is active."""
        seen, heard = delivery("b", owner="bob", how="witnessed"), delivery("b", owner="bob", via="a")
        await self.delivered(ledger, delivery("a"), seen, heard, delivery("c", owner="charlie", via="b"))
        await self.recorded(ledger, await retraction(ledger, 2, memory_id="a"))
        assert await self.standing(ledger) == ["b", "c"]
        assert [found.support.how for found in await ledger.deliveries("s1", memory_ids=["b"], status="applied")] == [
            "witnessed"
        ]
        await self.recorded(ledger, await retraction(ledger, 3, memory_id="b"))
        assert await self.standing(ledger) == []

    @case
    async def test_hearing_it_from_two_falls_only_with_both(self, ledger: Ledger) -> None:
        """Charlie was told by Alice and by Bob."""
        ways = delivery("c", owner="charlie", via="a"), delivery("c", owner="charlie", via="b")
        await self.delivered(ledger, delivery("a"), delivery("b", owner="bob"), *ways)
        await self.recorded(ledger, await retraction(ledger, 2, memory_id="a"))
        assert await self.standing(ledger) == ["b", "c"]
        await self.recorded(ledger, await retraction(ledger, 3, memory_id="b"))
        assert await self.standing(ledger) == []

    @case
    async def test_gossip_that_went_in_a_circle_holds_nothing_up(self, ledger: Ledger) -> None:
        """Bob told Charlie and Charlie told Bob. Without Alice, who told them first, neither knows it."""
        circle = delivery("b", owner="bob", via="c"), delivery("c", owner="charlie", via="b")
        await self.delivered(ledger, delivery("a"), delivery("b", owner="bob", via="a"), *circle)
        await self.recorded(ledger, await retraction(ledger, 2, memory_id="a"))
        assert await self.standing(ledger) == []

    @case
    async def test_what_was_withdrawn_never_returns(self, ledger: Ledger) -> None:
        """Neither a late acknowledgement nor a later plan with the same delivery brings it back."""
        made = delivery("a", due=9)
        await self.delivered(ledger, made, applied=False)
        await self.recorded(ledger, await retraction(ledger, 2, source="#1"))
        await ledger.acknowledge("s1", [1], [made.id])
        assert await self.standing(ledger) == []
        await self.recorded(ledger, plan(3, delivery("a", sequence=3)))
        assert await self.standing(ledger) == []
        await ledger.acknowledge("s1", [3], [made.id])
        assert [found.status for found in await ledger.deliveries("s1", memory_ids=["a"])] == ["withdrawn"]

    @case
    async def test_what_was_struck_stays_struck(self, ledger: Ledger) -> None:
        """A withdrawal leaves a struck delivery alone, and keeps the guard's reason."""
        struck = delivery("a").model_copy(update={"status": "struck", "reason": "a guard said no"})
        await self.delivered(ledger, struck, delivery("b", owner="bob"))
        await self.recorded(ledger, await retraction(ledger, 2, source="#1"))
        await self.recorded(ledger, await retraction(ledger, 3, memory_id="a"))
        found = [(made.status, made.reason) for made in await ledger.deliveries("s1", memory_ids=["a"])]
        assert found == [("struck", "a guard said no")]

    @case
    async def test_exactly_what_a_plan_says_falls_falls(self, ledger: Ledger) -> None:
        """It goes by delivery and memory, whatever the source, so a branch removes what was removed the first time.

        A due delivery may be struck when its day arrives.
        """
        heard, seen = delivery("b", owner="bob", via="a"), delivery("b", owner="bob", how="witnessed")
        late = delivery("c", sequence=2, owner="charlie", via="b", due=9)
        await self.delivered(ledger, delivery("a"), heard, seen)
        await self.recorded(ledger, plan(2, late), applied=False)
        named = Withdrawal(source="#1", reason="edited", removes={heard.id: "b", "nobody": "b"})
        struck = Withdrawal(status="struck", reason="a guard said no", removes={late.id: "c"})
        await self.recorded(ledger, plan(3, withdrawals=(named, struck)))
        found = {made.id: (made.status, made.reason) for made in await ledger.deliveries("s1")}
        assert found[heard.id] == ("withdrawn", "edited")
        assert found[late.id] == ("struck", "a guard said no")
        assert await self.standing(ledger) == ["a", "b"]

    @case
    async def test_what_was_derived_falls_with_any_of_its_grounds(self, ledger: Ledger) -> None:
        """This holds over several steps and across owners. Memories that rest on others stay."""
        grounds = [delivery(id, source=f"#{id}") for id in ("a", "b", "c")]
        summary = delivery("s", source="#s", rests_on=["a", "b"])
        passed_on, further = (
            delivery("t", owner="bob", source="#s", via="s"),
            delivery("u", source="#u", rests_on=["t"]),
        )
        await self.delivered(ledger, *grounds, summary, passed_on, further, delivery("v", source="#v", rests_on=["c"]))
        await self.recorded(ledger, await retraction(ledger, 2, memory_id="a"))
        assert await self.standing(ledger) == ["b", "c", "v"]
        await self.recorded(ledger, await retraction(ledger, 3, source="#c"))
        assert await self.standing(ledger) == ["b"]

    @case
    async def test_what_was_derived_stays_while_its_ground_is_known_another_way(self, ledger: Ledger) -> None:
        """Bob also saw what Alice told him."""
        seen, heard = delivery("b", owner="bob", how="witnessed"), delivery("b", owner="bob", via="a")
        await self.delivered(ledger, delivery("a"), seen, heard, delivery("s", owner="bob", rests_on=["b"]))
        await self.recorded(ledger, await retraction(ledger, 2, memory_id="a"))
        assert await self.standing(ledger) == ["b", "s"]
        await self.recorded(ledger, await retraction(ledger, 3, memory_id="b"))
        assert await self.standing(ledger) == []

    @case
    async def test_memories_derived_from_each_other_hold_nothing_up(self, ledger: Ledger) -> None:
        """One of the two also rested on the removed memory."""
        circle = delivery("s", rests_on=["a", "t"]), delivery("t", rests_on=["s"])
        await self.delivered(ledger, delivery("a"), *circle)
        await self.recorded(ledger, await retraction(ledger, 2, memory_id="a"))
        assert await self.standing(ledger) == []

    @case
    async def test_what_is_archived_can_be_restored_and_retracted(self, ledger: Ledger) -> None:
        """Memories that rest on an archived one stay. Restoring makes it due again, unless it has been retracted."""
        a, rests = delivery("a"), delivery("s", rests_on=["a"])
        await self.delivered(ledger, a, rests)
        away = Withdrawal(memory_id="a", removes={a.id: "a"}, status="archived", reason="archived")
        back = Restoration(memory_id="a", restores={a.id: "a", rests.id: "s"})
        await self.recorded(ledger, plan(2, withdrawals=(away,)))
        (archived,) = await ledger.deliveries("s1", status="archived")
        assert (archived.memory_id, archived.reason) == ("a", "archived")
        assert await self.standing(ledger) == ["s"]
        await self.recorded(ledger, plan(3, restorations=(back,)))
        (restored,) = await ledger.deliveries("s1", status="pending")
        assert (restored.memory_id, restored.reason) == ("a", None)
        await ledger.acknowledge("s1", [3], [a.id])
        await self.recorded(ledger, plan(4, withdrawals=(away,)))
        await self.recorded(ledger, await retraction(ledger, 5, memory_id="a"))
        assert await self.standing(ledger) == []
        await self.recorded(ledger, plan(6, restorations=(back,)))
        assert await self.standing(ledger) == []
        assert {found.status for found in await ledger.deliveries("s1")} == {"withdrawn"}

    @case
    async def test_what_is_recorded_as_archived_waits_to_be_restored(self, ledger: Ledger) -> None:
        """The new wording of an archived memory is archived from the beginning, and no acknowledgement applies it."""
        a = delivery("a").model_copy(update={"status": "archived", "reason": "archived"})
        await self.delivered(ledger, a)
        (archived,) = await ledger.deliveries("s1", status="archived")
        assert (archived.memory_id, archived.reason) == ("a", "archived")
        await self.recorded(ledger, plan(2, restorations=(Restoration(memory_id="a", restores={a.id: "a"}),)))
        (restored,) = await ledger.deliveries("s1", status="pending")
        assert (restored.memory_id, restored.reason) == ("a", None)

    @case
    async def test_taking_back_what_nobody_has_is_harmless(self, ledger: Ledger) -> None:
        """Repeating it is harmless too."""
        await self.delivered(ledger, delivery("a"))
        await self.recorded(ledger, await retraction(ledger, 2, source="nobody"))
        await self.recorded(ledger, await retraction(ledger, 3, memory_id="nobody"))
        assert await self.standing(ledger) == ["a"]
        await self.recorded(ledger, await retraction(ledger, 4, source="#1"))
        await self.recorded(ledger, await retraction(ledger, 5, source="#1"))
        assert await self.standing(ledger) == []

    @case
    async def test_random_stories_end_as_in_a_dict(self, ledger: Ledger) -> None:
        """The sessions interleave messages, gossip, edits, retractions, repeats and forgetting, in any order."""
        from hypothesis import strategies as st

        from ..stories import steps, view

        run = count()

        async def as_in_a_dict(story: Sequence[Step]) -> None:
            model, prefix = MemoryLedger(), f"run{next(run)}-"
            for step in story:
                await step.on(model, prefix)
                await step.on(ledger, prefix)
            for session in {step.session for step in story}:
                assert await view(ledger, prefix + session) == await view(model, prefix + session)

        await self.for_all(as_in_a_dict, st.lists(steps, min_size=1, max_size=15))
