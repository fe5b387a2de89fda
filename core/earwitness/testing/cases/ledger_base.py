"""The base of all ledger tests: how to make a ledger, and its capabilities."""

from __future__ import annotations

from collections.abc import Awaitable, Sequence
from contextlib import AbstractAsyncContextManager

from ...containers import character_container, world_container
from ...errors import ContainerCollision
from ...protocols import Ledger
from ...records.character import as_cast
from ...records.plan import Delivery, Plan
from ...records.snapshot import Snapshot
from ..samples import NOON, plan, said
from ..suite import Capability, Suite, opened


class LedgerCases(Suite[Ledger]):
    """How to make a ledger, and its capabilities."""

    persistent: Capability = True
    """A second `make_ledger()` on the same folder, after the first was closed, finds what was written."""
    shared: Capability = True
    """Two ledgers on the same folder, both open, see each other's writes at once and count one sequence."""

    def make_ledger(self) -> Ledger | Awaitable[Ledger]:
        """Your own ledger on `self.folder`, not opened yet. The method may be `async`."""
        raise NotImplementedError(f"{type(self).__name__} must define make_ledger().")

    def subject(self) -> AbstractAsyncContextManager[Ledger]:
        """The ledger, opened."""
        return opened(self.make_ledger())

    async def story(self, ledger: Ledger, id: str = "s1", characters: Sequence[str] = ("alice", "bob")) -> Snapshot:
        """A session with a cast and their containers."""
        containers = [world_container(id), *(character_container(id, character) for character in characters)]
        return await ledger.create(Snapshot(id=id, cast=as_cast(characters)), containers)

    async def recorded(self, ledger: Ledger, planned: Plan, *, applied: bool = True) -> Plan:
        """Append an entry for the plan, record the plan, and apply it unless it is to stay due.

        The session must exist.
        """
        await ledger.append(planned.session, said(), key=None, timestamp=NOON)
        before = await ledger.load(planned.session) or Snapshot(id=planned.session)
        recorded = await ledger.record(planned, before.after(planned))
        if applied:
            await ledger.acknowledge(
                planned.session, [planned.sequence], [delivery.id for delivery in planned.deliveries]
            )
        return recorded

    async def delivered(self, ledger: Ledger, *deliveries: Delivery, applied: bool = True) -> None:
        """A story whose first plan brings these deliveries."""
        await self.story(ledger)
        await self.recorded(ledger, plan(1, *deliveries), applied=applied)

    async def standing(self, ledger: Ledger, session: str = "s1") -> list[str]:
        """Memory ids with an active or due delivery, sorted; one for each such delivery."""
        found = await ledger.deliveries(session)
        return sorted(delivery.memory_id for delivery in found if delivery.status in {"pending", "applied"})

    async def collides(self, claim: Awaitable[object]) -> None:
        """Assert that the claim is refused."""
        try:
            await claim
        except ContainerCollision:
            return
        raise AssertionError("two owners were given one container")
