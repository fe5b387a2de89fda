"""Branches that share their parent's past: where ledger and store can, no plan is written or applied again."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from .carried_hubs import carry_hubs
from .containers import character_container, world_container
from .end.reconciliation import reconciled
from .end.store_work import Work
from .engine import Engine
from .errors import StorageError
from .extras import BranchingLedger, BranchingStore, PlacedStore
from .ids import RETOLD
from .protocols import Store
from .records.plan import Plan
from .records.snapshot import Snapshot

MANY = 1000
"""Entries that may take a store as long as one write."""
ByContainer = Mapping[str, Sequence[str]]


async def shared(engine: Engine, session: str, id: str, up_to: int) -> bool:
    """Make a branch that shares its parent's memories, or go on with one. Returns whether it was made.

    The parent may go on meanwhile. What its later plans brought is left out of the copy, and what they changed is made
    anew from the branch's own deliveries, as they were after the last entry that both share. Where they removed what
    the branch must hold, and the store does not know where that stood, it is not made: once its plans are applied, its
    memories come in the right order. Nor is it where the store does not answer. Raises `StorageError` for a store that
    stops answering meanwhile; the call can be repeated.
    """
    ledger, store = engine.ledger, engine.store
    if not (isinstance(ledger, BranchingLedger) and isinstance(store, BranchingStore)):
        return False
    if not engine.one_database and not await _answers(engine, session, id):
        return False
    if any(each.key.startswith(RETOLD) for each in await ledger.entries(session, after=up_to, limit=1)):
        return False  # the branch must tell it anew itself, as its plans are carried out
    seen, changed = await engine.ledger.decided(session), await ledger.touched(session, up_to)
    made = await engine.ledger.load(id) or await ledger.branch(session, id, up_to)
    if made is None:
        return False
    names, then = _names(session, made), await _then(engine, made, changed)
    if await _lost_places(engine, names, then):
        await engine.ledger.forget(id)
        return False
    await engine.written(store.branch(names, _gone(changed, then)), times=1 + up_to // MANY)
    if await engine.ledger.decided(session) != seen:  # what was decided after the first look may be in the copy
        changed = await ledger.touched(session, up_to)
        then = await _then(engine, made, changed)
        gone = _gone(changed, then)
        await engine.written(store.remove({names[name]: ids for name, ids in gone.items() if name in names}))
    put = store.put_back if isinstance(store, PlacedStore) else engine.store.put
    for batch, _ in then.batches():
        await engine.written(put(batch))
    await carry_hubs(ledger, session, id, up_to)
    await ledger.finish(id)
    return True


async def _answers(engine: Engine, session: str, id: str) -> bool:
    """Whether the store can be asked for a branch now. Without it, what the ledger has is copied, and applied later.

    Raises `StorageError` if not, and an interrupted call may have made the branch's containers already.
    """
    try:
        await engine.written(engine.store.count(world_container(session).name))
    except StorageError:
        if await engine.ledger.load(id) is not None:
            raise
        return False
    return True


def _names(session: str, made: Snapshot) -> dict[str, str]:
    """The parent's containers → the branch's."""
    pairs = [(world_container(session), world_container(made.id))]
    pairs += [(character_container(session, each), character_container(made.id, each)) for each in made.cast.ids]
    return {old.name: new.name for old, new in pairs}


async def _then(engine: Engine, made: Snapshot, changed: ByContainer) -> Work:
    """The memories that later plans of the parent have changed, as they were after the last shared entry."""
    nothing = Plan(session=made.id, sequence=made.decided, key="#branch")
    return await reconciled(engine, [nothing], {memory for ids in changed.values() for memory in ids}, {})


async def _lost_places(engine: Engine, names: Mapping[str, str], then: Work) -> bool:
    """Whether the parent no longer holds one of them, and cannot say where it stood among the others."""
    wanted: dict[str, list[str]] = {}
    for group in then.put:
        wanted.setdefault(group[0].container, []).append(group[0].memory_id)
    for name, new_name in names.items():
        ids = wanted.get(new_name, [])
        if ids and await engine.written(_known(engine.store, name, ids)) < len(ids):
            return True
    return False


async def _known(store: Store, container: str, ids: Sequence[str]) -> int:
    """How many of these memories have a place that the store knows."""
    if isinstance(store, PlacedStore):
        return len(await store.placed(container, ids))
    return len(await store.get(container, ids))


def _gone(changed: ByContainer, then: Work) -> dict[str, list[str]]:
    """Those that were not there then, by the parent's containers."""
    there = {group[0].memory_id for group in then.put}
    return {name: [id for id in ids if id not in there] for name, ids in changed.items()}
