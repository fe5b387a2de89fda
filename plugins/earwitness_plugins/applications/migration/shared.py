"""What belongs to no story: containers beyond sessions, who may read them, and those that were forgotten."""

from __future__ import annotations

from collections.abc import Sequence

from earwitness.containers import Membership
from earwitness.errors import StorageError, quoted
from earwitness.protocols import Ledger
from earwitness.records.plan import Delivery

from .digests import canonical, digest
from .sessions import leave_due


async def forget_as_the_source(source: Ledger, target: Ledger, sessions: Sequence[str]) -> None:
    """Forget the shared containers that were forgotten in the source: its plans still name them.

    Raises `StorageError` for one that was forgotten and made again: what was delivered when cannot be told apart.
    """
    ours = [each for id in sessions for each in await source.deliveries(id) if each.beyond_session]
    theirs = [each for id in sessions for each in await target.deliveries(id) if each.beyond_session]
    there = {_key(each) for each in ours}
    for name in sorted({each.container for each in theirs if _key(each) not in there}):
        its_own = [each for each in ours if each.container == name]
        if any(each.status != "struck" for each in its_own):
            raise StorageError(
                f"container {quoted(name)} was forgotten and made again while stories went on: its deliveries cannot "
                "be moved. Forget it, or the stories that write into it, and move again."
            )
        await leave_due(target, its_own, name, sessions)
        await target.forget_container(name)


async def move_memberships(source: Ledger, target: Ledger, sessions: Sequence[str]) -> None:
    """Register what belongs to no story, and admit all members."""
    await target.register(await source.containers(None))
    wanted, there = await memberships(source, sessions), await memberships(target, sessions)
    await target.dismiss([each for each in there if each not in wanted])
    if wanted:
        await target.admit(wanted)


async def memberships(ledger: Ledger, sessions: Sequence[str]) -> Sequence[Membership]:
    """All memberships, in the order of their containers."""
    containers = [each for id in (None, *sessions) for each in await ledger.containers(id)]
    return await ledger.memberships(containers=[each.name for each in containers])


async def shared_digest(ledger: Ledger, sessions: Sequence[str]) -> str:
    """What belongs to no story, and who may read what, as a digest."""
    containers, members = await ledger.containers(None), await memberships(ledger, sessions)
    return digest(sorted(map(canonical, (*containers, *members))))


def _key(delivery: Delivery) -> tuple[str, str, int]:
    return delivery.session, delivery.id, delivery.sequence
