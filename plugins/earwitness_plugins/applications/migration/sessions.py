"""One story from ledger to ledger: journal, plans, deliveries with their status, messages and plugin data."""

from __future__ import annotations

from collections.abc import AsyncIterator, Callable, Collection, Iterable, Sequence
from typing import NamedTuple

from earwitness.containers import character_container_name
from earwitness.errors import InputError, StorageError
from earwitness.extras import DataOwnersLedger
from earwitness.protocols import Ledger
from earwitness.records.journal import Entry, NewEntry
from earwitness.records.plan import Delivery
from earwitness.records.snapshot import Snapshot
from earwitness.spool import ABOUT_STORE

from .digests import DigestTexts, batches, canonical, canonical_plan, canonical_value, digest

CHUNK = 128
"""So many entries are appended before their plans are recorded."""
_MANY = 1_000
"""So many deliveries are acknowledged at once."""


class SessionDigest(NamedTuple):
    """What a ledger holds of a story."""

    entries: int
    deliveries: int
    digest: str


async def check_ours(source: Ledger, target: Ledger, session: str) -> None:
    """Raise `InputError` unless what the target holds of the session is the beginning of what the source holds."""
    begun = await target.load(session)
    if begun is None:
        return
    async for theirs in _chunks(target, session, 0):
        ours = await source.entries(session, after=theirs[0].sequence - 1, up_to=theirs[-1].sequence)
        plans = [
            (await target.plan(session, each.sequence), await source.plan(session, each.sequence)) for each in theirs
        ]
        same = all(plan is None or (other and canonical_plan(plan) == canonical_plan(other)) for plan, other in plans)
        if _comparable(ours) != _comparable(theirs) or not same:
            raise InputError(
                f"the target holds another story {session!r}. Move into an empty target, or go on with your own move."
            )


async def move_session(
    source: Ledger, target: Ledger, session: str, owners: Collection[str], seen: Callable[[int], object]
) -> None:
    """Move one story, or the rest of it. Until its last plan is recorded, it cannot be opened in the target."""
    final = await source.load(session)
    assert final is not None  # noqa: S101 - the source has just listed it
    containers = await source.containers(session)
    begun = await target.load(session)
    if begun is None:
        begun = await target.create(await _first(source, final), containers)
    await target.register(containers)
    given = await source.deliveries(session)
    snapshot = begun
    async for entries in _chunks(source, session, max(begun.decided - 1, 0)):
        await _append(target, session, entries)
        for entry in entries:
            snapshot = await _record(source, target, entry, snapshot, final, given)
        seen(len(entries))
    await target.register(containers)
    await _acknowledge(source, target, session, given)
    await _move_data(source, target, session, owners)


async def _first(source: Ledger, final: Snapshot) -> Snapshot:
    """The session before its first entry."""
    entries = await source.entries(final.id, limit=1)
    if not entries or final.decided < entries[0].sequence:
        return final
    kept = {"parent": final.parent, "forked_at": final.forked_at, "origin": final.origin}
    return Snapshot(id=final.id, decided=entries[0].sequence - 1, unfinished=True).model_copy(update=kept)


async def _append(target: Ledger, session: str, entries: Sequence[Entry]) -> None:
    new = [NewEntry(body=each.body, key=each.key, timestamp=each.timestamp) for each in entries]
    appended = await target.append_all(session, new)
    for ours, theirs in zip(entries, appended, strict=True):
        if ours.sequence != theirs.entry.sequence:
            raise StorageError(
                f"entry {ours.key!r} of story {session!r} has number {ours.sequence}, and would have "
                f"{theirs.entry.sequence} in the target. Is another program writing there?"
            )


async def _record(
    source: Ledger, target: Ledger, entry: Entry, before: Snapshot, final: Snapshot, given: Sequence[Delivery]
) -> Snapshot:
    """Record the plan of an entry, if it has one; returns the session after it."""
    plan = await source.plan(entry.session, entry.sequence)
    if plan is None:
        return before
    after = final if plan.sequence == final.decided else before.after(plan)
    await target.record(plan, after)
    for owner in plan.forgotten:
        name = character_container_name(plan.session, owner)
        await leave_due(target, [each for each in given if each.container == name], name, [plan.session], plan.sequence)
        await target.forget_owner(plan.session, owner, up_to=plan.sequence)
    return after


async def leave_due(
    target: Ledger, given: Iterable[Delivery], container: str, sessions: Iterable[str], up_to: int | None = None
) -> None:
    """Before a container is forgotten, only what was due then must be pending: that is struck, the rest is removed."""
    struck = {(each.session, each.id, each.sequence) for each in given if each.status == "struck"}
    for session in sessions:
        pending = await target.deliveries(session, container=container, status="pending")
        gone = [
            each.id
            for each in pending
            if (up_to is None or each.sequence <= up_to) and (session, each.id, each.sequence) not in struck
        ]
        await target.acknowledge(session, [], gone)


async def _acknowledge(source: Ledger, target: Ledger, session: str, given: Sequence[Delivery]) -> None:
    applied = [each.id for each in given if each.status == "applied"]
    for ids in batches(applied, _MANY):
        await target.acknowledge(session, [], ids)
    async for entries in _chunks(source, session, 0):
        await target.acknowledge(session, [each.sequence for each in entries if each.applied], [])
    await target.sync()


async def _move_data(source: Ledger, target: Ledger, session: str, owners: Collection[str]) -> None:
    """What plugins keep; what an earlier run has left and the source no longer has goes."""
    for owner in await _data_owners(source, target, session, owners):
        ours, theirs = await source.data(session, owner), await target.data(session, owner)
        values = {**dict.fromkeys(theirs.keys() - ours.keys()), **ours}
        if values:
            await target.write_data(session, owner, values)


async def _data_owners(source: Ledger, target: Ledger, session: str, owners: Collection[str]) -> list[str]:
    found = set(owners)
    for ledger in (source, target):
        if isinstance(ledger, DataOwnersLedger):
            found.update(await ledger.data_owners(session))
    if not isinstance(source, DataOwnersLedger):
        found.update(each.plugin for plan in await source.plans(session) for each in plan.plugin_data)
    return sorted(found - {ABOUT_STORE})


async def session_digest(ledger: Ledger, session: str, owners: Collection[str]) -> SessionDigest:
    """What a ledger holds of a story, in numbers and as a digest."""
    snapshot = await ledger.load(session)
    texts, count = [canonical(snapshot) if snapshot else ""], 0
    async for entries in _chunks(ledger, session, 0):
        count += len(entries)
        for entry in entries:
            plan = await ledger.plan(session, entry.sequence)
            texts += [canonical(entry), canonical_plan(plan) if plan else ""]
    deliveries = await ledger.deliveries(session)
    texts += sorted(map(DigestTexts().of, deliveries))
    texts += map(canonical, await ledger.messages(session))
    texts += sorted(map(canonical, await ledger.containers(session)))
    for owner in await _data_owners(ledger, ledger, session, owners):
        if data := await ledger.data(session, owner):
            texts += [owner, canonical_value(data)]
    return SessionDigest(count, len(deliveries), digest(texts))


def _comparable(entries: Iterable[Entry]) -> list[str]:
    return [canonical(each.model_copy(update={"applied": False})) for each in entries]


async def _chunks(ledger: Ledger, session: str, after: int) -> AsyncIterator[Sequence[Entry]]:
    while entries := await ledger.entries(session, after=after, limit=CHUNK):
        yield entries
        after = entries[-1].sequence
