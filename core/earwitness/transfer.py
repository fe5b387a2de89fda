"""Copying a story's journal and recorded plans to another session id, for branches, export and import.

Nothing is decided again. Ids are derived anew from the new names, and the plans are applied as they were recorded.
"""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Callable, Iterable, Sequence
from typing import Any

from . import branches
from .carried_hubs import carry_hubs, hubs_in
from .containers import SESSION_KINDS, Container, Membership, character_container, world_container
from .copies.plan_lines import plan_line
from .engine import Engine
from .errors import ContainerCollision, InputError, StorageError
from .ids import check_new_session_id, check_session_id
from .live import Live
from .protocols import Ledger
from .records.journal import Body, Entry, NewEntry
from .records.plan import Plan, Withdrawal
from .records.snapshot import Snapshot
from .renamed_plans import RenamedPlans
from .slices import in_slices
from .story_export import FORMAT, PluginValues, StoryExport
from .upgrades.versions import VERSION

CHUNK = 64
"""Number of entries appended before their plans are recorded. Alternating between the two would be slower."""
Seen = Callable[[int], object]
"""Called with the number of entries in each batch, once it is written."""


def unseen(written: int) -> None:
    """Does nothing: the default when progress is not watched."""


async def fork(engine: Engine, session: str, id: str, up_to: int, seen: Seen = unseen) -> None:
    """Make `id` a branch of `session` that shares everything up to a sequence number.

    Where ledger and store cannot share, entries and plans are copied, and applied when the branch is opened.

    An interrupted fork is resumed. Raises `ContainerCollision` if `id` exists and is not this branch.
    """
    check_session_id(id)
    if id == session:
        raise ContainerCollision(f"a branch needs an id of its own: {id!r} is the session that it branches off.")
    found = await engine.ledger.load(id)
    _check_branch(found, session, id, up_to)
    if found is not None and not found.unfinished:
        return
    is_copied = found is not None and found.origin is None
    if not is_copied and await _is_shared(engine, session, id, up_to):
        seen(up_to)
    else:
        await _copy(engine, session, id, up_to, seen)


async def _is_shared(engine: Engine, session: str, id: str, up_to: int) -> bool:
    try:
        return await branches.shared(engine, session, id, up_to)
    except StorageError as error:
        error.add_note(f"nothing is lost: fork {session!r} to {id!r} at {up_to} again once the store answers.")
        raise


def _check_branch(found: Snapshot | None, session: str, id: str, up_to: int) -> None:
    """Raise `ContainerCollision` for a session that is not this branch, and `InvalidId` if the id cannot be used."""
    if found is None:
        check_new_session_id(id)
    elif (found.parent, found.forked_at) != (session, up_to):
        raise ContainerCollision(
            f"session {id!r} exists and is not the branch of {session!r} at {up_to}. Choose another id."
        )


async def _copy(engine: Engine, session: str, id: str, up_to: int, seen: Seen) -> None:
    """The branch as a copy of entries and plans."""
    ledger = engine.ledger
    entries = await ledger.entries(session, up_to=up_to)
    plans = {plan.sequence: plan for plan in await ledger.plans(session, up_to=up_to)}
    data: PluginValues = {}
    if not await ledger.entries(session, after=up_to, limit=1):  # recalls write outside of the journal
        data = {plugin: await ledger.data(session, plugin) for plugin in engine.data_owners}
    past = tuple((entry, plans[entry.sequence]) for entry in entries)
    containers, members = await _more_containers(ledger, session)
    whole_past = StoryExport(session, past, data, containers, members)
    await write_copy(engine, Snapshot(id=id, parent=session, forked_at=up_to), whole_past, seen)
    await carry_hubs(ledger, session, id, up_to)


def require_complete(snapshot: Snapshot | None) -> Snapshot | None:
    """Return the snapshot if its session may be opened. Raises `InputError` for an interrupted branch or import."""
    if snapshot is None or not snapshot.unfinished:
        return snapshot
    what, again = "its import or move", "Import or move it again"
    if snapshot.parent is not None:
        what = f"forking it from {snapshot.parent!r} at {snapshot.forked_at}"
        again = f"Fork {snapshot.parent!r} to {snapshot.id!r} at {snapshot.forked_at} again"
    raise InputError(f"session {snapshot.id!r} is incomplete: {what} was interrupted. {again} to resume it.")


async def write_copy(
    engine: Engine, first: Snapshot, export: StoryExport, seen: Seen = unseen, more: Iterable[Entry] = ()
) -> None:
    """Write entries and plans from another session id into a new session, and then `more` entries to be decided there.

    The session is `unfinished` until its last plan is recorded. Repeating the call resumes an interrupted one.
    """
    ledger, renamed, past, data = engine.ledger, _renamed(export, first.id), export.past, export.data
    snapshot = first = first.model_copy(update={"unfinished": bool(past)})
    containers = [*_own_containers(first.id, past), *_moved(export.containers, renamed)]
    await ledger.create(first, containers)
    await _admit(ledger, export.memberships, renamed)
    for begin in range(0, len(past), CHUNK):
        chunk = past[begin : begin + CHUNK]
        plans = await in_slices(renamed.plan(plan) for _, plan in chunk)
        after = more if begin + CHUNK >= len(past) else ()
        await ledger.append_all(first.id, [_moved_entry(each, renamed) for each in (*(e for e, _ in chunk), *after)])
        for (_, plan), moved in zip(chunk, plans, strict=True):
            snapshot = snapshot.after(moved)
            if plan is past[-1][1]:
                await _keep(ledger, first.id, data)
                snapshot = snapshot.model_copy(update={"unfinished": False})
            await ledger.record(moved, snapshot)
            for id in plan.forgotten:  # now: later plans may deliver to a newcomer with this id
                await ledger.forget_owner(first.id, id, up_to=plan.sequence)
                await ledger.register(containers)
        seen(len(chunk))
    await _keep(ledger, first.id, data)  # the last plan may have restored older values


def _renamed(export: StoryExport, id: str) -> RenamedPlans:
    own = [each.name for each in (*_own_containers(export.id, export.past), *export.containers)]
    return RenamedPlans(export.id, id, own)


def _moved_entry(entry: Entry, renamed: RenamedPlans) -> NewEntry:
    return NewEntry(body=renamed.body(entry.body), key=entry.key, timestamp=entry.timestamp)


def _own_containers(session: str, past: Iterable[tuple[Entry, Plan]]) -> list[Container]:
    """The world's container, and one for each character who was ever in the cast."""
    members = {member.id for _, plan in past if plan.cast for member in plan.cast}
    return [world_container(session), *(character_container(session, id) for id in sorted(members))]


async def _more_containers(ledger: Ledger, session: str) -> tuple[tuple[Container, ...], tuple[Membership, ...]]:
    """A session's containers other than those of the world and the characters, and their memberships."""
    found = tuple([each for each in await ledger.containers(session) if each.kind not in SESSION_KINDS])
    return found, tuple(await ledger.memberships(containers=[each.name for each in found])) if found else ()


def _moved(containers: Iterable[Container], renamed: RenamedPlans) -> list[Container]:
    return [
        each.model_copy(update={"name": renamed.container(each.name), "session": renamed.new}) for each in containers
    ]


async def _admit(ledger: Ledger, memberships: Sequence[Membership], renamed: RenamedPlans) -> None:
    if memberships:
        moved = [each.model_copy(update={"container": renamed.container(each.container)}) for each in memberships]
        await ledger.admit(moved)


async def _keep(ledger: Ledger, session: str, data: PluginValues) -> None:
    for plugin, values in data.items():
        await ledger.write_data(session, plugin, values)


async def exported(engine: Engine, session: str) -> AsyncIterator[dict[str, Any]]:
    """A session as JSON-ready lines: first the session, then each entry with its plan. `imported` reads them.

    The first line gives the number of `lines` that follow, so that a truncated export is recognised. Deliveries to
    containers that belong to no session are left out, because they are not part of the session; what rules told a hub
    is told anew when it is imported.
    """
    live = await Live.load(engine, session)
    snapshot, kept = live.snapshot, {plugin: data for plugin, data in sorted(live.stored.items()) if data}
    containers, members = await _more_containers(engine.ledger, session)
    yield {
        "kind": "session",
        "version": FORMAT,
        "records": VERSION,
        "lines": snapshot.decided + len(kept) + len(containers),
        **snapshot.model_dump(mode="json", include={"id", "parent", "forked_at"}),
    }
    for entry in await engine.ledger.entries(session, up_to=snapshot.decided):
        plan = await engine.ledger.plan(session, entry.sequence)
        if plan is not None:
            yield {"kind": "entry", "entry": entry.model_dump(mode="json"), "plan": await plan_line(_own_part(plan))}
    for each in containers:
        its_members = [member.model_dump(mode="json") for member in members if member.container == each.name]
        yield {"kind": "container", "container": each.model_dump(mode="json"), "memberships": its_members}
    for plugin, data in kept.items():
        yield {"kind": "data", "plugin": plugin, "data": data}


def _own_part(plan: Plan) -> Plan:
    """The plan without what it delivers beyond the session. What a guard struck of that is named, so that an import
    does not tell it anew."""
    own = tuple([each for each in plan.deliveries if not each.beyond_session])
    if len(own) == len(plan.deliveries):
        return plan
    gone = {each.id: each.memory_id for each in plan.deliveries if each.beyond_session and each.status == "struck"}
    struck = (Withdrawal(removes=gone, status="struck", reason="struck when it was planned"),) if gone else ()
    return plan.model_copy(update={"deliveries": own, "withdrawals": (*plan.withdrawals, *struck)})


async def imported(engine: Engine, export: StoryExport, *, id: str | None = None, seen: Seen = unseen) -> str:
    """Write an exported story into the ledger, under its own session id or another. Returns the id.

    An interrupted import is resumed. If the story already contains all of it, nothing changes. Raises `InputError` if
    another session has the id; then nothing is written.
    """
    name = id or export.id
    found = await engine.ledger.load(check_session_id(name))
    if found is None and name != export.id:
        check_new_session_id(name)  # the export's own id was accepted when its session began
    if found is None or await _begins(engine, found, export):
        hubs = await asyncio.to_thread(lambda: tuple(hubs_in(export.past, export.id)))
        await write_copy(engine, Snapshot(id=name), export, seen, hubs)
    elif not await _holds(engine, found, export):
        raise InputError(
            f"session {name!r} already exists and is a different story. "
            "Import it under another id (`--as ID`, in Python `id=`), or forget it first."
        )
    return name


async def _begins(engine: Engine, found: Snapshot, export: StoryExport) -> bool:
    """Whether the session is an interrupted import that holds the first of these entries."""
    if not found.unfinished or found.parent is not None:
        return False
    there, renamed = await engine.ledger.entries(found.id, up_to=len(export.past)), _renamed(export, found.id)
    past = export.past[: len(there)]
    await in_slices(renamed.plan(plan) for _, plan in past)
    return _comparable(there) == _comparable([entry for entry, _ in past], renamed)


async def _holds(engine: Engine, found: Snapshot, export: StoryExport) -> bool:
    """Whether the session begins with all of these entries and the same decisions. It may have continued since."""
    past = export.past
    there = await engine.ledger.entries(found.id, up_to=len(past))
    if found.unfinished or len(there) < len(past):
        return False
    plans = await engine.ledger.plans(found.id, up_to=len(past))
    theirs, ours = _renamed(export, found.id), RenamedPlans(found.id, found.id)
    given = await in_slices(theirs.plan(plan) for _, plan in past)
    same = given == await in_slices(ours.plan(_own_part(plan)) for plan in plans)
    return same and _comparable(there) == _comparable([entry for entry, _ in past], theirs)


def _comparable(entries: Iterable[Entry], renamed: RenamedPlans | None = None) -> list[tuple[str, Body, str]]:
    return [(entry.key, renamed.body(entry.body) if renamed else entry.body, entry.timestamp) for entry in entries]
