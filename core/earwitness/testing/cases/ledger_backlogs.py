"""What the store has not taken yet, of whatever session: the extra `WaitingLedger`, if the ledger has it."""

# ruff: noqa: S101
from __future__ import annotations

from unittest import SkipTest

from ...containers import pantheon_container
from ...end.withdrawals import of_memory
from ...extras import WaitingLedger
from ...protocols import Ledger
from ...records.plan import Restoration
from ..samples import NOON, delivery, plan, said
from ..suite import case
from .ledger_base import LedgerCases

HUB = pantheon_container("olympus")


class LedgerWaiting(LedgerCases):
    """Which sessions have something for a container that the store has not taken."""

    @case
    async def test_sessions_that_wait_with_something_for_a_container_are_named(self, ledger: Ledger) -> None:
        """They are named until the entry is applied. An entry without a plan brings nothing."""
        asked = self._waiting(ledger)
        await ledger.register([HUB])
        for id in ("s2", "s1", "s3"):
            await self.story(ledger, id)
        assert list(await asked.waiting(HUB.name)) == []
        for id in ("s2", "s1"):
            line = delivery("m", session=id).model_copy(update={"container": HUB.name})
            await self.recorded(ledger, plan(1, line, session=id), applied=False)
        await ledger.append("s3", said(), timestamp=NOON)
        assert list(await asked.waiting(HUB.name)) == ["s1", "s2"]
        for id in ("s1", "s2"):
            await ledger.acknowledge(id, [1], [each.id for each in await ledger.deliveries(id)])
        assert list(await asked.waiting(HUB.name)) == []

    @case
    async def test_what_is_to_be_removed_or_restored_is_waited_for(self, ledger: Ledger) -> None:
        """A withdrawal says nothing of containers, so that every container may be asked for."""
        asked = self._waiting(ledger)
        await ledger.register([HUB])
        line = delivery("m").model_copy(update={"container": HUB.name})
        await self.delivered(ledger, line)
        archived = (await of_memory(ledger, "s1", "m", "archived")).model_copy(update={"status": "archived"})
        back = Restoration(memory_id="m", restores=archived.removes)
        retracted = archived.model_copy(update={"status": "withdrawn"})
        changes = (plan(2, withdrawals=(archived,)), plan(3, restorations=(back,)), plan(4, withdrawals=(retracted,)))
        for change in changes:
            await self.recorded(ledger, change, applied=False)
            assert list(await asked.waiting(HUB.name)) == ["s1"]
            await ledger.acknowledge("s1", [change.sequence], list(archived.removes))
            assert list(await asked.waiting(HUB.name)) == []

    @case
    async def test_a_long_backlog_is_named_too(self, ledger: Ledger) -> None:
        """A session too many is named rather than one too few."""
        asked = self._waiting(ledger)
        await ledger.register([HUB])
        line = delivery("m").model_copy(update={"container": HUB.name})
        await self.delivered(ledger, line)
        for number in range(2, 60):
            gone = (await of_memory(ledger, "s1", "m", "gone"),) if number == 59 else ()
            await self.recorded(ledger, plan(number, withdrawals=gone), applied=False)
        assert list(await asked.waiting(HUB.name)) == ["s1"]

    def _waiting(self, ledger: Ledger) -> WaitingLedger:
        if not isinstance(ledger, WaitingLedger):
            raise SkipTest("the ledger does not say which sessions wait: see `earwitness.extras.WaitingLedger`")
        return ledger
