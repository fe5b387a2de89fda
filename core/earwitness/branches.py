"""Branches that share their parent's past: where ledger and store can, no plan is written or applied again."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from .containers import character_container, world_container
from .end.reconciliation import reconciled
from .engine import Engine
from .extras import BranchingLedger, BranchingStore
from .records.plan import Plan, Snapshot

ByContainer = Mapping[str, Sequence[str]]


async def shared(engine: Engine, session: str, id: str, up_to: int) -> bool:
    """Make a branch that shares its parent's memories, or go on with one. Answers whether it is made.

    The parent may go on meanwhile. What its later plans touch is left out of the copy, and made anew from the branch's
    own deliveries, as they were after the last entry that both share.
    """
    ledger, store = engine.ledger, engine.store
    if not (isinstance(ledger, BranchingLedger) and isinstance(store, BranchingStore)):
        return False
    seen, before = await engine.ledger.decided(session), await ledger.touched(session, up_to)
    made = await engine.ledger.load(id) or await ledger.branch(session, id, up_to)
    if made is None:
        return False
    names = _names(session, made)
    await store.branch(names, before)
    since: dict[str, list[str]] = {}
    if await engine.ledger.decided(session) != seen:  # what was decided after the first look may be in the copy
        since = _more(await ledger.touched(session, up_to), before)
        await store.remove({names[name]: ids for name, ids in since.items() if name in names})
    await _restored(engine, made, {memory for ids in (*before.values(), *since.values()) for memory in ids})
    await ledger.finish(id)
    return True


def _names(session: str, made: Snapshot) -> dict[str, str]:
    """The parent's containers → the branch's."""
    pairs = [(world_container(session), world_container(made.id))]
    pairs += [(character_container(session, each), character_container(made.id, each)) for each in made.cast.ids]
    return {old.name: new.name for old, new in pairs}


def _more(now: ByContainer, before: ByContainer) -> dict[str, list[str]]:
    found = {name: sorted(set(ids).difference(before.get(name, ()))) for name, ids in now.items()}
    return {name: ids for name, ids in found.items() if ids}


async def _restored(engine: Engine, made: Snapshot, memories: set[str]) -> None:
    """Write the memories that later plans of the parent have changed as they were then."""
    nothing = Plan(session=made.id, sequence=made.decided, key="#branch")
    for batch, _ in (await reconciled(engine, [nothing], memories, ())).batches():
        await engine.store.put(batch)
